"""Manifest lists, manifests and index manifests of a snapshot, decoded to columns, and the live files in them."""
