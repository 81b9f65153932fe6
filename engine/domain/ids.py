"""Identifiers: a readable prefix and a body that sorts by the time it was made.

The body is 48 bits of milliseconds and 80 random bits in Crockford base 32 (the layout of a ULID), so that keyset
paging by id is paging by time and two replicas never make the same id.
"""

import os
from collections.abc import Callable
from typing import NewType

from engine.domain.clock import Clock

TableId = NewType("TableId", str)
RunId = NewType("RunId", str)
KeyId = NewType("KeyId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class IdSource:
    """Makes identifiers from a clock and a source of random bytes."""

    def __init__(self, *, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._entropy = entropy

    def table_id(self) -> TableId:
        """Return a new id of a registered table."""
        return TableId(self._make("tbl"))

    def run_id(self) -> RunId:
        """Return a new id of a run."""
        return RunId(self._make("run"))

    def key_id(self) -> KeyId:
        """Return a new id of an API key."""
        return KeyId(self._make("key"))

    def _make(self, prefix: str) -> str:
        milliseconds = int(self._clock.now().timestamp() * 1000)
        value = (milliseconds << 80) | int.from_bytes(self._entropy(10), "big")
        digits = [_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5)]
        return f"{prefix}_{''.join(digits)}"
