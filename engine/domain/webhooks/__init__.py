"""Webhooks: events of the fleet that are sent to HTTP receivers of other teams and tools."""
