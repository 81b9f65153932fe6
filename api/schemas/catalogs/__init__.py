"""Catalogs, the discovery of their tables, and what each format supports, on the wire.

Entered by the routes of the same room. Never shows a secret: a connection holds references.
"""
