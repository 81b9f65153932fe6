"""Merging of rows by a key: the newest row of each key stays."""
