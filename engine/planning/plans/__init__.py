"""Plans: candidates, file groups, and reasons of skipped partitions."""
