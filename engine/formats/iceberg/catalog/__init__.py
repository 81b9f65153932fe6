"""Connections to catalogs and storage: guarded requests, file access, listings, pointers."""
