"""Runs, file groups, events, and what tasks report, on the wire.

Entered by the routes of the same room, by event streams, and by tables for their runs. Takes nothing from tables.
"""
