"""Parquet tables of a real Hive Metastore 2.3, written by pyarrow or Spark, read by pyarrow, DuckDB and Spark."""
