"""Everything that is known of a table at this moment: read from the record, then from the table itself.

Works whatever is broken: without the catalog, for a table that is gone or was made anew, with less then, and saying so.
Explain and the coordinator both go by it, so that what is explained is what happens.
"""

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
        policy, sight = await self._look(caller, record)
        async with self._database.read() as unit:
            facts = await with_policy(unit, record, policy, sight)
        impossible = self._capabilities.of(catalog.format).refusals(policy.values)
        return replace(facts, refusals=(*contradicted(policy), *impossible, *too_small_budget(facts)))

    async def _look(self, caller: Caller, record: RecordFacts) -> tuple[EffectivePolicy, Sight]:
        table, policy = record.table, None
        try:
            observed = await self._observations.observe(caller, table.id)
            policy = observed.policy
            sight = await self._formats.ask(f"table {table.ref}", look, observed.opened, policy, record)
            return policy, replace(sight, health=await self._observations.measure(observed))
        except (Transient, InvalidInput, StateConflict, NotEligible) as error:
            blocked = Sight(blocked=(error.code, error.message))
        if policy is None:
            async with self._database.read() as unit:
                policy = await PolicyReader.effective(unit, table, {})
        return policy, blocked
