"""Find, record and delete the files in the folders of a Paimon table that nothing refers to: orphans.

Entered through `orphan_files`. A file is deleted only if it has a place and a name that Paimon or Packhouse gives, two
looks, a quarantine apart, found it unreferenced with the same size and time, and the listings of both were complete.
"""
