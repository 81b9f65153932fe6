"""Local replacements for a data platform, all on one machine: Redis, Spark Connect and a demo table."""
