"""The queue package against a real Redis."""
