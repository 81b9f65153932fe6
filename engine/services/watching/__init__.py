"""What the leading coordinator does: look at tables, start runs of those that are due, poll query latency."""
