"""Identifiers: a readable prefix and a body that sorts by the time it was made.

The body is 48 bits of milliseconds and 80 random bits in Crockford base 32 (the layout of a ULID), so that keyset
paging by id is paging by time and two replicas do not make the same id. It is encoded here instead of by `python-ulid`,
because that would replace three lines only: ids are lower case, and take their time and random bits from `IdSource`.
"""

import os
from collections.abc import Callable
from datetime import datetime
from typing import NewType

from engine.domain.clock import Clock

TableId = NewType("TableId", str)
RunId = NewType("RunId", str)
KeyId = NewType("KeyId", str)
WebhookId = NewType("WebhookId", str)
EventId = NewType("EventId", str)

TABLE_PREFIX = "tbl"
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class IdSource:
    """Makes identifiers from a clock and a source of random bytes."""

    def __init__(self, *, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._entropy = entropy

    def table_id(self) -> TableId:
        """Return a new id of a registered table."""
        return TableId(self._make(TABLE_PREFIX))

    def run_id(self) -> RunId:
        """Return a new id of a run."""
        return RunId(self._make("run"))

    def key_id(self) -> KeyId:
        """Return a new id of an API key."""
        return KeyId(self._make("key"))

    def webhook_id(self) -> WebhookId:
        """Return a new id of a webhook."""
        return WebhookId(self._make("whk"))

    def _make(self, prefix: str) -> str:
        return _written(prefix, self._clock.now(), int.from_bytes(self._entropy(10), "big"))


def first_run_id(at: datetime) -> RunId:
    """Return the smallest id that a run made at this instant (to the millisecond) could have; a bound for lists."""
    return RunId(_written("run", at, 0))


def new_event_id(at: datetime) -> EventId:
    """Return a new id of an event that happened at this instant."""
    return EventId(_written("evt", at, int.from_bytes(os.urandom(10), "big")))


def _written(prefix: str, at: datetime, noise: int) -> str:
    milliseconds = min(max(int(at.timestamp() * 1000), 0), 2**48 - 1)
    value = (milliseconds << 80) | noise
    digits = [_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5)]
    return f"{prefix}_{''.join(digits)}"
