"""Addresses of databases, on real connections."""
