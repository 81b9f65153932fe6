"""Callers, their grants, and the audit log."""
