"""Upkeep of random tables compared with Iceberg's own procedures, and with other writers at each step."""
