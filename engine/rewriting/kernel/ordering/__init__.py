"""Ordering of rows: keys, curves, ranges, and rows spilled to disk."""
