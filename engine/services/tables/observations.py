"""Read a table's current metadata, effective policy and health, and store the measurement.

A measurement of a table's health is stored once for each snapshot, so that history, ranking and the fleet's figures
need not read any table. Storing it is a side effect: a busy database fails no read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from pydantic_core import to_jsonable_python

from engine.domain.access.callers import COORDINATOR, SYSTEM, Caller
from engine.domain.clock import Clock
from engine.domain.errors import Rejected, Transient
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy, PolicyDocument
from engine.domain.runs.hot_partitions import Place
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.table import FormatName
from engine.domain.values.instants import Period
from engine.formats.base import OpenTable
from engine.planning.due.evaluations import Evaluation
from engine.planning.due.partition_decisions import PartitionDecisions
from engine.planning.measures.health import TableHealth, health
from engine.planning.ranking import benefit_per_cost, chance_of_commit
from engine.services.catalogs.registered import open_registered, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.planning.due_partitions import evaluate_now
from engine.services.planning.engines import choose_engine
from engine.services.planning.orders import order_health
from engine.services.planning.planner import plan_due
from engine.services.planning.rule_words import due_document
from engine.services.planning.run_statistics import read_statistics
from engine.services.policies.effective import PolicyReader
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

RACES_COUNT_FOR: Final = timedelta(days=7)
"""Time for which groups lost to other writers reduce the worth of a table's rewrite."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A registered table in its observed state.

    Attributes:
        looked_at: the instant before it was loaded.
        has_moved: the catalog's metadata pointer differs from the coordinator's last one, so it evaluates at once.
    """

    table_id: TableId
    format: FormatName
    opened: OpenTable
    policy: EffectivePolicy
    looked_at: datetime
    has_moved: bool = False


class ObservationService:
    """Observes registered tables and stores measurements."""

    def __init__(self, *, database: Database, formats: TableAccess, clock: Clock) -> None:
        self._database = database
        self._formats = formats
        self._clock = clock

    async def observe(self, caller: Caller, table_id: TableId, *, instead: PolicyDocument | None = None) -> Observed:
        """Load a table's current metadata and merge its policy; `instead` replaces its own one.

        Raises:
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        async with self._database.read() as unit:
            table, catalog = await read_registered(unit, table_id, caller)
        looked_at = self._clock.now()
        opened = await open_registered(self._formats, catalog, table)
        properties = await self._formats.read(table.ref, opened.policy_properties)
        await self._keep_locations(table_id, await self._formats.read(table.ref, lambda: opened.data_locations))
        async with self._database.read() as unit:
            policy = await PolicyReader.effective(unit, table, properties, instead)
        has_moved = caller != COORDINATOR and await self._wake_moved(table_id, opened.pointer)
        return Observed(table_id, catalog.format, opened, policy, looked_at, has_moved)

    async def measure(self, seen: Observed) -> TableHealth:
        """Return the health of the table's files and store it.

        Raises:
            Transient: the manifests can't be read.
        """
        small = seen.policy.small_bytes
        large = seen.policy.large_bytes
        row_groups = seen.policy.small_row_group_bytes
        found = await self._formats.read(
            seen.opened.ref,
            lambda: health(
                seen.opened.digest(),
                small_bytes=small,
                large_bytes=large,
                current_spec_id=seen.opened.current_spec_id,
                figures=seen.opened.figures(),
                small_row_group_bytes=row_groups,
            ),
        )
        try:
            await self._keep(seen, found)
        except Transient as error:
            _log.warning("measurement_lost", table_id=seen.table_id, error=error.message)
        return found

    async def evaluate(self, seen: Observed) -> Evaluation:
        """Return the evaluation of every rule of the policy on the table now, as the coordinator uses it.

        Raises:
            Transient: the manifests can't be read.
        """
        async with self._database.read() as unit:
            now = await unit.now()
            rewritten = await unit.rewrite_histories.committed_partitions(seen.table_id)
            hot = await unit.hot_partitions.at(seen.table_id)

        def evaluate() -> Evaluation:
            return evaluate_now(choose_engine(seen.opened, seen.policy), rewritten, now, hot)

        return await self._formats.read(seen.opened.ref, evaluate)

    async def decide(self, seen: Observed, places: Sequence[Place]) -> PartitionDecisions:
        """Return the decision of an automatic run that starts now on each partition.

        `places`: all partitions of the table, in the order of `measures.partitions`.

        Raises:
            InvalidInput: a setting of the policy does not fit the table.
            Transient: the manifests can't be read.
        """
        async with self._database.read() as unit:
            rewritten = await unit.rewrite_histories.committed_partitions(seen.table_id)
            hot = await unit.hot_partitions.at(seen.table_id)
            known = await read_statistics(unit, seen.table_id, catalog=seen.opened.ref.catalog)

        def decide() -> PartitionDecisions:
            chosen = choose_engine(seen.opened, seen.policy)
            evaluation = evaluate_now(chosen, rewritten, hot.now, hot)
            due = plan_due(chosen, evaluation, known, hot)
            if due is None:
                return PartitionDecisions.of(places, evaluation, None, hot)
            return PartitionDecisions.of(places, evaluation, due.plan, hot, full=due.full)

        return await self._formats.read(seen.opened.ref, decide)

    async def measure_again(self, table_id: TableId) -> None:
        """Measure a table after a change and store the result; a table that can't be read is skipped."""
        try:
            await self.measure(await self.observe(SYSTEM, table_id))
        except (Rejected, Transient) as error:
            _log.warning("not_measured", table_id=table_id, error=error.message)

    async def measure_load(self, table_id: TableId) -> None:
        """Measure a table again if its buckets have sorted runs, by which its writers know whether to slow down."""
        async with self._database.read() as unit:
            latest = await unit.measurements.latest(table_id)
        if latest is not None and latest.document.get("fullest_bucket") is not None:
            await self.measure_again(table_id)

    async def health(self, caller: Caller, table_id: TableId) -> Mapping[str, Any]:
        """Measure the current data files: sums, size classes, score and its parts, worst partitions, due rules.

        If the policy orders rows, also the overlap of files, which is not stored, as it needs the bounds of all files.

        Raises:
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        seen = await self.observe(caller, table_id)
        measured = await self.measure(seen)
        described = await self._formats.read(seen.opened.ref, seen.opened.describe)
        order = await self._formats.read(seen.opened.ref, order_health, seen.opened, seen.policy)
        evaluation = await self.evaluate(seen)
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, table_id, caller)
        return {
            "table_id": table_id,
            "measured_at": seen.looked_at,
            "snapshot_id": _text(seen.opened.head_snapshot_id),
            "table": dict(described),
            "freeze": table.freeze,
            "order": order,
            "due": due_document(evaluation, seen.policy),
            **asdict(measured),
        }

    async def health_history(
        self, caller: Caller, table_id: TableId, period: Period, *, before: int | None, limit: int
    ) -> Sequence[Measurement]:
        """Return measurements of a table in a period, newest first, at most `limit`, with ids below `before`."""
        async with self._database.read() as unit:
            await read_registered(unit, table_id, caller)
            return await unit.measurements.list(table_id, before, limit, period)

    async def _keep_locations(self, table_id: TableId, found: Sequence[str]) -> None:
        """Index the table's locations, by which events of stores find it, if they differ from the indexed ones."""
        try:
            async with self._database.read() as unit:
                if await unit.locations.has(table_id, found):
                    return
            async with self._database.begin() as unit:
                if table_id in await unit.tables.lock_many([table_id]):
                    await unit.locations.replace(table_id, found)
        except Transient as error:  # the next look does it
            _log.warning("locations_not_indexed", table_id=table_id, error=error.message)

    async def _wake_moved(self, table_id: TableId, pointer: str) -> bool:
        """Make the coordinator evaluate a table at once if this pointer is new to it; return whether it is."""
        try:
            async with self._database.read() as unit:
                if not await unit.watches.has_moved(table_id, pointer):
                    return False
            async with self._database.begin() as unit:
                await unit.watches.wake_moved(table_id, pointer)
        except Transient as error:  # the next evaluation comes anyway
            _log.warning("not_woken", table_id=table_id, error=error.message)
        return True

    async def _keep(self, seen: Observed, found: TableHealth) -> None:
        async with self._database.read() as unit:
            latest = await unit.measurements.latest(seen.table_id)
            races = await unit.rewrite_histories.races(seen.table_id, await unit.now() - RACES_COUNT_FOR)
        chance = chance_of_commit(committed=races.groups_committed, lost=races.groups_lost)
        measured = _measurement(seen, found, chance)
        if latest is not None and latest.says_the_same(measured):
            return
        async with self._database.begin() as unit:
            await unit.measurements.record(measured)


def _measurement(seen: Observed, found: TableHealth, chance: float) -> Measurement:
    return Measurement(
        table_id=seen.table_id,
        snapshot_id=_text(seen.opened.head_snapshot_id),
        measured_at=seen.looked_at,
        file_count=found.file_count,
        small_file_count=found.small_file_count,
        avoidable_file_count=found.avoidable_file_count,
        total_bytes=found.total_bytes,
        history_bytes=found.metadata.history_bytes,
        score=found.score,
        benefit_per_cost=chance
        * benefit_per_cost(avoidable_files=found.avoidable_file_count, rewritten_bytes=found.avoidable_bytes),
        document=to_jsonable_python(asdict(found)),
    )


def _text(snapshot_id: int | None) -> str | None:
    """Return a snapshot id as text: ids exceed 2^53, where JSON readers lose digits."""
    return None if snapshot_id is None else str(snapshot_id)
