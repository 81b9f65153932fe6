"""Fixtures: a real Packhouse with tables of small files."""

from tests.support.real_server import packhouse, server, table

__all__ = ["packhouse", "server", "table"]
