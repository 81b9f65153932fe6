"""Commits of rewrites to a loaded table through Paimon's core, as `formats.base.TableCommits`.

The core refuses a commit that removes a file which is no longer live: so a commit that lost a race, or is sent twice,
changes nothing. Each batch has a commit user of its own: the core drops a second commit of the same user and number
without a word, and with it new work under an old name.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.domain.errors import CommitConflict, Fatal, OutcomeUnknown, PackhouseError, Transient
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
from engine.formats.paimon.catalog.locks import CatalogLock
from engine.formats.paimon.files import ManagedTable, TableFiles
from engine.formats.paimon.removal.outputs import list_run_files, remove_run_files
from engine.formats.paimon.rewrite.commits import (
    ATTEMPT,
    GROUPS,
    RUN_ID,
    USER,
    find_commits,
    gone_groups,
    has_base,
    lost_groups,
)
from engine.formats.paimon.rewrite.conditions import kernel_conditions, native_options
from engine.formats.paimon.rewrite.core import CoreCalls, reached
from engine.formats.paimon.rewrite.heap import COMMIT_HEAP_BYTES
from engine.formats.paimon.rewrite.proofs import verify_snapshot
from engine.formats.paimon.rewrite.publishing import publish, send_to_catalog
from engine.formats.paimon.rewrite.replacements import replacement_of
from engine.formats.paimon.rewrite.stores import core_storage
from engine.formats.paimon.task.commits import COMMITTED, CONFLICT, NOTHING, PREPARED, CommitAnswer, CoreCommit
from engine.formats.paimon.view import TableView

MAX_TRIES: Final = 16
_TRIES_WITHOUT_LOCK: Final = 4
"""Lost races after which the catalog's lock is held while a commit is prepared too: for seconds."""

_IDENTIFIER: Final = 1  # of the only commit of each user


