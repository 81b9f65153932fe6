"""Rewrites of the manifests and the delete files of a loaded table, as `formats.base.SnapshotRewrite`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.domain.runs.deletes import DeletePlan
from engine.domain.runs.left_out import LeftOut
from engine.domain.runs.manifests import ManifestPlan
from engine.formats.base import RewrittenSnapshot, SnapshotProof
from engine.formats.iceberg.commits.tries import CommitTries
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.outputs import remove_run_files, remove_run_metadata
from engine.formats.iceberg.upkeep.deletes.commits import DeleteRewrite
from engine.formats.iceberg.upkeep.deletes.plans import plan_deletes
from engine.formats.iceberg.upkeep.deletes.positions import DeleteEvidence
from engine.formats.iceberg.upkeep.deletes.proofs import prove_deletes
from engine.formats.iceberg.upkeep.deletes.vector_plans import plan_vectors, with_vectors
from engine.formats.iceberg.upkeep.manifests.commits import ManifestRewrite
from engine.formats.iceberg.upkeep.manifests.evidence import Evidence
from engine.formats.iceberg.upkeep.manifests.plans import plan_manifests
from engine.formats.iceberg.upkeep.manifests.proofs import prove_manifests
from engine.formats.intake.guards import Reading, reads


@dataclass
class TableManifests:
    """Rewrites of manifests: plans are of `view`, proofs of what `fresh` loads."""

    view: TableView
    fresh: Callable[[], TableView]
    tries: Callable[[], CommitTries]
    reading: Reading
    _evidence: Sequence[Evidence] = ()
    """Evidence of the last rewrite: the files that it read and wrote."""

    @reads("read the manifests of")
    def plan(self) -> ManifestPlan:
        """Return what a rewrite would do; see `SnapshotRewrite.plan`."""
        return plan_manifests(self.view)

    def commit(
        self,
        run_id: str,
        attempt: int,
        *,
        before_try: Callable[[], None],
        announce: Callable[[LeftOut], None] = lambda _: None,  # noqa: ARG002 - no manifest is left out
    ) -> RewrittenSnapshot:
        """Merge and split manifests in one snapshot; see `SnapshotRewrite.commit`."""
        rewrite = ManifestRewrite(self.tries(), str(self.view.metadata.table_uuid), run_id, attempt)
        snapshot_id, self._evidence = rewrite.commit(before_try=before_try)
        return RewrittenSnapshot(snapshot_id)

    @reads("read the manifests of")
    def prove(self, snapshot_id: int) -> SnapshotProof:
        """Compare the live files of a snapshot with those of its parent; see `SnapshotRewrite.prove`."""
        return prove_manifests(self.fresh(), snapshot_id, self._evidence)

    @reads("remove files of a run from")
    def remove(self, run_id: str, *, up_to_attempt: int) -> int:
        """Delete unreferenced metadata files of a run; see `SnapshotRewrite.remove`."""
        return remove_run_metadata(self.view, self.fresh, run_id, up_to_attempt=up_to_attempt)


@dataclass(frozen=True)
class TableDeletes:
    """Rewrites of delete files: plans are of `view`, proofs of what `fresh` loads."""

    view: TableView
    fresh: Callable[[], TableView]
    tries: Callable[[], CommitTries]
    reading: Reading
    _evidence: DeleteEvidence = field(default_factory=DeleteEvidence)
    """Evidence of the last rewrites: what they read."""

    @reads("read the manifests of")
    def plan(self) -> DeletePlan:
        """Return what a rewrite would do; see `SnapshotRewrite.plan`."""
        return plan_vectors(self.view) if with_vectors(self.view) else plan_deletes(self.view)

    def commit(
        self,
        run_id: str,
        attempt: int,
        *,
        before_try: Callable[[], None],
        announce: Callable[[LeftOut], None] = lambda _: None,
    ) -> RewrittenSnapshot:
        """Merge delete files, or make and copy vectors, and drop dangling ones in one snapshot.

        See `SnapshotRewrite.commit`.
        """
        uuid = str(self.view.metadata.table_uuid)
        rewrite = DeleteRewrite(self.tries(), uuid, run_id, attempt, announce, self._evidence)
        return rewrite.commit(before_try=before_try)

    @reads("read the delete files of")
    def prove(self, snapshot_id: int) -> SnapshotProof:
        """Compare the deleted rows of a snapshot with those of its parent; see `SnapshotRewrite.prove`."""
        return prove_deletes(self.fresh(), snapshot_id, self._evidence)

    @reads("remove files of a run from")
    def remove(self, run_id: str, *, up_to_attempt: int) -> int:
        """Delete unreferenced delete files and metadata of a run; see `SnapshotRewrite.remove`."""
        files = remove_run_files(self.view, self.fresh, run_id, keep=frozenset(), up_to_attempt=up_to_attempt)
        return files + remove_run_metadata(self.view, self.fresh, run_id, up_to_attempt=up_to_attempt)
