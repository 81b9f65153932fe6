"""Delete files of a table that nothing needs: lists of files, listings of a store, quarantine, the deletion itself.

Shared by the formats, which decide which files nothing needs. Never reads a table's metadata.
"""
