"""Send a new snapshot to the catalog: at most 16 tries, each on a fresh head.

`CommitFailedException` is a refusal; the try's files are deleted once the reloaded table has changed since the try and
does not contain its snapshot. A proxy may have sent the request twice: then the refusal is for the second, and the
commit succeeded. A cache or a replica may answer with the unchanged table: that proves nothing. Every other
error leaves the outcome unknown, and nothing is deleted. `Transaction.commit` is not used: it retries automatically
(0.12), without our checks.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException
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

from engine.domain.clock import doubled
from engine.domain.errors import (
    CommitConflict,
    LockHeld,
    OutcomeUnknown,
    PackhouseError,
    RequestNotServed,
    TableUnreadable,
)
from engine.formats.iceberg.commits.parents import forget_old, main_at
from engine.formats.iceberg.commits.snapshot_files import StagedSnapshot, discard
from engine.formats.iceberg.errors import reading_table, summary_of, translated
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.intake.limits import Malformed

MAX_TRIES: Final = 16
_FIRST_WAIT_SECONDS: Final = 0.02
_LONGEST_WAIT_SECONDS: Final = 1.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Proposal(Generic[T]):
    """The commit that a try proposes on one head, described by `content` for the caller.

    Attributes:
        stage: writes the snapshot's files; None if there is nothing to commit.
        updates: returns the updates to send in addition to the snapshot itself.
    """

    content: T
    stage: Callable[[], StagedSnapshot] | None
    updates: Callable[[StagedSnapshot], tuple[TableUpdate, ...]] = lambda _: ()


@dataclass(frozen=True, slots=True)
class Committed(Generic[T]):
    """The proposal that was committed, and its snapshot; None if there was nothing to commit."""

    content: T
    snapshot: Snapshot | None
    tries: int


@dataclass(frozen=True, slots=True)
class _LostTry(Generic[T]):
    """A try that was refused. `base`: the table on which it was made."""

    staged: StagedSnapshot
    content: T
    base: TableView


@dataclass(frozen=True, slots=True)
class _Change:
    """The updates and requirements that a try sends to the catalog."""

    snapshot_id: int
    requirements: tuple[TableRequirement, ...]
    updates: tuple[TableUpdate, ...]


@dataclass(frozen=True, kw_only=True)
class CommitTries:
    """Commits to one table through one catalog. `sleep` and `jitter` are arguments so that tests need no time."""

    catalog: Catalog
    fresh: Callable[[], TableView]
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = field(default=random.random)

    def commit(self, propose: Callable[[TableView], Proposal[T]], *, before_try: Callable[[], None]) -> Committed[T]:
        """Propose, write and send a snapshot until the catalog accepts one.

        `before_try` is called when only the request remains to be sent, and may raise: the files are then deleted.

        Raises:
            OutcomeUnknown: an answer was lost, or a try was refused although the table did not change.
            CommitConflict: 16 races were lost, or as `propose` raises it.
            TableUnreadable: the metadata can't be read, or has content from which no snapshot can be written.
        """
        lost: list[_LostTry[T]] = []
        for number in range(1, MAX_TRIES + 1):
            view = self._fresh(lost)
            if (found := self._settle(view, lost)) is not None:
                return Committed(found.content, found.staged.snapshot, number - 1)
            with _unknown_after(lost):
                proposal = propose(view)
                staged = None if proposal.stage is None else _staged(proposal.stage)
            if staged is None:
                return Committed(proposal.content, None, number)
            change = self._permitted(view, staged, proposal, before_try)
            if self._send(view, staged, change, lost):
                return Committed(proposal.content, staged.snapshot, number)
            lost.append(_LostTry(staged, proposal.content, view))
            self.sleep(self.jitter() * doubled(_FIRST_WAIT_SECONDS, number, longest=_LONGEST_WAIT_SECONDS))
        return self._give_up(lost)

    def _fresh(self, lost: list[_LostTry[T]]) -> TableView:
        try:
            with reading_table("load the table"):
                return self.fresh()
        except PackhouseError as error:
            if not lost:
                raise
            # the catalog refused, but only the table shows that nothing of the try was committed
            raise OutcomeUnknown(f"lost a race and could not read the table after it: {error.message}") from error

    def _settle(self, view: TableView, lost: list[_LostTry[T]]) -> _LostTry[T] | None:
        """Return the refused try that was committed after all; delete the files of those that certainly were not."""
        for each in list(lost):
            if view.metadata.snapshot_by_id(each.staged.snapshot.snapshot_id) is not None:
                return each
            if _is_later(view, each.base):
                if not view.may_hide_commits:
                    discard(view.io, each.staged.written)
                lost.remove(each)
        return None

    def _permitted(
        self, view: TableView, staged: StagedSnapshot, proposal: Proposal[T], before_try: Callable[[], None]
    ) -> _Change:
        """Return the change to send. After the permission, sending it is the only step left that can fail."""
        try:
            change = _change(view.metadata, staged.snapshot, proposal.updates(staged))
            before_try()
        except BaseException:
            discard(view.io, staged.written)
            raise
        return change

    def _send(self, view: TableView, staged: StagedSnapshot, change: _Change, lost: Sequence[_LostTry[T]]) -> bool:
        """Send a change; return True when committed, False on a definite refusal.

        Raises:
            RequestNotServed, LockHeld: the catalog certainly did not execute the request; the try's files are deleted.
            OutcomeUnknown: any other response, or none; or an earlier try may have been committed.
        """
        view.announce(staged.snapshot)
        try:
            self.catalog.commit_table(view.table, change.requirements, change.updates)
        except CommitFailedException:
            return False
        except (RequestNotServed, LockHeld) as error:
            if isinstance(error, RequestNotServed) and self._is_committed(staged, error):
                return True
            discard(view.io, staged.written)
            if lost:
                raise _unexplained(lost[-1], error.message) from error
            raise
        except Exception as error:
            message = f"no certain answer to the commit of snapshot {change.snapshot_id}: {summary_of(error)}"
            raise OutcomeUnknown(message, details={"snapshot_id": change.snapshot_id}) from error
        return True

    def _is_committed(self, staged: StagedSnapshot, refusal: RequestNotServed) -> bool:
        """Return whether a refused snapshot is in the table: a proxy sent it twice, and the refusal is of the second.

        Raises:
            OutcomeUnknown: the table can't be read now.
        """
        number = staged.snapshot.snapshot_id
        try:
            with reading_table("load the table"):
                return self.fresh().metadata.snapshot_by_id(number) is not None
        except PackhouseError as error:
            message = f"{refusal.message}; and the table can't be read after it: {error.message}"
            raise OutcomeUnknown(message, details={"snapshot_id": number}) from error

    def _give_up(self, lost: list[_LostTry[T]]) -> Committed[T]:
        if (found := self._settle(self._fresh(lost), lost)) is not None:
            return Committed(found.content, found.staged.snapshot, MAX_TRIES)
        if lost:
            raise _unexplained(lost[-1], "it answers with the unchanged table")
        raise CommitConflict(
            f"lost {MAX_TRIES} races against other writers in a row; try again when the table is quieter"
        )


def _is_later(view: TableView, base: TableView) -> bool:
    """Return whether a view is of the same table as another one, and of later metadata."""
    new, old = view.metadata, base.metadata
    return (
        new.table_uuid == old.table_uuid
        and view.table.metadata_location != base.table.metadata_location
        and new.last_updated_ms >= old.last_updated_ms
        and new.next_sequence_number() >= old.next_sequence_number()
    )


@contextmanager
def _unknown_after(lost: Sequence[_LostTry[T]]) -> Iterator[None]:
    """Run a block after tries that were refused: an error in it does not show that none of them was committed.

    Raises:
        OutcomeUnknown: in place of any error of the domain, if there was such a try.
    """
    try:
        yield
    except PackhouseError as error:
        if lost:
            raise _unexplained(lost[-1], error.message) from error
        raise


def _unexplained(lost: _LostTry[T], found: str) -> OutcomeUnknown:
    """Return the error for a refusal by a catalog that shows no other commit as the cause."""
    number = lost.staged.snapshot.snapshot_id
    message = f"the catalog refused the commit of snapshot {number} and shows no commit that came before it: {found}"
    return OutcomeUnknown(message, details={"snapshot_id": number})


def _staged(stage: Callable[[], StagedSnapshot]) -> StagedSnapshot:
    try:
        with translated("write the snapshot's metadata"):
            return stage()
    except (Malformed, ValueError, KeyError) as error:  # caused by foreign content
        raise TableUnreadable(f"Could not write the snapshot's metadata: {summary_of(error)}") from error


def _change(metadata: TableMetadata, snapshot: Snapshot, others: tuple[TableUpdate, ...]) -> _Change:
    requirements = (
        AssertTableUUID(uuid=metadata.table_uuid),
        AssertRefSnapshotId(ref=MAIN_BRANCH, snapshot_id=snapshot.parent_snapshot_id),
        AssertCurrentSchemaId(current_schema_id=metadata.current_schema_id),
    )
    updates = (
        AddSnapshotUpdate(snapshot=snapshot),
        main_at(metadata, snapshot.snapshot_id),
        *forget_old(metadata),
        *others,
    )
    return _Change(snapshot.snapshot_id, requirements, updates)
