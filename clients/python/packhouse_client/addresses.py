"""Addresses of tables as people write them: `catalog.namespace.name`, a namespace of several levels with more dots.

A name that has a dot itself can't be written so; ask for its parts with `tables.list(catalog=…, namespace=…, name=…)`.
"""

from collections.abc import Sequence

from packhouse_client.errors import NotFound
from packhouse_client.models import Table


def split_address(address: str) -> tuple[str, list[str], str]:
    """Return catalog, namespace levels and name.

    Raises:
        ValueError: fewer than three parts, or an empty one.
    """
    parts = address.split(".")
    if len(parts) < 3 or not all(parts):  # noqa: PLR2004 - catalog, one namespace, name
        raise ValueError(f"{address!r} is no table's address: write catalog.namespace.name")
    return parts[0], parts[1:-1], parts[-1]


def only(found: Sequence[Table], address: str) -> Table:
    """Return the table that an address found; `NotFound` when there is none."""
    if not found:
        problem = {"code": "not_found", "detail": f"no table {address} is registered, or none that this key may see"}
        raise NotFound(404, problem)
    return found[0]
