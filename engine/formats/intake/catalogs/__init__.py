"""Servers and databases of catalogs, reached with limits of time and size."""
