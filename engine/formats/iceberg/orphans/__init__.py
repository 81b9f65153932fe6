"""Find, record and delete the files below a table's location that nothing refers to: orphans.

Entered through `orphan_files`, for runs through `orphan_deletions`. A file is deleted only if two looks, a quarantine
apart, found it unreferenced with the same size and time, and the listings of both were complete.
"""
