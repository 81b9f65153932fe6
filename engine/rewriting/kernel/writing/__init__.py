"""Writing of rows into output files: layout, encoding, counts of NaN."""
