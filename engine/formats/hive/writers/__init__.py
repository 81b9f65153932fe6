"""Writers that follow rewrites: the names of their files, and the folders to put them into.

Entered by the table, and by `rewrite` and `removal` for the names; never writes a file itself.
"""
