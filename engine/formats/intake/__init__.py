"""Read untrusted files of any table format: bounded in size, and converted to forms that are safe to decode.

Called by the formats; knows none of them. It never writes.
"""
