"""One attempt at a purge: the history that a dry run showed goes at once, with its files.

The snapshots to remove are fixed when the run first starts, by the hash of the preview, and stored: what other commits
make removable later stays.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import StateConflict
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.expiry import Expiry, ExpiryPlan
from engine.services.operations.metadata.expiry import ExpiryAttempt
from engine.services.planning.upkeep.histories import snapshot_expiry_of
from engine.services.runs.ending import Ended


class PurgeAttempt(ExpiryAttempt):
    """One attempt at a purge, an `OperationAttempt`."""

    async def _selected(self, policy: EffectivePolicy) -> Expiry:
        """Return the expiry of the snapshots that the preview showed.

        Raises:
            StateConflict: the table changed since the preview, so that other snapshots would be removed.
        """
        expiry, run = await super()._selected(policy), self._attempt.run
        if stored := run.plan.get("snapshot_ids"):
            return replace(expiry, only=frozenset(map(int, stored)))
        plan = await self._context.formats.read_for_run(self._table.ref, snapshot_expiry_of(self._table).plan, expiry)
        if plan.hash(self._table.uuid) != run.request.get("plan_hash"):
            raise StateConflict(changed_words(len(plan.expired)))
        return replace(expiry, only=frozenset(plan.expired))

    async def _plan_document(self, plan: ExpiryPlan) -> Mapping[str, Any]:
        """Return the plan with the ids of all snapshots: another attempt removes these only."""
        ids = self._attempt.run.plan.get("snapshot_ids") or [str(each) for each in plan.expired]
        return {**plan.document(), "snapshot_ids": ids, "plan_hash": self._attempt.run.request.get("plan_hash")}

    async def _conclude(self, plan: ExpiryPlan) -> Ended:
        """Add the purged snapshots and files to the audit log; return the end of the run."""
        run = self._attempt.run
        document = {"run_id": run.id, "requested_by": run.requested_by, "snapshots": self._expired}
        document |= {name: self._removed[name] for name in ("deleted_files", "deleted_bytes") if name in self._removed}
        async with self._attempt.recording("purged", document) as unit:
            await unit.audit.append(SYSTEM, "table.purge", run.table_id, after=document)
        return await super()._conclude(plan)


def changed_words(count: int) -> str:
    """Return the refusal of a purge whose preview is out of date."""
    return (
        f"plan_hash is not that of the purge that would run now ({count} snapshots): the table changed since the dry "
        "run; make a new preview and submit its plan_hash"
    )
