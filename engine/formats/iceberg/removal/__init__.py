"""Find and prove the files of a table that nothing needs: those of expired snapshots, orphans, outputs of ended runs.

Entered through `expired_files`, `orphan_files` and `outputs`; `formats.removal` deletes the files. Never lists a file
for deletion that a snapshot of the current metadata needs, or one outside of the table's own location. An orphan is
deleted only if two searches, a quarantine apart, found it unreferenced with the same size and time, and the listings of
both were complete.
"""
