"""One attempt at a rewrite of manifests: one snapshot with the same files, proven against its parent."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.services.operations.metadata.snapshots import Sent, SnapshotAttempt, SnapshotPlan, SnapshotProof
from engine.services.planning.upkeep.snapshot_files import manifest_keeper_of, manifest_words
from engine.services.planning.wording import count_of


class ManifestAttempt(SnapshotAttempt):
    """One attempt at a rewrite of manifests, an `OperationAttempt`."""

    count_name = "rewritten_manifests"
    event = "manifests_rewritten"
    nothing = "no manifests could be merged: their writers use different schemas of entries"

    def _plan(self) -> SnapshotPlan:
        plan = manifest_keeper_of(self._table).plan_manifests()
        return SnapshotPlan(plan.rewritten, manifest_words(plan), plan.document())

    def _send(self, run_id: str, attempt: int, *, before_try: Callable[[], None]) -> Sent:
        return Sent(manifest_keeper_of(self._table).rewrite_manifests(run_id, attempt, before_try=before_try))

    def _compare(self, snapshot_id: int) -> SnapshotProof:
        return manifest_keeper_of(self._table).prove_manifests(snapshot_id)

    def _remove(self, run_id: str, *, up_to_attempt: int) -> int:
        return manifest_keeper_of(self._table).remove_manifests(run_id, up_to_attempt=up_to_attempt)

    def _words(self, result: Mapping[str, Any]) -> str:
        old, new = result["rewritten_manifests"], result["added_manifests"]
        return f"{count_of(old, 'manifest')} replaced by {new}; no data file changed"
