"""The small files of a table: schemas and snapshots as JSON; and what follows from a schema: options, partitions."""
