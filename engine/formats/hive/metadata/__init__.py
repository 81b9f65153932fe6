"""Metadata of a table in the Metastore: columns, partition keys, partitions. All of it is foreign input."""
