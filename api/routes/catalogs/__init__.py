"""Routes of catalogs, their grants and discovery, and of what formats support.

Included by `api.app`. Each reads the request, calls one service and shows its answer; none opens a table.
"""
