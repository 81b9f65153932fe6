"""Parquet's own structures: Thrift, footers, pages, indices, statistics of chunks."""
