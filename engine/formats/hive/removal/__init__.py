"""Watch the folders that rewrites replaced, and delete their files after a grace; delete outputs of ended runs.

Entered through `old_copies` and `outputs`. A writer that still knows the old folder adds files that no reader of the
table finds: they are copied to where the partition is now. A file is deleted only if the record has the proof of the
rewrite that replaced it, the grace is over since the folder was last in use, no partition has that folder, and the file
is as the rewrite read or copied it.
"""
