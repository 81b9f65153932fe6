"""Locations that a deployment forbids to the catalogs of any format; for servers see `outgoing.bounds.CheckPeer`."""

from collections.abc import Callable
from typing import TypeAlias

CheckLocation: TypeAlias = Callable[[str], None]
"""Raises `InvalidInput` for a location that must not be read."""


def anywhere(_place: str) -> None:
    """Allow every location."""
