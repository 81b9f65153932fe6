"""Snapshots that running readers of a table need, as signals of kind `oldest_reader` state them."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from engine.domain.ids import TableId
from engine.domain.runs.expiry import Needed
from engine.domain.tables.signals import OldestReader, Signal, SignalKind
from engine.stores.unit_of_work import UnitOfWork

_MOST_SIGNALS: Final = 1000
"""Number of signals of one kind that are kept for a table."""


async def with_readers(unit: UnitOfWork, table_id: TableId, needed: Needed = Needed()) -> Needed:  # noqa: B008 - frozen
    """Add what the readers of a table need: by the newest signal of each sender, unless it has expired."""
    now, newest = await unit.now(), dict[str, Signal]()
    for signal in await unit.signals.list(table_id, SignalKind.OLDEST_READER, limit=_MOST_SIGNALS):
        newest.setdefault(signal.sent_by, signal)
    values = [
        signal.value
        for signal in newest.values()
        if isinstance(signal.value, OldestReader) and signal.at + timedelta(seconds=signal.value.valid_seconds) > now
    ]
    ids = frozenset(int(each.snapshot_id) for each in values if each.snapshot_id is not None)
    since = min((each.committed_at for each in values if each.committed_at is not None), default=None)
    return replace(needed, reader_ids=ids, readers_since=since)
