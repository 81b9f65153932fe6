"""Catalogs of type `rest`, on the server of Paimon's own tests."""
