"""Runs: states and their changes, requests, plans, times, and reasons in words."""
