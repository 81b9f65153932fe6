"""A plain table format: bare Parquet files without field ids, and one JSON file a version that lists them.

The second user of the format seam (`engine/formats/base`). It has the three roles of every format and none of the
others: no going back, no expiry, no procedure of its own. Tables are folders below a root; a version is created by
compare-and-swap.
"""
