"""Explanation why a table did or did not run, and what happens next; the coordinator decides by the same facts."""
