"""Commit written groups: at most 16 tries of one atomic snapshot, each on a fresh head.

`CommitFailedException` is a definite refusal; the try's manifests are then deleted once the reloaded table does not
contain its snapshot (a proxy may have sent the request twice: then the refusal is for the second, and the commit
succeeded). Every other error leaves the outcome unknown, and nothing is deleted. `Transaction.commit` is not used: it
retries automatically (0.12), without our checks.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.refs import MAIN_BRANCH
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.update import (
    AddSnapshotUpdate,
    AssertCurrentSchemaId,
    AssertRefSnapshotId,
    AssertTableUUID,
    TableRequirement,
    TableUpdate,
)

from engine.domain.errors import CommitConflict, Fatal, OutcomeUnknown, PackhouseError, TableUnreadable
from engine.formats.base import CommitOutcome, CommitRequest, WrittenGroup
from engine.formats.iceberg.commits.conflicts import Surviving, base_of, surviving
from engine.formats.iceberg.commits.parents import forget_old, main_at, protect
from engine.formats.iceberg.commits.producer import SnapshotProducer, StagedSnapshot, discard
from engine.formats.iceberg.errors import reading_table, summary_of, translated
from engine.formats.iceberg.intake.limits import Malformed
from engine.formats.iceberg.manifests.reading import Cache
from engine.formats.iceberg.metadata.views import TableView

MAX_TRIES: Final = 16
_FIRST_WAIT_SECONDS: Final = 0.02
_LONGEST_WAIT_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class _LostTry:
    staged: StagedSnapshot
    surviving: Surviving


@dataclass(frozen=True, slots=True)
class _Change:
    """The updates and requirements that a try sends to the catalog."""

    snapshot_id: int
    requirements: tuple[TableRequirement, ...]
    updates: tuple[TableUpdate, ...]


@dataclass(frozen=True, kw_only=True)
class Committer:
    """Commits to one table through one catalog. `sleep` and `jitter` are arguments so that tests need no time."""

    catalog: Catalog
    load: Callable[[], Table]
    cache: Cache
    uuid: str
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = field(default=random.random)

    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit a batch; see `OpenTable.commit` for the contract."""
        check_rows(request)
        lost: _LostTry | None = None
        for number in range(1, MAX_TRIES + 1):
            view = self._fresh(lost)
            if lost is not None and self._settle(view, lost):
                return _outcome(lost.staged, lost.surviving, number - 1)
            base = base_of(view, request, uuid=self.uuid)
            with reading_table("read the manifests"):
                found = surviving(view, base, request.groups)
            if not found.groups:
                return CommitOutcome(None, (), found.dropped, number)
            try:
                with translated("write the snapshot's metadata"):
                    staged = SnapshotProducer(view, base, request, found).stage()
            except (Malformed, TypeError, ValueError, KeyError, AttributeError) as error:  # caused by foreign content
                raise TableUnreadable(f"Could not write the snapshot's metadata: {summary_of(error)}") from error
            change = self._permitted(view, staged, request, before_try)
            if self._send(view, change):
                return _outcome(staged, found, number)
            lost = _LostTry(staged, found)
            self.sleep(self.jitter() * min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2**number))
        return self._give_up(lost)

    def _fresh(self, lost: _LostTry | None) -> TableView:
        try:
            with reading_table("load the table"):
                return TableView.of(self.load(), self.cache)
        except PackhouseError as error:
            if lost is None:
                raise
            # the catalog refused, but only the table shows that nothing of the try was committed
            raise OutcomeUnknown(f"lost a race and could not read the table after it: {error.message}") from error

    def _settle(self, view: TableView, lost: _LostTry) -> bool:
        """Return whether a refused try was committed after all; if not, delete its metadata files."""
        if view.metadata.snapshot_by_id(lost.staged.snapshot.snapshot_id) is not None:
            return True
        discard(view.io, lost.staged.written)
        return False

    def _permitted(
        self, view: TableView, staged: StagedSnapshot, request: CommitRequest, before_try: Callable[[], None]
    ) -> _Change:
        """Return the change to send. After the permission, sending it is the only step left that can fail."""
        try:
            change = _change(view.metadata, staged.snapshot, request)
            before_try()
        except BaseException:
            discard(view.io, staged.written)
            raise
        return change

    def _send(self, view: TableView, change: _Change) -> bool:
        """Send a change; return True when committed, False on a definite refusal.

        Raises:
            OutcomeUnknown: any other response, or none.
        """
        try:
            self.catalog.commit_table(view.table, change.requirements, change.updates)
        except CommitFailedException:
            return False
        except Exception as error:
            message = f"no certain answer to the commit of snapshot {change.snapshot_id}: {summary_of(error)}"
            raise OutcomeUnknown(message, details={"snapshot_id": change.snapshot_id}) from error
        return True

    def _give_up(self, lost: _LostTry | None) -> CommitOutcome:
        if lost is not None and self._settle(self._fresh(lost), lost):
            return _outcome(lost.staged, lost.surviving, MAX_TRIES)
        raise CommitConflict(
            f"lost {MAX_TRIES} races against other writers in a row; try again when the table is quieter"
        )


def _change(metadata: TableMetadata, snapshot: Snapshot, request: CommitRequest) -> _Change:
    tags = protect(metadata, request.run_id, snapshot.parent_snapshot_id) if request.protects_parent else ()
    requirements = (
        AssertTableUUID(uuid=metadata.table_uuid),
        AssertRefSnapshotId(ref=MAIN_BRANCH, snapshot_id=snapshot.parent_snapshot_id),
        AssertCurrentSchemaId(current_schema_id=metadata.current_schema_id),
    )
    updates = (
        AddSnapshotUpdate(snapshot=snapshot),
        main_at(metadata, snapshot.snapshot_id),
        *forget_old(metadata),
        *tags,
    )
    return _Change(snapshot.snapshot_id, requirements, updates)


def _outcome(staged: StagedSnapshot, found: Surviving, tries: int) -> CommitOutcome:
    committed = tuple(group.ordinal for group in found.groups)
    return CommitOutcome(staged.snapshot.snapshot_id, committed, found.dropped, tries)


def check_rows(request: CommitRequest) -> None:
    """Check that no group loses or gains a row, and that no file is listed twice.

    Raises:
        Fatal: the request would change the table's rows.
    """
    for group in request.groups:
        _check_group(group)
    for kind, paths in (
        ("input", [each.path for group in request.groups for each in group.inputs]),
        ("output", [each.path for group in request.groups for each in group.outputs]),
    ):
        if len(set(paths)) != len(paths):
            raise Fatal(f"the same {kind} file is named twice in one commit")


def _check_group(group: WrittenGroup) -> None:
    removed = sum(each.record_count for each in group.inputs)
    added = sum(each.record_count for each in group.outputs)
    if added != removed - group.rows_deleted or group.rows_deleted < 0:
        counts = f"{removed} rows in, {group.rows_deleted} deleted, {added} out"
        raise Fatal(f"group {group.ordinal} would change the table: {counts}")
    if group.rows_deleted and not any(each.deletes for each in group.inputs):
        raise Fatal(f"group {group.ordinal} lost {group.rows_deleted} rows although no delete file applies to it")
