"""The rewrite kernel, on real Parquet files in a temporary folder."""
