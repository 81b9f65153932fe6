"""Policies of every scope: read, merged, checked, written, restored. Called by the API, planning and scheduling."""
