"""Due partitions: rules, seals, full rewrites, cool-downs."""
