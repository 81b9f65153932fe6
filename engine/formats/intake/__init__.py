"""Read untrusted files of any table format: bounded in size, and converted to forms that are safe to decode.

`databases` is about the databases of catalogs: their addresses, and the errors of their drivers.

Called by the formats; knows none of them. It never writes.
"""
