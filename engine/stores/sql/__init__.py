"""Shared SQL code of the stores: engines, the database's clock, column types, error translation."""
