"""Databases of catalogs through SQLAlchemy: their addresses, and checks of the servers that connections go to."""
