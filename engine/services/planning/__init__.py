"""Plans on an open table: engine, order of rows, files, due partitions. Read-only."""
