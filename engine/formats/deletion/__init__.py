"""Lists of files to delete, the decision by path whether a file may be deleted at all, and the deletion itself.

Shared by the formats, which decide which files nothing needs. Never reads a table's metadata.
"""
