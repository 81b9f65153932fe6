"""Writers that follow rewrites: the names of their files, and the folders to put them into.

Entered by the table, and by `compaction` and `upkeep` for the names; never writes a file itself.
"""
