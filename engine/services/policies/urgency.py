"""Time at which runs become urgent: `schedule.urgent_after` of the table's policy after they began to wait.

The instant is stored with each run, so that SQL can order the queue. It is computed when the run is stored, and again
for live runs when a policy with this setting is written or deleted.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from engine.domain.policies import OFF, PolicyDocument, PolicyScope, ScopedTable, StoredPolicy
from engine.domain.runs.run import Operation, Run
from engine.stores.unit_of_work import UnitOfWork


def urgent_at(run: Run, table: ScopedTable, policies: Sequence[StoredPolicy]) -> datetime | None:
    """Return when a run on this table becomes urgent, None for never; `policies`: weakest first.

    Only rewrites do: a backlog of upkeep must not precede rewrites that have waited for as long.
    """
    if run.operation is not Operation.REWRITE:
        return None
    covering = (each.document for each in reversed(policies) if each.scope.covers(table))
    said = next((patience for document in covering if (patience := _said(document)) is not None), OFF)
    return None if said == OFF else run.due_since + timedelta(seconds=float(said))


async def follow(
    unit: UnitOfWork, scope: PolicyScope, before: PolicyDocument | None, after: PolicyDocument | None
) -> None:
    """Update the urgency of live runs after a write of policies; None stands for no policy.

    Waits for submits that read the former policies; later ones read the new policies.
    """
    if _said(before) == _said(after):
        return
    await unit.tables.lock_covered(scope)
    await follow_all(unit, scope)


async def follow_all(unit: UnitOfWork, scope: PolicyScope) -> None:
    """Update the urgency of live runs on the tables of a scope from the stored policies; locks the tables."""
    async for page in unit.runs.live_covered(scope):
        policies = await unit.policy_coverage.setting_order(each.run.table_id for each in page)
        await unit.runs.set_urgent({each.run.id: urgent_at(each.run, each.table, policies) for each in page})


def _said(document: PolicyDocument | None) -> Any:
    return None if document is None or document.schedule is None else document.schedule.urgent_after
