"""Catalogs and the way from a table's id to the open table: connections, secrets, allowed places, capabilities.

Called by every room that looks at a table. Each blocking call goes through `bulkheads`.
"""
