"""General-purpose values: units, field types, time zones, patterns, hints, messages, and secrets in texts."""