@dataclass(frozen=True, slots=True)
class TableCommits(CommitDefaults):
    """Commits to the table of a view through the core, on what `fresh` loads.

    `lock`: that of the catalog, None if it has none. If
    it is used, or the catalog makes snapshots visible, the core only prepares commits, and they are published here
    (`publishing`).
    """

    view: TableView
    core: CoreCalls | None
    fresh: Callable[[], TableView]
    lock: CatalogLock | None
    reading: Reading

    @reads("read the manifests of")
    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit the groups whose inputs are all live, in one snapshot; see `formats.base.TableCommits.commit`."""
        check_groups(request.groups)
        reached(self.core)
        lock = self.lock if self.lock is not None and self.lock.is_used() else None
        for number in range(1, MAX_TRIES + 1):
            view = self.fresh()
            if view.uuid != self.view.uuid:
                raise CommitConflict(f"{view.ref} was dropped and created again")
            if not has_base(view, request.base_snapshot_id):
                _check_is_new(view, request.base_snapshot_id)
                raise CommitConflict(f"snapshot {request.base_snapshot_id} is not in the table's history any more")
            check_schema(view, request)
            dropped = gone_groups(view, request.groups)
            kept = [group for group in request.groups if group.ordinal not in dropped]
            if not kept:
                return CommitOutcome(None, (), dropped, number)
            made = self._build_commit(view, request, kept)
            if view.files.managed is not None:
                snapshot_id = self._sent_to(view.files.managed, made, view.files, before_try)
            elif lock is None:
                before_try()
                snapshot_id = self._committed(made)
            else:
                is_patient = number > _TRIES_WITHOUT_LOCK
                prepared = replace(made, publishes=False)
                snapshot_id = self._published(prepared, view.files, lock, before_try, is_patient=is_patient)
            if snapshot_id is not None:
                return CommitOutcome(snapshot_id, tuple(each.ordinal for each in kept), dropped, number)
        raise CommitConflict(f"lost {MAX_TRIES} races against other writers in a row; try again when it is quieter")

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

    def _committed(self, made: CoreCommit) -> int | None:
        """Send a commit and return its snapshot, None if another writer won."""
        try:
            answer = CommitAnswer.from_json(reached(self.core).run(made.to_json()))
        except PackhouseError as error:
            raise OutcomeUnknown(f"the commit has no answer: {error.message}") from error
        if answer.outcome == COMMITTED and answer.snapshot_id is not None:
            return answer.snapshot_id
        if answer.outcome == CONFLICT:
            return None
        raise _uncertain(made, answer)  # also if an earlier send of the same batch was committed

    def _published(
        self,
        made: CoreCommit,
        files: TableFiles,
        lock: CatalogLock,
        before_try: Callable[[], None],
        *,
        is_patient: bool,
    ) -> int | None:
        """Prepare a commit, publish it, and return its snapshot; None if another writer won.

        With `is_patient` the lock is held from the beginning, so that no other writer with the lock can win.
        """
        base, answer = (None, None) if is_patient else (files.newest_snapshot(), self._prepared(made))
        if answer is None or answer.outcome == PREPARED:
            with lock.held() as held:
                if answer is None:
                    base = files.newest_snapshot()
                    answer = held.within(lambda: self._prepared(made))
                if answer.outcome == PREPARED and answer.snapshot_id is not None:
                    body = answer.content.encode()
                    is_published = publish(files, held, answer.snapshot_id, body, base=base, before_try=before_try)
                    return answer.snapshot_id if is_published else None
        if answer.outcome == CONFLICT:
            return None
        raise _unprepared(made, answer)

    def _sent_to(
        self, catalog: ManagedTable, made: CoreCommit, files: TableFiles, before_try: Callable[[], None]
    ) -> int | None:
        """Prepare a commit, send it to the catalog, and return its snapshot; None if another writer won."""
        base = files.newest_snapshot()
        answer = self._prepared(replace(made, publishes=False, counts_partitions=True))
        if answer.outcome == PREPARED and answer.snapshot_id is not None:
            is_sent = send_to_catalog(catalog, files, made.user, answer, base=base, before_try=before_try)
            return answer.snapshot_id if is_sent else None
        if answer.outcome == CONFLICT:
            return None
        raise _unprepared(made, answer)

    def _prepared(self, made: CoreCommit) -> CommitAnswer:
        try:
            return CommitAnswer.from_json(reached(self.core).run(made.to_json()))
        except Transient:
            raise
        except PackhouseError as error:
            raise Transient(f"the core could not prepare a commit, nothing was committed: {error.message}") from error

    def _build_commit(self, view: TableView, request: CommitRequest, groups: Sequence[WrittenGroup]) -> CoreCommit:
        ordinals = ",".join(str(each.ordinal) for each in groups)
        core, storage = reached(self.core), core_storage(view.files.location, view.files.storage.properties)
        return CoreCommit(
            table=view.files.location,
            jar=core.jar(),
            heap_bytes=min(COMMIT_HEAP_BYTES, core.heap_limit_bytes),
            user=f"{USER}{request.run_id}-{hashlib.sha256(ordinals.encode()).hexdigest()[:16]}",
            identifier=_IDENTIFIER,
            messages=tuple(each.message for each in groups if each.message),
            replacements=tuple(
                replacement_of(view, each, schema_id=request.schema_id) for each in groups if not each.message
            ),
            properties={RUN_ID: request.run_id, ATTEMPT: str(request.attempt), GROUPS: ordinals},
            base=request.base_snapshot_id,
            storage=dict(storage),
            store_jar=core.store_jar() if storage else "",
        )


def _unprepared(made: CoreCommit, answer: CommitAnswer) -> PackhouseError:
    if answer.outcome == NOTHING:
        return _uncertain(made, answer)
    return Transient(f"the core could not prepare a commit, nothing was committed: {answer.reason}")


def _check_is_new(view: TableView, base: int) -> None:
    """Raise `Transient` if a catalog names a snapshot before the base, or none, while the folder has later ones."""
    named = 0 if view.head is None else view.head.id
    if view.files.managed is not None and named < base <= max(view.files.snapshot_ids(), default=0):
        raise Transient(f"the catalog names snapshot {named} as the newest, and the table's folder has {base} or later")


def _uncertain(made: CoreCommit, answer: CommitAnswer) -> OutcomeUnknown:
    count = made.properties[GROUPS].count(",") + 1
    return OutcomeUnknown(f"the commit of {count} groups has no certain answer: {_reason_of(answer)}")


def _reason_of(answer: CommitAnswer) -> str:
    match answer.outcome:
        case outcome if outcome == NOTHING:
            return "it was sent before"
        case outcome if outcome == COMMITTED:
            return "another writer replaced its snapshot"
        case _:
            return answer.reason


def check_schema(view: TableView, request: CommitRequest) -> None:
    """Check that files with the schema of the plan can be committed: readers evolve their rows.

    Raises:
        CommitConflict: the schema changed since the plan, and with it the options, or a condition of the kernel.
    """
    if view.schema.id == request.schema_id:
        return
    is_by_core = all(each.message for each in request.groups)
    for each in [native_options(view)] if is_by_core else kernel_conditions(view):
        if not each.holds:
            raise CommitConflict(f"the schema is {view.schema.id}, no longer {request.schema_id}: {each.detail}")


def check_groups(groups: Sequence[WrittenGroup]) -> None:
    """Check that every group can be described to the core, and has no more rows than its inputs.

    Raises:
        Fatal: one can't be committed, or would change the table's rows.
    """
    for group in groups:
        before, after = (sum(each.record_count for each in files) for files in (group.inputs, group.outputs))
        if not group.message and not all(each.footer for each in group.outputs):
            raise Fatal(f"group {group.ordinal} has neither a message of Paimon's core nor the footers of its files")
        if after > before or before - after != group.rows_deleted:
            raise Fatal(f"group {group.ordinal}: {before} rows in, {group.rows_deleted} merged, {after} out")
