"""Bulkheads: how many threads one table, one catalog and the process may hold, and how long a call may be waited for.

Entered by `services.formats` alone, for each call to a catalog or to its storage, in every process. It runs what it is
given and knows nothing of tables beyond their addresses.
"""
