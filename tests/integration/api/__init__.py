"""The HTTP API over real SQLite, Redis and Iceberg tables; tasks run in threads instead of Spark."""
