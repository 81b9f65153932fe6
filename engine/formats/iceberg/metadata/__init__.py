"""Read one version of a table: its snapshots, partitions, orders, properties and live files."""
