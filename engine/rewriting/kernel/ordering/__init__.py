"""Rows in another order: keys, curves, ranges, and rows that wait on disk."""
