"""Iceberg's own rewrite procedure: its conditions, its call, and verification of its changes."""
