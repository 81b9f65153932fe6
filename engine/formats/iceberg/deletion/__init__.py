"""Find, record, delete and prove the files of a table that only expired snapshots needed.

Entered through `table_deletions`. Never deletes a file that was not recorded first, a file that a snapshot of the
current metadata needs, or a file outside of the table's own location.
"""
