"""Plans on an open table: which engine, which order, which files, what is due. Nothing here changes anything."""
