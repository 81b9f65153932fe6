"""A loaded table whose partitions can be rewritten, as `formats.base.OpenTable`."""

from collections.abc import Callable, Mapping, Sequence

from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.keys import DeclaredKey
from engine.formats.base import (
    CommitOutcome,
    CommitRequest,
    CommittedBatch,
    Condition,
    GroupSettings,
    RollBack,
    Verification,
    WrittenGroup,
)
from engine.formats.hive.removal.outputs import list_run_files, remove_run_files
from engine.formats.hive.removal.tables import TableCopyRemoval
from engine.formats.hive.rewrite.keys import key_condition
from engine.formats.hive.rewrite.proofs import find_commits, verify_commit
from engine.formats.hive.rewrite.returns import roll_back
from engine.formats.hive.rewrite.swaps import commit_groups, lost_groups
from engine.formats.hive.rewrite.tasks import kernel_task
from engine.formats.hive.table import HiveTable
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.locations import HiveWriteGuide
from engine.formats.intake.guards import reads
from engine.planning.plans.groupings import WholePartitions
from engine.rewriting.kernel.contract import EngineTask


class RewritableHiveTable(HiveTable):
    """A loaded table; `fresh` loads it again. Changes of a partition need no base: they depend on its files alone."""

    def __init__(self, view: TableView, fresh: Callable[[], TableView]) -> None:
        super().__init__(view)
        self._fresh = fresh

    @property
    def commits_apart(self) -> bool:
        """True: each partition is an entry of its own in the Metastore."""
        return True

    @property
    def copy_removal(self) -> TableCopyRemoval:
        """The removal of the folders that rewrites replaced."""
        return TableCopyRemoval(self.reading, self.reading, self.task_storage, self._view, self._fresh)

    def kernel_grouping(self) -> WholePartitions:
        """Return groups of whole partitions."""
        return WholePartitions()

    @reads("read the files of")
    def group_task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        """Return the task that merges all files of a partition.

        Raises:
            NotEligible: its files can't be merged.
        """
        return kernel_task(self._view, group, run_id=run_id, attempt=attempt, settings=settings)

    def key_condition(self, key: DeclaredKey) -> Condition:
        """Return the condition that the table has the columns of a key, of types that can be compared."""
        return key_condition(self._view.entry, key)

    def task_storage(self) -> Mapping[str, str]:
        """Return the catalog's properties of file access."""
        return self._view.storage

    @reads("change partitions of")
    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit each partition of a batch; see `formats.base.Committer.commit`."""
        return commit_groups(self._fresh(), request, before_try)

    @reads("list the files of")
    def lost_groups(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:  # noqa: ARG002
        """Return the reasons, by ordinal, why groups can no longer be committed in this view."""
        if schema_id != self.schema_id:
            return {group.ordinal: Loss.TABLE_CHANGED for group in groups}
        digest = self._view.digest
        columns = (digest[name].to_pylist() for name in ("path", "file_bytes", "sequence_number"))
        return lost_groups({path: (size, at) for path, size, at in zip(*columns, strict=True)}, groups)

    @reads("read the partitions of")
    def find_commits(self, run_id: str) -> Sequence[CommittedBatch]:
        """Return the commits of a run that are in place."""
        return find_commits(self._fresh(), run_id)

    @reads("read the partitions of")
    def verify(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        """Verify a commit from the present partitions and their files."""
        return verify_commit(self._fresh(), snapshot_id, groups)

    @reads("change partitions of")
    def roll_back(self, snapshot_id: int) -> RollBack:
        """Give the partition of a commit its previous folder again; see `Committer.roll_back`."""
        return roll_back(self._fresh(), snapshot_id)

    @reads("list the files of")
    def list_outputs(self, run_id: str) -> Sequence[str]:
        """Return the paths of all files of this run, recognized by name."""
        return list_run_files(self._fresh(), run_id)

    @reads("list the files of")
    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:  # noqa: ARG002
        """Delete files written by this run's attempts up to `up_to_attempt`, except `keep` and those of partitions."""
        return remove_run_files(self._fresh, run_id, keep=keep, up_to_attempt=up_to_attempt)

    @property
    def write_guide(self) -> HiveWriteGuide:
        """Folders for files of writers; see `OpenTable.write_guide`."""
        return HiveWriteGuide(self._view, self.reading)
