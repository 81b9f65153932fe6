"""API keys, the caller, grants of catalogs and the audit log on the wire.

Entered by the routes of the same room, and by catalogs for their grants. Never shows a secret after its making.
"""
