"""General-purpose values: units, field types, patterns, hints, messages, and secrets in texts."""
