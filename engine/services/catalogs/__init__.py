"""Catalogs, and opening a table by its id: connections, secrets, allowed locations, capabilities.

Called by every room that reads a table. Each blocking call goes through `bulkheads`.
"""
