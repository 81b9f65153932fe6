"""When runs become urgent: so long after they began to wait as `schedule.urgent_after` of the table's policy says.

The instant is kept with each run, so that the order of the queue is asked in SQL: worked out when the run is stored,
and once more for live runs when a policy that says something about it is written or deleted.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from engine.domain.policies import OFF, PolicyDocument, PolicyScope, ScopedTable, StoredPolicy
from engine.domain.runs.run import Run
from engine.stores.unit_of_work import UnitOfWork


def urgent_at(run: Run, table: ScopedTable, policies: Sequence[StoredPolicy]) -> datetime | None:
    """Return when a run on this table becomes urgent, None for never; `policies`: weakest first."""
    covering = (each.document for each in reversed(policies) if each.scope.covers(table))
    said = next((patience for document in covering if (patience := _said(document)) is not None), OFF)
    return None if said == OFF else run.due_since + timedelta(seconds=float(said))


async def follow(
    unit: UnitOfWork, scope: PolicyScope, before: PolicyDocument | None, after: PolicyDocument | None
) -> None:
    """Let live runs become urgent as the policies say that were just written; None stands for no policy.

    Submits that read the former policies are waited for, those that come read the present ones.
    """
    if _said(before) == _said(after):
        return
    await unit.tables.lock_covered(scope)
    await follow_all(unit, scope)


async def follow_all(unit: UnitOfWork, scope: PolicyScope) -> None:
    """Let the live runs on the tables of a scope become urgent as the stored policies say; the tables are locked."""
    async for page in unit.runs.live_covered(scope):
        policies = await unit.policy_coverage.setting_order(each.run.table_id for each in page)
        await unit.runs.set_urgent({each.run.id: urgent_at(each.run, each.table, policies) for each in page})


def _said(document: PolicyDocument | None) -> Any:
    return None if document is None or document.schedule is None else document.schedule.urgent_after
