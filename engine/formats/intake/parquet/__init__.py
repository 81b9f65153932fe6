"""Parquet files of other programs, opened with checked footers and pages."""
