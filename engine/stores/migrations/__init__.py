"""Alembic migrations of the record, written by hand and never changed once released.

They add and take nothing away, so that the version before works beside the new one; one that can't sets
`oldest_supported` (`compatibility`).
"""
