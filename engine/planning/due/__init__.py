"""Which partitions are due: rules, seals, full rewrites, cool-downs."""
