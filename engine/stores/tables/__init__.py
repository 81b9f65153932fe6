"""Catalogs and registered tables, with their measurements, signals, pauses and freezes."""
