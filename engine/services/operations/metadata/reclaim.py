"""One attempt at a reclamation of storage: an expiry by retention, with the predicted bytes beside the deleted ones.

What keeps deleted rows stored, delete files older than the retention, is rewritten before: by the rule
`maintenance.reclaim`, which makes their partitions due (`planning.due.evaluations`).
"""

from collections.abc import Mapping
from typing import Any

from engine.domain.runs.expiry import ExpiryPlan
from engine.services.operations.metadata.expiry import ExpiryAttempt


class ReclaimAttempt(ExpiryAttempt):
    """One attempt at a reclamation, an `OperationAttempt`."""

    async def _plan_document(self, plan: ExpiryPlan) -> Mapping[str, Any]:
        """Return the plan with the files that it is predicted to delete; that of the first attempt counts."""
        if "removal" in self._attempt.run.plan:
            return {**plan.document(), "removal": self._attempt.run.plan["removal"]}
        predicted = await self._removal.preview(tuple(plan.expired))
        return {**plan.document(), "removal": predicted.document()}

    def _figures(self) -> dict[str, Any]:
        figures, total = super()._figures(), self._attempt.run.plan.get("removal", {}).get("total")
        if total is None or "deleted_files" not in figures:
            return figures
        actual = {"files": figures["deleted_files"], "bytes": figures["deleted_bytes"]}
        return {**figures, "reclaimed": {"predicted": dict(total), "actual": actual}}
