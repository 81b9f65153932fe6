"""Catalogs and registered tables: addresses, discovery, health, signals, watches, orders, predicates."""
