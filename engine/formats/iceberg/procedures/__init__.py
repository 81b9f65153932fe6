"""Iceberg's own rewrite procedure: what it can do, its call, and what it did."""
