"""JDBC catalogs of Paimon, on real databases."""
