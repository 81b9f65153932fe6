"""The parts that stand in for a platform on one machine: Redis, Spark Connect, demo table."""
