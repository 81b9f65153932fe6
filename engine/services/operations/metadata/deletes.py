"""One attempt at a rewrite of delete files: one snapshot with the same rows, proven against its parent."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.services.operations.metadata.snapshots import Sent, SnapshotAttempt, SnapshotPlan, SnapshotProof
from engine.services.planning.upkeep.snapshot_files import delete_keeper_of, delete_words
from engine.services.planning.wording import count_of


class DeleteAttempt(SnapshotAttempt):
    """One attempt at a rewrite of delete files, an `OperationAttempt`."""

    count_name = "rewritten_delete_files"
    event = "deletes_rewritten"
    nothing = "no delete files could be merged"

    def _plan(self) -> SnapshotPlan:
        plan = delete_keeper_of(self._table).plan_deletes()
        return SnapshotPlan(plan.rewritten, delete_words(plan), plan.document())

    def _send(self, run_id: str, attempt: int, *, before_try: Callable[[], None]) -> Sent:
        keeper = delete_keeper_of(self._table)
        found = keeper.rewrite_deletes(run_id, attempt, before_try=before_try, announce=self._leave_out)
        return Sent(found.snapshot_id, found.left_out)

    def _compare(self, snapshot_id: int) -> SnapshotProof:
        return delete_keeper_of(self._table).prove_deletes(snapshot_id)

    def _remove(self, run_id: str, *, up_to_attempt: int) -> int:
        return delete_keeper_of(self._table).remove_deletes(run_id, up_to_attempt=up_to_attempt)

    def _words(self, result: Mapping[str, Any]) -> str:
        old, new = result["rewritten_delete_files"], result["added_delete_files"]
        return f"{count_of(old, 'delete file')} replaced by {new}; no data file changed"
