"""Bulkheads: limits on the threads of one table, one catalog and the process, and a deadline for each blocking call.

Called by `services.catalogs.table_access` only, for each call to a catalog or to its storage, in every process. Knows
tables by their addresses only.
"""
