"""Copies of the record outside of the database."""
