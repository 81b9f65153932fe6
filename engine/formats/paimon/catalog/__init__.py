"""Paimon's catalogs: which tables there are, where they are, and the lock of the catalog. Entered by `connection`.

It reads no metadata of tables, and creates no tables in a catalog's database.
"""
