"""Webhooks, events for them, and the deliveries of each event to each webhook."""
