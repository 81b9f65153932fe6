"""Quiet hours and blackouts to come, as instants: of one table, and of all tables that a caller sees.

Only the record is read: no table property sets windows. Tables that the same policies cover are merged once, and tables
with equal windows are one group, so the cost of 10⁴ tables is one pass over their rows; it is cached for some seconds.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.access.grants import VisibleTables
from engine.domain.clock import Clock
from engine.domain.ids import TableId
from engine.domain.policies import (
    FLEET,
    PolicyDocument,
    Windows,
    WindowSpan,
    effective_policy,
)
from engine.services.access.visibility import visible_tables
from engine.services.catalogs.registered import read_registered
from engine.services.policies.due import TableAddress
from engine.services.policies.effective import PolicyReader
from engine.services.policies.index import PolicyIndex
from engine.stores.database import Database
from engine.stores.policies.coverage import CoveredTable

MOST_SHOWN: Final = 1000
"""Most occurrences in an answer on the fleet, those that start first; the rest is counted."""
MOST_EXAMPLES: Final = 3
FRESH_SECONDS: Final = 10.0
_MOST_KEPT: Final = 64
_DECISIVE: Final = ("preset", "quiet_hours", "blackouts")
"""Settings of a policy on which its windows depend."""


@dataclass(frozen=True, slots=True)
class WindowGroup:
    """Tables with equal windows: how many, and some of them."""

    windows: Windows
    table_count: int
    examples: tuple[TableAddress, ...]


@dataclass(frozen=True, slots=True)
class SharedWindow:
    """An occurrence of a window in the policies of `table_count` tables; `examples` are some of them."""

    span: WindowSpan
    table_count: int
    examples: tuple[TableAddress, ...]


@dataclass(frozen=True, slots=True)
class FleetWindows:
    """Occurrences from `since` up to `until`, in order; `omitted_count` more are left out.

    Attributes:
        table_count: tables that the caller sees.
        window_table_count: those of them whose policies have a window at any time.
    """

    since: datetime
    until: datetime
    items: Sequence[SharedWindow]
    omitted_count: int
    table_count: int
    window_table_count: int


@dataclass(frozen=True, slots=True)
class TableWindows:
    """Occurrences of one table's windows from `since` up to `until`, in order."""

    since: datetime
    until: datetime
    items: Sequence[WindowSpan]


@dataclass(frozen=True, slots=True)
class _Groups:
    at: float
    groups: tuple[WindowGroup, ...]
    table_count: int


class WindowService:
    """Shows windows to come; caches the groups of tables by what a caller sees."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._kept: dict[VisibleTables | None, _Groups] = {}

    async def of_table(self, caller: Caller, table_id: TableId, hours: int) -> TableWindows:
        """Return the occurrences of a table's windows in the next hours, those that hold now included.

        Raises:
            NotFound: no such table.
        """
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, table_id, caller)
            policy = await PolicyReader.effective(unit, table, {})
            now = await unit.now()
        until = now + timedelta(hours=hours)
        return TableWindows(now, until, Windows.of(policy).occurrences(now, until))

    async def of_fleet(self, caller: Caller, hours: int) -> FleetWindows:
        """Return the occurrences of the windows of all tables that the caller sees, equal ones together."""
        async with self._database.read() as unit:
            now = await unit.now()
            seen = await visible_tables(unit, caller)
        found = await self._groups(seen)
        until = now + timedelta(hours=hours)
        items = await asyncio.to_thread(_shared, found.groups, now, until)
        return FleetWindows(
            since=now,
            until=until,
            items=items[:MOST_SHOWN],
            omitted_count=max(0, len(items) - MOST_SHOWN),
            table_count=found.table_count,
            window_table_count=sum(group.table_count for group in found.groups),
        )

    async def _groups(self, seen: VisibleTables | None) -> _Groups:
        now = self._clock.monotonic()
        kept = self._kept.get(seen)
        if kept is not None and now - kept.at < FRESH_SECONDS:
            return kept
        grouping = _Grouping()
        async with self._database.read() as unit:
            index = PolicyIndex(await unit.policy_coverage.around(FLEET))
            async for page in unit.policy_coverage.covered(FLEET, seen):
                await asyncio.to_thread(grouping.add, page, index)
        if seen not in self._kept and len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        made = self._kept[seen] = _Groups(now, tuple(grouping.groups()), grouping.table_count)
        return made


class _Grouping:
    """Counts tables by their windows; merges policies once for each combination of them."""

    def __init__(self) -> None:
        self.table_count = 0
        self._by_policies: dict[tuple[tuple[str, ...], str], str] = {}
        self._windows: dict[str, Windows] = {}
        self._counts: defaultdict[str, int] = defaultdict(int)
        self._examples: defaultdict[str, list[TableAddress]] = defaultdict(list)

    def add(self, page: Sequence[CoveredTable], index: PolicyIndex) -> None:
        """Add the tables of a page."""
        for table in page:
            key = self._key(table, index)
            self.table_count += 1
            self._counts[key] += 1
            if len(self._examples[key]) < MOST_EXAMPLES:
                self._examples[key].append(TableAddress(table.id, str(table.ref)))

    def groups(self) -> Iterable[WindowGroup]:
        """Yield the groups of tables that have windows."""
        for key, windows in self._windows.items():
            if not windows.are_none:
                yield WindowGroup(windows, self._counts[key], tuple(self._examples[key]))

    def _key(self, table: CoveredTable, index: PolicyIndex) -> str:
        scoped = index.covering(table)
        decisive = {name: table.own[name] for name in _DECISIVE if table.own and name in table.own}
        own = json.dumps(decisive, sort_keys=True) if decisive else ""  # most own policies differ in other settings
        combination = (tuple(policy.name for policy in scoped), own)
        if combination not in self._by_policies:
            document = PolicyDocument.model_validate_json(own) if own else None
            policy = effective_policy(table_properties={}, scoped=scoped, own=document)
            key = repr((policy.values["quiet_hours"], policy.values["blackouts"]))
            self._by_policies[combination] = key
            self._windows.setdefault(key, Windows.of(policy))
        return self._by_policies[combination]


def _shared(groups: Iterable[WindowGroup], since: datetime, until: datetime) -> list[SharedWindow]:
    """Return the occurrences of all groups in order, equal ones of different groups together."""
    counts: defaultdict[WindowSpan, int] = defaultdict(int)
    examples: defaultdict[WindowSpan, list[TableAddress]] = defaultdict(list)
    for group in groups:
        for span in dict.fromkeys(group.windows.occurrences(since, until)):
            counts[span] += group.table_count
            examples[span] += group.examples
    return [SharedWindow(span, counts[span], tuple(examples[span][:MOST_EXAMPLES])) for span in sorted(counts)]
