"""Expiry of a Paimon table's snapshots, and deletion of the files that only these needed; entered through `tables`."""
