"""Webhooks: their receivers, the events that each of them gets, and the deliveries."""
