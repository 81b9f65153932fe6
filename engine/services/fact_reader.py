"""Everything that is known of a table at this moment: read from the record, then from the table itself.

Works whatever is broken: without the catalog, for a table that is gone or was made anew, with less then, and saying so.
Explain and the coordinator both go by it, so that what is explained is what happens.
"""

from contextlib import suppress
from dataclasses import replace

from engine.domain.access import Caller
from engine.domain.errors import InvalidInput, NotEligible, StateConflict, Transient
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy
from engine.services.capabilities import CapabilityService
from engine.services.explain_facts import (
    Facts,
    RecordFacts,
    Sight,
    contradicted,
    look,
    read_record,
    too_small_budget,
    with_policy,
)
from engine.services.formats import FormatRegistry
from engine.services.observations import ObservationService
from engine.services.policies import PolicyReader
from engine.services.registered import read_registered
from engine.stores.database import Database


class FactReader:
    """Reads facts of registered tables. Nothing is changed but for the measurement that each look leaves."""

    def __init__(
        self,
        *,
        database: Database,
        formats: FormatRegistry,
        capabilities: CapabilityService,
        observations: ObservationService,
    ) -> None:
        self._database = database
        self._formats = formats
        self._capabilities = capabilities
        self._observations = observations

    async def read(self, caller: Caller, table_id: TableId) -> Facts:
        """Return the facts of a table.

        Raises:
            NotFound: no such table, or none that the caller may see.
        """
        async with self._database.read() as unit:
            table, catalog = await read_registered(unit, table_id, caller)
            record = await read_record(unit, table)
        policy, sight, has_moved = await self._look(caller, record)
        async with self._database.read() as unit:
            if has_moved:  # the look has woken the watch
                record = replace(record, watch=await unit.watches.get(table_id))
            facts = await with_policy(unit, record, policy, sight)
        impossible = self._capabilities.of(catalog.format).refusals(policy.values)
        return replace(facts, refusals=(*contradicted(policy), *impossible, *too_small_budget(facts)))

    async def wake(self, facts: Facts) -> Facts:
        """Let the coordinator evaluate a table at once unless its look is due; return the facts with the new watch."""
        table_id = facts.record.table.id
        with suppress(Transient):
            async with self._database.begin() as unit:
                await unit.watches.wake_early(table_id)
                watch = await unit.watches.get(table_id)
            return replace(facts, record=replace(facts.record, watch=watch))
        return facts

    async def _look(self, caller: Caller, record: RecordFacts) -> tuple[EffectivePolicy, Sight, bool]:
        table, policy, has_moved = record.table, None, False
        try:
            observed = await self._observations.observe(caller, table.id)
            policy, has_moved = observed.policy, observed.has_moved
            sight = await self._formats.ask(table.ref, look, observed.opened, policy, record)
            return policy, replace(sight, health=await self._observations.measure(observed)), has_moved
        except (Transient, InvalidInput, StateConflict, NotEligible) as error:
            blocked = Sight(blocked=(error.code, error.message))
        if policy is None:
            async with self._database.read() as unit:
                policy = await PolicyReader.effective(unit, table, {})
        return policy, blocked, has_moved
