"""What the Metastore states of a table: columns, partition keys, partitions. All of it is foreign input."""
