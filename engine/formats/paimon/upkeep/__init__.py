"""Expiry of snapshots and tags of a Paimon table; entered through `tables`."""
