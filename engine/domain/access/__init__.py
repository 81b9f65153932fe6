"""Who calls, what they may see, and what the audit log stores of it."""
