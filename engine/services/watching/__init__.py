"""Duties of the leading coordinator: evaluate tables, start runs of those that are due, poll query latency."""
