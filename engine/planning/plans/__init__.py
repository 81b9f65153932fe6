"""From candidates to file groups, and why other partitions are left alone."""
