"""Commits of rewrites to a loaded table, as `formats.base.TableCommits`: each call delegates to its module."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.formats.base import (
    CommitDefaults,
    CommitOutcome,
    CommitRequest,
    CommittedBatch,
    Verification,
    WrittenGroup,
)
from engine.formats.intake.guards import Reading, reads
from engine.formats.paimon.catalog.locks import TableLock
from engine.formats.paimon.removal.outputs import list_run_files, remove_run_files
from engine.formats.paimon.rewrite.commits import Committer, find_commits, lost_groups
from engine.formats.paimon.rewrite.core import CoreCalls, reached
from engine.formats.paimon.rewrite.proofs import verify_snapshot
from engine.formats.paimon.rewrite.stores import core_storage
from engine.formats.paimon.view import TableView


@dataclass(frozen=True, slots=True)
class TableCommits(CommitDefaults):
    """Commits to the table of a view through the core, on what `fresh` loads.

    `properties` are those of the catalog for access to the store, `lock` is that of the catalog.
    """

    view: TableView
    properties: Mapping[str, str]
    core: CoreCalls | None
    fresh: Callable[[], TableView]
    lock: TableLock | None
    reading: Reading

    @reads("read the manifests of")
    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit a batch through the core; see `formats.base.TableCommits.commit`."""
        storage = core_storage(self.view.files.location, self.properties)
        core = reached(self.core)
        committer = Committer(core=core, fresh=self.fresh, storage=storage, uuid=self.view.uuid, lock=self.lock)
        return committer.commit(request, before_try=before_try)

    @reads("read the manifests of")
    def lost(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:  # noqa: ARG002
        """Return the reasons, by ordinal, why groups planned on a base can no longer be committed in this view."""
        return lost_groups(self.view, base_snapshot_id, groups)

    @reads("read the snapshots of")
    def find(self, run_id: str) -> Sequence[CommittedBatch]:
        """Return all snapshots of this run that have not expired."""
        return find_commits(self.fresh().every_snapshot(), run_id)

    @reads("read the manifests of")
    def prove(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        """Verify a snapshot committed by Packhouse from the table's present metadata."""
        return verify_snapshot(self.fresh(), snapshot_id, groups)

    @reads("list the files of")
    def list_outputs(self, run_id: str) -> Sequence[str]:
        """Return the paths of all files of this run, recognized by name."""
        return list_run_files(self.fresh(), run_id)

    @reads("list the files of")
    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:  # noqa: ARG002
        """Delete files written by this run's attempts up to `up_to_attempt`, except `keep` and referenced ones.

        Manifests of commits that did not happen are left: the core has removed them, or they are orphans.
        """
        return remove_run_files(self.fresh, run_id, keep=keep, up_to_attempt=up_to_attempt)
