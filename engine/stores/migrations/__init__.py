"""Alembic migrations of the record, written by hand and never changed once released."""
