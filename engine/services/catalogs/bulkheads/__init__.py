"""Bulkheads: how many threads one table, one catalog and the process may hold, and how long a call may be waited for.

Called by `services.catalogs.formats` only, for each call to a catalog or to its storage, in every process. Knows of
tables no more than their addresses.
"""
