"""Figures over all tables, limits, and the state of the process's dependencies. Called by the API and metrics."""
