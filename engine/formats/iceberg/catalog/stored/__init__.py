"""Catalogs that store where a table's metadata file is; clients read and write these files themselves."""
