"""Values without a subject: units, types of fields, patterns, hints, messages, secrets in texts."""
