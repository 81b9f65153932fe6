"""One attempt at a rewrite of manifests: one snapshot with the same files, proven against its parent."""

from collections.abc import Mapping
from typing import Any

from engine.domain.runs.manifests import ManifestPlan
from engine.formats.base import SnapshotRewrite
from engine.services.operations.metadata.snapshots import SnapshotAttempt, SnapshotPlan
from engine.services.planning.upkeep.snapshot_files import manifest_rewrite_of, manifest_words
from engine.services.planning.wording import count_of


class ManifestAttempt(SnapshotAttempt):
    """One attempt at a rewrite of manifests, an `OperationAttempt`."""

    count_name = "rewritten_manifests"
    event = "manifests_rewritten"
    nothing = "no manifests could be merged: their writers use different schemas of entries"

    def _plan(self) -> SnapshotPlan:
        plan = self._rewrite().plan()
        return SnapshotPlan(plan.rewritten, manifest_words(plan), plan.document())

    def _rewrite(self) -> SnapshotRewrite[ManifestPlan]:
        return manifest_rewrite_of(self._table)

    def _words(self, result: Mapping[str, Any]) -> str:
        old, new = result["rewritten_manifests"], result["added_manifests"]
        return f"{count_of(old, 'manifest')} replaced by {new}; no data file changed"
