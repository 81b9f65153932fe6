"""Limits of a run: rates while it runs, and the rolling daily byte budget of its table.

For the daily budget: the remaining bytes, the groups that fit, and when there will be room again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.fleet.budgets import Budget
from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT
from engine.domain.fleet.limits import FleetLimits
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.plans import Plan
from engine.planning.plans.rewrite_limits import GROUP_SETTING
from engine.planning.predictions.estimates import narrowed
from engine.planning.ranking import most_worth
from engine.stores.unit_of_work import UnitOfWork

DAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The rate limits of a run: its table's own, and those shared with other runs. `version` is that of `fleet`.

    `endpoint_groups`: most file groups of all runs on its Spark endpoint; None: any number.
    """

    table: Budget
    catalog: str
    fleet: FleetLimits
    version: int
    endpoint_groups: int | None = None

    @property
    def counts_tasks(self) -> bool:
        """Whether tasks of all runs together are limited."""
        return self.fleet.parallel_groups is not None or self.endpoint_groups is not None

    @property
    def most(self) -> Budget:
        """The budget of the run while it is the only one."""
        return self.table.at_most(self.fleet.whole(self.catalog))

    @property
    def fixed(self) -> Budget:
        """The budget of the run regardless of other runs."""
        return self.table.at_most(self.fleet.share(self.catalog))


async def run_limits(
    unit: UnitOfWork, catalog: str, policy: EffectivePolicy, *, endpoint: str | None = None
) -> RunLimits:
    """Return the rate limits of runs of a table in this catalog under this policy, on a Spark endpoint."""
    fleet = await unit.fleet.get()
    found = await unit.endpoints.get(endpoint or DEFAULT_ENDPOINT)
    groups = None if found is None else found.parallel_groups
    return RunLimits(policy.budget(), catalog, fleet.limits, fleet.version, groups)


@dataclass(frozen=True, slots=True)
class DayBudget:
    """Input bytes that may still be rewritten now; None is unlimited.

    `next_at` is when the next part of the budget becomes free; `spent` has the bytes of the last 24 hours with times;
    `deferred` is the number of groups of the admitted plan that did not fit.
    """

    limit: int | None
    remaining: int | None
    next_at: datetime | None
    deferred: int = 0
    spent: Sequence[tuple[datetime, int]] = ()

    def free_at(self, count: int) -> datetime | None:
        """Return when `count` bytes fit that do not fit now, if nothing more is rewritten; None for never."""
        left = 0 if self.limit is None else self.limit - sum(spent for _, spent in self.spent)
        for at, spent in sorted(self.spent):
            left += spent
            if left >= count:
                return at + DAY
        return None

    def fit(self, plan: Plan) -> tuple[Plan, int]:
        """Return the most worthwhile part of a plan that fits now, and the number of deferred groups."""
        if self.remaining is None:
            return plan, 0
        fitting = most_worth(plan.groups, self.remaining)
        deferred = len(plan.groups) - len(fitting)
        return (narrowed(plan, fitting), deferred) if deferred else (plan, 0)

    def admit(self, plan: Plan) -> "tuple[Plan, DayBudget]":
        """Return the part of a plan that fits, and the budget with the number of the other groups as `deferred`.

        Raises:
            InvalidInput: a single group exceeds the whole daily budget and could never run.
        """
        largest = max((group.input_bytes for group in plan.groups), default=0)
        if self.limit is not None and largest > self.limit:
            message = f"limits.bytes_per_day ({self.limit}) is less than one file group ({largest} bytes)"
            hint = f"raise it, or lower {GROUP_SETTING}"
            problem = FieldProblem("/policy/limits/bytes_per_day", message, self.limit, hint)
            raise InvalidInput(f"{message}: {hint}", problems=(problem,))
        fitting, deferred = self.fit(plan)
        return fitting, replace(self, deferred=deferred)


async def day_budget(unit: UnitOfWork, table_id: TableId, policy: EffectivePolicy) -> DayBudget:
    """Return a table's present budget, from the groups that were rewritten in the last 24 hours."""
    limit = policy.bytes_of("limits.bytes_per_day")
    if limit is None:
        return DayBudget(None, None, None)
    spent = await unit.runs.bytes_rewritten_since(table_id, await unit.now() - DAY)
    oldest = min((at for at, _ in spent), default=await unit.now())
    remaining = max(0, limit - sum(count for _, count in spent))
    return DayBudget(limit, remaining, oldest + DAY, spent=spent)
