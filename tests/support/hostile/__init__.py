"""Hostile servers: programs that a client of ours may be led to, and that answer to harm it."""
