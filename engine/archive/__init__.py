"""Folders outside of the database whose files are written once: on object stores, or on a disk."""
