"""Hive catalogs of Paimon, on real Metastores."""
