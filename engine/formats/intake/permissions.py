"""How a deployment forbids locations and servers to the catalogs of any format: functions that raise `InvalidInput`."""

from collections.abc import Callable
from typing import TypeAlias

CheckLocation: TypeAlias = Callable[[str], None]
"""Raises `InvalidInput` for a location that must not be read."""

CheckPeer: TypeAlias = Callable[[str], None]
"""Raises `InvalidInput` for the address of a connected server that must not be used."""


def anywhere(_place: str) -> None:
    """Allow every location and server."""
