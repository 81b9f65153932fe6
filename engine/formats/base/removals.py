"""Removals of files that a table does not need: of expired snapshots, orphans, and copies that rewrites replaced.

A deletion belongs to a run. Its steps can be repeated by another process: what it will delete is stored, in the table's
own storage, before anything is removed from the metadata or from the storage.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

import pyarrow as pa

from engine.domain.runs.removals import CopyRule, OrphanRule, RemovalFigures, RemovalPlan, ReplacedCopy
from engine.formats.base.views import Condition

REMOVED_FILES: Final = pa.schema(
    [
        pa.field("path", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("file_bytes", pa.int64()),  # null: the metadata does not have it
        pa.field("snapshot_id", pa.int64()),  # a snapshot that had the file; null: not of a snapshot
    ]
)
"""Columns of lists of files that are deleted."""


class FileDeletion(Protocol):
    """The deletion of a run's files: `look` and `advance` are repeated until they return False.

    In this order: `is_pending`, `look` if files have to be listed, `record`, `advance`, `prove`, `close`.

    Every call raises `Away`, `CredentialsExpired` or `Transient` if storage or catalog do not answer: begin again with
    `record` then. It raises `NotEligible` if the table forbids to delete files, `TableUnreadable` if the files that
    must stay can't be determined, and `Fatal` if the catalog's pointer went back to older metadata.
    """

    def is_pending(self) -> bool:
        """Return whether something is stored for the run that is not deleted yet."""

    def look(self, before_page: Callable[[int], None], seconds: float) -> bool:
        """List the files of the table for a time; return whether there are more. The last call stores what was found.

        The deletion of files of expired snapshots lists none.

        Args:
            before_page: as `before_batch` of `advance`, for requests that list files.
            seconds: time after which no further request is begun.

        Raises:
            NotEligible: the table forbids to delete files, or has files in other places than its location.
            StateConflict: the listing is incomplete, or contradicts the table's metadata: begin again later.
        """

    def record(self) -> RemovalPlan:
        """Find the files that nothing needs and store their list; a stored list is checked again."""

    def advance(self, before_batch: Callable[[int], None], seconds: float) -> bool:
        """Delete recorded files for a time; return whether there are more.

        Args:
            before_batch: called in the calling thread with the number of requests before they are sent, 0 for files of
                this machine; may wait, or raise to stop.
            seconds: time after which no further request is begun.
        """

    def figures(self) -> RemovalFigures:
        """Return what this object deleted so far, also after an error."""

    def prove(self) -> Sequence[Condition]:
        """Check in the current metadata that nothing needs a file that was deleted."""

    def close(self) -> None:
        """Remove the records that only a repetition needs; the list of deleted files stays."""


class ExpiredRemoval(Protocol):
    """The removal of files that only expired snapshots of a table needed. All calls may block."""

    def preview(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()) -> RemovalPlan:
        """Return which files would be deleted if these snapshots and tags expired now. Nothing is written.

        Args:
            snapshot_ids: the snapshots.
            others: locations of other tables; files below them are left alone.
            tags: names of the tags; in formats whose plans have tags.

        Raises:
            NotEligible: the table forbids to delete files.
        """

    def files(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Find the files that `preview` counts; yield them with the columns `REMOVED_FILES`. Raises as it."""

    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files, with the columns `REMOVED_FILES`; it may have no record.

        Of a run with several attempts a file can be there twice.
        """

    def deletion(self, run_id: str, others: Sequence[str]) -> FileDeletion:
        """Return the deletion of the files that snapshots expired by this run needed; see `SnapshotExpiry.expire`."""


class OrphanRemoval(Protocol):
    """The removal of files in a table's location that nothing refers to. All calls may block."""

    def check(self) -> None:
        """Raise `NotEligible` if the table's metadata forbids to look for orphans."""

    def preview(
        self, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str], before_page: Callable[[int], None]
    ) -> RemovalPlan:
        """List the files of the table; return which would be deleted now. Nothing is written.

        Args:
            rule: which files are orphans.
            others: locations of other tables; files below them are left alone.
            open_runs: ids of live runs; files with these in their names are left alone.
            before_page: called before each request that lists files; may raise to stop.

        Raises:
            NotEligible, StateConflict: as `FileDeletion.look`.
        """

    def deletion(self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> FileDeletion:
        """Return the deletion of orphans by this run; arguments as for `preview`."""


class CopyRemoval(Protocol):
    """The removal of files that rewrites of a table replaced and left where they were. All calls may block."""

    def copies(self) -> Sequence[ReplacedCopy]:
        """Return the copies that rewrites replaced and that are not deleted yet. Lists files.

        Raises:
            NotEligible: files of this kind of store can't be listed.
        """

    def deletion(self, run_id: str, rule: CopyRule, others: Sequence[str]) -> FileDeletion:
        """Return the deletion of replaced copies by this run.

        Its look also makes readers find the files that writers added to a replaced copy. The plan's detail `copies`
        has the numbers of `folders` by what is done with them, and `late`: the number of files `copied`, those `left`
        by reason, and those `overwritten`.

        Args:
            run_id: the run.
            rule: which copies are deleted.
            others: locations of other tables; files below them are left alone.
        """

    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files, with the columns `REMOVED_FILES`."""
