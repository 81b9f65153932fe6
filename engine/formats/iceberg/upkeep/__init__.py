"""Upkeep of a table's metadata besides rewriting its data files."""
