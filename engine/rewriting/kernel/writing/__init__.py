"""Rows into output files: layout, encoding, counts of NaN."""
