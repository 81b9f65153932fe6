"""Fleet-wide limits, figures and lists. No query's cost grows with history."""
