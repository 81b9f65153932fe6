"""Find and prove the files of a table that only expired snapshots needed; `formats.removal` deletes them.

Never lists a file for deletion that a snapshot of the current metadata needs, or one outside of the table's own
location.
"""
