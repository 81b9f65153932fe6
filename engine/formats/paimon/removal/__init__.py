"""Find and prove the files of a table that nothing needs: those of expired snapshots, orphans, outputs of ended runs.

Entered through `expired_files`, `orphan_files` and `outputs`; `formats.removal` deletes the files. An orphan is deleted
only if it has a place and a name that Paimon or Packhouse gives, two searches, a quarantine apart, found it
unreferenced with the same size and time, and the listings of both were complete.
"""
