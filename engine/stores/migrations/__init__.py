"""Alembic migrations of the record, written by hand and never changed once released.

Migrations only add to the schema, so that the previous version keeps working alongside the new one; a migration that
can't guarantee this sets `oldest_supported` (`compatibility`).
"""
