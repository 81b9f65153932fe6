"""Registered tables: discovery, registration, health, signals, pauses, freezes, advice.

Called by the API, explain and operations.
"""
