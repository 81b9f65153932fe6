"""Catalogs and registered tables: what is known, measured and told of them, their pauses and freezes."""
