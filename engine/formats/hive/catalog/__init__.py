"""Catalogs: their properties, and calls to a Hive Metastore and to AWS Glue, behind the role `roles.HiveCatalog`.

Nothing here opens a table's files.
"""
