"""Runs: states and transitions, requests, plans, times, and texts of reason codes."""
