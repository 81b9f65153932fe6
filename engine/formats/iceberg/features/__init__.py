"""Features of Iceberg tables by allow-lists: tables with another feature are left alone, by name."""
