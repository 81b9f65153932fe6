"""Apache Iceberg. Only this package imports pyiceberg."""
