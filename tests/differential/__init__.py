"""Random Iceberg tables of many writers, rewritten by us and by Iceberg's own procedure, read by every reader."""
