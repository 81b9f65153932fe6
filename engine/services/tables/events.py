"""Events of stores and other systems about tables: each table that changed gets one signal, and a look at once.

Events of one request or message are taken together: a writer that adds a thousand files makes a few signals and not a
thousand. Nothing of an event but its identity is kept.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.domain.tables.addresses import is_address, parse_address
from engine.domain.tables.cloud_events import (
    CloudEvent,
    EventOutcome,
    EventSource,
    TableChange,
    UnusableEvent,
    change_of,
    joined,
)
from engine.domain.tables.signals import SignalKind
from engine.metrics import WorkMetrics
from engine.stores.database import Database
from engine.stores.tables.received_events import event_key
from engine.stores.unit_of_work import UnitOfWork
from engine.uris.locations import Location

Counts = Mapping[EventOutcome, int]
_Change = tuple[str, TableChange]
"""A change with the key of its event."""

_MOST_TABLES: Final = 16
"""Most tables at one location that an event is for, of several catalogs."""


class EventService:
    """Takes events that senders push, or that are read from a queue."""

    def __init__(self, *, database: Database, metrics: WorkMetrics) -> None:
        self._database = database
        self._metrics = metrics

    async def check(self) -> None:
        """Raise `Transient` if the database, in which signals are stored, does not answer."""
        async with self._database.read() as unit:
            await unit.now()

    async def take(self, caller: Caller, events: Sequence[CloudEvent], source: EventSource) -> Counts:
        """Store a signal for each table that events are about; return the number of events by what became of them.

        All events of a request are taken or, with an error, none.

        Raises:
            Transient: the database does not answer.
        """
        changes = list[_Change]()
        for event in events:
            try:
                changes.append((event_key(caller.subject, event.source, event.id), change_of(event)))
            except UnusableEvent:
                continue
        counted = Counter({EventOutcome.REFUSED: len(events) - len(changes)})
        if changes:
            counted += Counter(await self._take(caller, changes))
        for outcome, count in counted.items():
            self._metrics.signals.labels(SignalKind.COMMIT.value, source.value, outcome.value).inc(count)
        return {outcome: counted[outcome] for outcome in EventOutcome}

    async def _take(self, caller: Caller, changes: Sequence[_Change]) -> Counts:
        async with self._database.read() as unit:
            tables = await _tables_of(unit, [change for _, change in changes])
        if not tables:
            return {EventOutcome.UNKNOWN_TABLE: len(changes)}
        async with self._database.begin() as unit:
            locked = await unit.tables.lock_many(each for found in tables.values() for each in found)
            own = {table_id for table_id, (table, _) in locked.items() if caller.sees(table.owner_team)}
            known = [
                (key, change, found)
                for key, change in changes
                if (found := [each for each in tables.get(change.about, ()) if each in own])
            ]
            new = await unit.received_events.add([(each, key) for key, _, found in known for each in found])
            await _store(unit, caller, _by_table(known, new))
            await unit.received_events.delete_older(sorted({each for each, _ in new}))
        fresh_keys = {key for _, key in new}
        taken = len({key for key, _, _ in known if key in fresh_keys})
        return {
            EventOutcome.TAKEN: taken,
            EventOutcome.DUPLICATE: len(known) - taken,
            EventOutcome.UNKNOWN_TABLE: len(changes) - len(known),
        }


async def _tables_of(unit: UnitOfWork, changes: Sequence[TableChange]) -> Mapping[Location | str, Sequence[TableId]]:
    """Return the registered tables that changes are about: one query for all locations, one for each address."""
    objects = {each.about for each in changes if isinstance(each.about, Location)}
    found: dict[Location | str, Sequence[TableId]] = {}
    if objects:
        nearest = await unit.locations.find(sorted(objects, key=str))
        found |= {each: ids[:_MOST_TABLES] for each, ids in nearest.items()}
    for text in {each.about for each in changes if isinstance(each.about, str)}:
        table_id = await _named(unit, text)
        found |= {} if table_id is None else {text: [table_id]}
    return found


async def _named(unit: UnitOfWork, text: str) -> TableId | None:
    if not is_address(text):
        return TableId(text)
    try:
        table = await unit.tables.find(parse_address(text))
    except ValueError:
        return None
    return None if table is None else table.id


def _by_table(
    known: Iterable[tuple[str, TableChange, Sequence[TableId]]], new: set[tuple[TableId, str]]
) -> Mapping[TableId, Sequence[TableChange]]:
    """Return the changes of each table that were not known, each event once."""
    found, left = dict[TableId, list[TableChange]](), set(new)
    for key, change, table_ids in known:
        for table_id in table_ids:
            if (table_id, key) in left:
                left.remove((table_id, key))
                found.setdefault(table_id, []).append(change)
    return found


async def _store(unit: UnitOfWork, caller: Caller, changes: Mapping[TableId, Sequence[TableChange]]) -> None:
    for table_id in sorted(changes):  # in one order: two senders of the same tables must not deadlock
        await unit.signals.append(table_id, joined(changes[table_id]), caller.subject)
        await unit.watches.wake(table_id, evaluate=False)
