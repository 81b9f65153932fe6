"""API keys, the audit log, and answers stored by idempotency key."""
