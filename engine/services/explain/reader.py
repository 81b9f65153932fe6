"""Read all facts about a table: from the record, then from the table itself.

Works with fewer facts when the catalog is unavailable or the table is gone or replaced: `Sight.blocked` has the reason.
Explain and the coordinator use the same facts, so that explanations match decisions. The coordinator first takes a
`Glance`, which takes less than half of the queries, and reads everything only for a table that is due.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from engine.domain.access.callers import Caller
from engine.domain.errors import InvalidInput, NotEligible, StateConflict, Transient
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy
from engine.domain.remedies import Statement
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.registered import read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.explain.facts import (
    Facts,
    RecordFacts,
    Sight,
    add_plans,
    contradicted,
    judge,
    read_record,
    too_small_budget,
    with_policy,
)
from engine.services.planning.upkeep.operations import switched_on
from engine.services.planning.upkeep.record import read_upkeep_record
from engine.services.policies.effective import PolicyReader
from engine.services.tables.observations import ObservationService, Observed
from engine.stores.database import Database


@dataclass(frozen=True, slots=True)
class Glance:
    """A table whose rules were judged, without the record's facts about its runs.

    Attributes:
        now: by the clock of the record.
        policy: without the table's own properties when it could not be read.
        sight: the evaluation, the health and other compactors, or what blocked them; no plans.
        seen: the table as read; None when it could not be read.
    """

    now: datetime
    policy: EffectivePolicy
    sight: Sight
    seen: Observed | None


class FactReader:
    """Reads facts of registered tables, and stores a measurement of each table that was read."""

    def __init__(
        self,
        *,
        database: Database,
        formats: TableAccess,
        capabilities: CapabilityService,
        observations: ObservationService,
    ) -> None:
        self._database = database
        self._formats = formats
        self._capabilities = capabilities
        self._observations = observations

    async def glance(self, caller: Caller, table_id: TableId, *, at: datetime | None = None) -> Glance:
        """Return a table with its rules judged at an instant (None: now), and store the measurement.

        Raises:
            NotFound: no such table, or none that the caller may see.
        """
        policy, now = None, at
        try:
            seen = await self._observations.observe(caller, table_id)
            policy = seen.policy
            async with self._database.read() as unit:
                now = at or await unit.now()
                rewritten = await unit.rewrite_histories.committed_partitions(table_id)
                hot = await unit.hot_partitions.at(table_id)
                record = await read_upkeep_record(unit, table_id, switched_on(policy), now=now)
            sight = await self._formats.read(seen.opened.ref, judge, seen.opened, policy, rewritten, hot, record)
            return Glance(now, policy, replace(sight, health=await self._observations.measure(seen)), seen)
        except (Transient, InvalidInput, StateConflict, NotEligible) as error:
            blocked = Sight(blocked=Statement(error.code, error.message, remedy=error.remedy))
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, table_id, caller)
            now = now or await unit.now()
            policy = policy or await PolicyReader.effective(unit, table, {})
        return Glance(now, policy, blocked, None)

    async def measure_load(self, table_id: TableId) -> None:
        """Measure a table during a run, if its writers go by the measurement; see `ObservationService.measure_load`."""
        await self._observations.measure_load(table_id)

    async def read(self, caller: Caller, table_id: TableId, glance: Glance | None = None) -> Facts:
        """Return the facts of a table.

        Args:
            caller: who asks.
            table_id: the table.
            glance: a recent glance at the table; taken again if a run of the table has ended since.

        Raises:
            NotFound: no such table, or none that the caller may see.
        """
        async with self._database.read() as unit:
            table, catalog = await read_registered(unit, table_id, caller)
            record = await read_record(unit, table)
        if glance is None or record.has_ended_since(glance.now):
            glance = await self.glance(caller, table_id, at=record.now)
        policy, sight = glance.policy, await self._with_plans(glance, record)
        async with self._database.read() as unit:
            if glance.seen is not None and glance.seen.has_moved:  # reading the table has woken the watch
                record = replace(record, watch=await unit.watches.get(table_id))
            facts = await with_policy(unit, record, policy, sight)
        impossible = self._capabilities.of(catalog.format).refusals(policy.values, policy.origins)
        return replace(facts, refusals=(*contradicted(policy), *impossible, *too_small_budget(facts)))

    async def wake(self, facts: Facts) -> Facts:
        """Make the coordinator evaluate a table at once unless that is due; return the facts with the new watch."""
        table_id = facts.record.table.id
        with suppress(Transient):
            async with self._database.begin() as unit:
                await unit.watches.wake_early(table_id)
                watch = await unit.watches.get(table_id)
            return replace(facts, record=replace(facts.record, watch=watch))
        return facts

    async def _with_plans(self, glance: Glance, record: RecordFacts) -> Sight:
        if glance.seen is None:
            return glance.sight
        opened = glance.seen.opened
        try:
            return await self._formats.read(opened.ref, add_plans, opened, glance.policy, record, glance.sight)
        except (Transient, InvalidInput, StateConflict, NotEligible) as error:
            return Sight(blocked=Statement(error.code, error.message, remedy=error.remedy))
