"""One attempt at a rewrite of delete files: one snapshot with the same rows, proven against its parent."""

from collections.abc import Mapping
from typing import Any

from engine.domain.runs.deletes import DeletePlan
from engine.formats.base import SnapshotRewrite
from engine.services.operations.metadata.snapshots import SnapshotAttempt, SnapshotPlan
from engine.services.planning.upkeep.snapshot_files import delete_rewrite_of, delete_words
from engine.services.planning.wording import count_of


class DeleteAttempt(SnapshotAttempt):
    """One attempt at a rewrite of delete files, an `OperationAttempt`."""

    count_name = "rewritten_delete_files"
    event = "deletes_rewritten"
    nothing = "no delete files could be merged"

    def _plan(self) -> SnapshotPlan:
        plan = self._rewrite().plan()
        return SnapshotPlan(plan.rewritten, delete_words(plan), plan.document())

    def _rewrite(self) -> SnapshotRewrite[DeletePlan]:
        return delete_rewrite_of(self._table)

    def _words(self, result: Mapping[str, Any]) -> str:
        old, new = result["rewritten_delete_files"], result["added_delete_files"]
        return f"{count_of(old, 'delete file')} replaced by {new}; no data file changed"
