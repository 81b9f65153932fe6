"""All tables together: limits, figures, lists. No query grows with history."""
