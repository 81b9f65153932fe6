"""What a run has to obey: rates while it runs, and the rolling daily byte budget of its table.

The daily budget: what is left, which groups fit, and when there will be room again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.domain.budgets import Budget
from engine.domain.errors import InvalidInput
from engine.domain.fleet import FleetLimits
from engine.domain.ids import TableId
from engine.domain.plans import FileGroup
from engine.domain.policies import EffectivePolicy
from engine.stores.unit_of_work import UnitOfWork

DAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The rates over a run: its table's own, and those that it shares with others. `version` is that of `fleet`."""

    table: Budget
    catalog: str
    fleet: FleetLimits
    version: int

    @property
    def most(self) -> Budget:
        """What the run may move while it is the only one."""
        return self.table.at_most(self.fleet.whole(self.catalog))

    @property
    def fixed(self) -> Budget:
        """What the run may move whatever the others do."""
        return self.table.at_most(self.fleet.share(self.catalog))


async def run_limits(unit: UnitOfWork, catalog: str, policy: EffectivePolicy) -> RunLimits:
    """Return the rates over the runs of a table in this catalog under this policy."""
    fleet = await unit.fleet.get()
    return RunLimits(policy.budget(), catalog, fleet.limits, fleet.version)


@dataclass(slots=True)
class DayBudget:
    """Bytes of input that may still be rewritten now; None is unlimited. `next_at` is when the next part frees up."""

    limit: int | None
    remaining: int | None
    next_at: datetime | None
    deferred: int = 0

    def admit(self, groups: Sequence[FileGroup]) -> tuple[FileGroup, ...]:
        """Return the groups that fit, in order; the others are counted as deferred.

        Raises:
            InvalidInput: a group alone passes the whole day's budget and could never run.
        """
        if self.limit is None or self.remaining is None:
            return tuple(groups)
        admitted = []
        for group in groups:
            if group.input_bytes > self.limit:
                raise InvalidInput(
                    f"limits.bytes_per_day ({self.limit}) is less than one file group ({group.input_bytes} bytes): "
                    "raise it, or lower rewrite.max_group_bytes"
                )
            if group.input_bytes <= self.remaining:
                self.remaining -= group.input_bytes
                admitted.append(group)
            else:
                self.deferred += 1
        return tuple(admitted)


async def day_budget(unit: UnitOfWork, table_id: TableId, policy: EffectivePolicy) -> DayBudget:
    """Return a table's budget for now, from the groups that were rewritten in the last 24 hours."""
    limit = policy.bytes_of("limits.bytes_per_day")
    if limit is None:
        return DayBudget(None, None, None)
    spent = await unit.runs.bytes_rewritten_since(table_id, await unit.now() - DAY)
    oldest = min((at for at, _ in spent), default=await unit.now())
    remaining = max(0, limit - sum(count for _, count in spent))
    return DayBudget(limit, remaining, oldest + DAY)
