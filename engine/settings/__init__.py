"""Settings, read once at the composition root from `PACKHOUSE_*` environment variables."""
