"""Commit written groups to the table in batches, determine the actual outcome, and verify each snapshot.

The outcome of a lost answer is never guessed: the table is read, and if the run's snapshot is not there the same batch
is sent again. That is safe because a commit takes effect only while every source file is live: whichever of two sends
lands second changes nothing, and the second finds the snapshot of the first by the run's id. Groups that were sent and
whose outcome is unknown are `Run.unsettled`: the mark is stored before the first request of a batch may leave, so
without the mark nothing was sent. Files of marked groups are never deleted.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

import structlog

from engine.domain.clock import jittered
from engine.domain.errors import (
    Away,
    CommitConflict,
    LeaseLost,
    LockHeld,
    OutcomeUnknown,
    PackhouseError,
    RequestNotServed,
    TakenBack,
    Transient,
)
from engine.domain.runs.drops import DropReason, Loss
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import LostGroup, Place
from engine.domain.runs.run import RunState, StoredGroup
from engine.formats.base import (
    CommitOutcome,
    CommitRequest,
    OpenTable,
    Verification,
    WrittenGroup,
)
from engine.services.operations.attempt_tools import AttemptTools, wait_for_record
from engine.services.operations.mismatches import Mismatches
from engine.services.runs.outcomes import races_so_far, verification_document
from engine.stores.unit_of_work import UnitOfWork
from engine.tracing.spans import traced

_log = structlog.get_logger(__name__)

SENDS = 5
"""Most sends of a batch when answers are lost; then the attempt gives up and the run waits."""

LOOK_PAUSES = (0.1, 0.5, 1.0, 2.0, 4.0)
"""Seconds before each try to read the table after a lost answer."""

COMMITTED = "committed"
"""Kind of the event that a snapshot was verified: progress, which resets the run's failures to zero."""


@dataclass(frozen=True, slots=True)
class WrittenByCall:
    """A group as a procedure wrote it: the files that it replaced, and the result for `GroupStore.mark_written`."""

    inputs: tuple[InputFile, ...]
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """A snapshot of the run, to be recorded with its proof.

    Attributes:
        verification: the proof.
        places: the partition of each of its groups, by ordinal.
        tries: requests until it was committed.
        lost: partitions that lost other groups of the same batch.
        by_call: for the one group of a procedure that commits itself: what is stored of it in the same transaction.
    """

    verification: Verification
    places: Mapping[int, Place]
    tries: int
    lost: frozenset[Place] = frozenset()
    by_call: WrittenByCall | None = None

    @property
    def ordinals(self) -> list[int]:
        """Its groups."""
        return list(self.places)


class Commits:
    """The commits of one attempt. Their proofs are in the result of its run, as soon as they are recorded."""

    def __init__(self, tools: AttemptTools) -> None:
        self._formats, self._clock = tools.formats, tools.clock
        self._attempt, self._open_table, self._step = tools.attempt, tools.open_table, tools.step
        self._mismatches = Mismatches(tools)

    async def commit(self, groups: Sequence[StoredGroup]) -> None:
        """Commit written groups, one snapshot for each base they were planned on; leaves the run in `committing`.

        A table whose commits `are_apart` gets a commit for each group.

        Raises:
            LeaseLost: before anything was sent.
            OutcomeUnknown, Away: the table could not be read after a lost answer; written groups stay written.
            Fatal: a snapshot of the run failed its proof; it was rolled back, or the table is frozen.
        """
        await self._attempt.transition(RunState.COMMITTING, details={"groups": [group.ordinal for group in groups]})
        await self._commit_all(groups)

    async def settle(self, groups: Sequence[StoredGroup]) -> bool:
        """Send batches again that an earlier attempt may have sent and whose outcome is unknown.

        Afterwards no earlier send can take effect: a commit that changes the table invalidates all sends for its state
        before. So no commit of a run lands after the run ended as cancelled or failed. Returns False when there was
        nothing to send.

        Raises: as `commit`.
        """
        sent = [group for group in groups if group.ordinal in self._attempt.run.unsettled]
        await self._commit_all(sent)
        return bool(sent)

    async def _commit_all(self, groups: Sequence[StoredGroup]) -> None:
        by_base: dict[tuple[int, int], list[StoredGroup]] = defaultdict(list)
        for group in groups:
            by_base[int(group.measured["base_snapshot_id"]), int(group.measured["schema_id"])].append(group)
        for (base, schema), batch in sorted(by_base.items(), key=lambda item: item[1][0].ordinal):
            opened = await self._open_table()
            for part in [[group] for group in batch] if opened.commits.are_apart else [batch]:
                await self._commit_batch(base, schema, part, opened)

    async def answer_failed_proofs(self) -> None:
        """Act on a snapshot that failed its proof in an earlier attempt, which ended before it could act.

        Raises:
            Fatal: there was such a snapshot.
            TakenBack: a correct snapshot had been rolled back from outside of Packhouse.
        """
        for document in self._attempt.run.result.verifications:
            if document.get("taken_back"):
                raise _taken_back(document)
            if not document["ok"]:
                await self._mismatches.answer(document)

    async def adopt_found(self, groups: Sequence[StoredGroup]) -> Sequence[StoredGroup]:
        """Verify and record snapshots of this run that contain any of these groups; return the remaining groups.

        Raises:
            Fatal: a snapshot of the run failed its proof.
        """
        table = await self._open_table()
        left = {group.ordinal: group for group in groups}
        for batch in await self._formats.read_for_run(table.ref, table.commits.find, self._attempt.run.id):
            mine = [left.pop(ordinal) for ordinal in batch.groups if ordinal in left]
            if mine:
                _log.info("commit_found", snapshot_id=batch.snapshot_id, groups=len(mine))
                await self._prove(table, batch.snapshot_id, mine, tries=0)
        return list(left.values())

    async def _commit_batch(self, base: int, schema: int, groups: Sequence[StoredGroup], opened: OpenTable) -> None:
        request = CommitRequest(
            run_id=self._attempt.run.id,
            attempt=self._attempt.number,
            base_snapshot_id=base,
            schema_id=schema,
            groups=tuple(_written(group) for group in groups),
            protects_parent=self._protects_parents,
            removes_dangling_deletes=bool(self._attempt.run.setting("rewrite.deletes.remove_dangling", True)),
        )
        self._step("before_commit")
        detail = None
        try:
            outcome = await self._send(request, groups, opened)
        except CommitConflict as error:
            detail = error.message
            outcome = CommitOutcome(None, (), {group.ordinal: Loss.TABLE_CHANGED for group in groups})
        self._step("after_commit")
        by_ordinal = {group.ordinal: group for group in groups}
        if outcome.snapshot_id is not None:
            committed = [by_ordinal[ordinal] for ordinal in outcome.committed]
            lost_places = frozenset(by_ordinal[ordinal].place for ordinal in outcome.dropped)
            table = opened if opened.commits.are_apart else await self._open_table()
            await self._prove(table, outcome.snapshot_id, committed, tries=outcome.tries, lost=lost_places)
        if outcome.dropped:  # by another writer, or by an earlier send whose answer was lost: the table shows which
            lost = await self.adopt_found([by_ordinal[ordinal] for ordinal in outcome.dropped])
            await self.drop_lost([_lost(group, outcome.dropped[group.ordinal]) for group in lost], detail=detail)

    @traced("commit")
    async def _send(self, request: CommitRequest, groups: Sequence[StoredGroup], opened: OpenTable) -> CommitOutcome:
        """Send a batch until its outcome is known; the first time to the `opened` table."""
        permit, last, ordinals = self._permit(groups), "", {group.ordinal for group in groups}
        may_be_sent = not ordinals.isdisjoint(self._attempt.run.unsettled)
        for send in range(1, SENDS + 1):
            try:
                table = opened if send == 1 else await self._open_table()
                return await self._formats.write(table.ref, table.commits.commit, request, before_try=permit)
            except LeaseLost:
                raise
            except OutcomeUnknown as error:
                last = error.message
                _log.warning("commit_outcome_unknown", send=send, error=last)
                await self._attempt.record("commit_unknown", {"send": send, "error": last})
            except CommitConflict:
                raise
            except PackhouseError as error:
                if send == 1:
                    if isinstance(error, RequestNotServed | LockHeld) and not may_be_sent:
                        settled = self._attempt.run.intent.marked_settled(ordinals)
                        await self._attempt.record("commit_refused", {"error": error.message}, intent=settled)
                    raise
                # an earlier send may still land: the outcome stays unknown, independent of this answer
                raise OutcomeUnknown(f"after {send - 1} lost answers: {error.message}") from error
            if not await self._wait_and_look(groups):
                return CommitOutcome(None, ())
        raise OutcomeUnknown(f"{SENDS} commits in a row had no certain answer; the batch is sent again later: {last}")

    def _permit(self, groups: Sequence[StoredGroup]) -> Callable[[], None]:
        """Return the function to call in the committing thread before each try: proves the lease, marks groups as sent.

        It raises `LeaseLost`, or `Transient` when the record does not answer: then nothing may be sent.
        """
        loop, ordinals = asyncio.get_running_loop(), [group.ordinal for group in groups]

        async def prove_and_mark() -> None:
            await self._attempt.check()
            if not self._attempt.run.unsettled.issuperset(ordinals):
                intent = self._attempt.run.intent.marked_sent(ordinals)
                await self._attempt.record("commit_sent", {"groups": ordinals}, intent=intent)

        def permit() -> None:
            self._step("commit_made")
            wait_for_record(prove_and_mark(), loop)
            self._step("commit_marked")

        return permit

    async def _wait_and_look(self, groups: Sequence[StoredGroup]) -> bool:
        """Read the table until it answers; return True when groups must be sent again: their snapshot is missing.

        Raises:
            Away: the catalog or the storage does not answer; another attempt looks when it does, and none has failed.
            OutcomeUnknown: the table can't be read.
        """
        error: PackhouseError = OutcomeUnknown("the table can't be read; the outcome is read from it when it can")
        for pause in LOOK_PAUSES:
            await self._clock.sleep(jittered(pause))
            try:
                left = await self.adopt_found(groups)
            except Away as away:
                error = away
                continue
            except Transient:
                continue
            if len(left) < len(groups):  # the others were dropped by that same commit
                await self.drop_lost([_lost(group, Loss.DROPPED_IN_COMMIT) for group in left])
                return False
            return True
        raise error

    async def drop_lost(self, lost: Sequence[LostGroup], *, detail: str | None = None) -> None:
        """Drop groups that lost a race to another writer: their partitions cool down, their output is waste.

        Raises:
            LeaseLost: another holder advances the run.
        """
        if not lost:
            return
        reasons = {group.ordinal: DropReason.lost(group.reason) for group in lost}
        details: dict[str, Any] = {"reasons": {str(ordinal): str(reason) for ordinal, reason in reasons.items()}}
        if detail is not None:
            details["detail"] = detail
        result = self._attempt.run.result.updated(races=asdict(races_so_far(self._attempt.run, lost)))
        settled = self._attempt.run.intent.marked_settled(reasons)
        async with self._attempt.recording("group_dropped", details, result=result, intent=settled) as unit:
            await unit.groups.mark_dropped(self._attempt.lease, reasons)
            await unit.hot_partitions.lose(self._attempt.lease, lost)

    @traced("proof")
    async def _prove(
        self,
        table: OpenTable,
        snapshot_id: int,
        groups: Sequence[StoredGroup],
        *,
        tries: int,
        lost: frozenset[Place] = frozenset(),
    ) -> None:
        """Verify and record a snapshot; partitions of its groups are no longer hot, unless they lost other groups."""
        verification = await self._formats.read_for_run(
            table.ref, table.commits.prove, snapshot_id, [_written(group) for group in groups]
        )
        if verification.is_overtaken:
            detail = "; ".join(check.detail for check in verification.checks)
            await self.drop_lost([_lost(group, Loss.SOURCE_GONE) for group in groups], detail=detail)
            return
        places = {group.ordinal: group.place for group in groups}
        await self.record(CommitRecord(verification, places, tries, lost))

    async def record(self, record: CommitRecord) -> None:
        """Record a snapshot of the run with its proof.

        Raises:
            Fatal: the proof failed.
            TakenBack: it is correct, but no longer in the history of main.
        """
        document = verification_document(record.verification)
        if record.verification.was_taken_back:
            await self._record_taken_back(record, document)
        if not record.verification.ok:
            await self._record_mismatch(record, document)
        details = {"groups": record.ordinals, "tries": record.tries, "verification": document}
        async with self._recording_proof(record, COMMITTED, details, document) as unit:
            await unit.groups.mark_committed(self._attempt.lease, record.ordinals, record.verification.snapshot_id)
            await unit.hot_partitions.win(self._attempt.lease, set(record.places.values()) - record.lost)
        self._step("verified")

    async def _record_taken_back(self, record: CommitRecord, document: dict[str, Any]) -> NoReturn:
        """Record that a snapshot of the run was rolled back from outside: its groups are not in the table."""
        document["groups"] = record.ordinals
        reasons = dict.fromkeys(record.ordinals, DropReason.ended(TakenBack.code))
        async with self._recording_proof(record, TakenBack.code, document, document) as unit:
            await unit.groups.mark_dropped(self._attempt.lease, reasons)
        self._step("taken_back")
        raise _taken_back(document)

    async def _record_mismatch(self, record: CommitRecord, document: dict[str, Any]) -> NoReturn:
        """Record a failed proof, then roll back or freeze; its groups stay open until that is done."""
        document["groups"] = record.ordinals
        async with self._recording_proof(record, "verification_failed", document, document, is_settled=False):
            pass
        self._step("verified")
        await self._mismatches.answer(document)

    @asynccontextmanager
    async def _recording_proof(
        self,
        record: CommitRecord,
        kind: str,
        details: Mapping[str, Any],
        proof: Mapping[str, Any],
        *,
        is_settled: bool = True,
    ) -> AsyncIterator[UnitOfWork]:
        """Record an event with a proof, in one transaction with the writes of the body."""
        lease = self._attempt.lease
        result = self._attempt.run.result.proven(proof)
        intent = self._attempt.run.intent.marked_settled(record.ordinals if is_settled else ())
        async with self._attempt.recording(
            kind, details, result=result, intent=intent, is_progress=kind == COMMITTED
        ) as unit:
            if record.by_call is not None:
                [ordinal] = record.ordinals
                await unit.groups.replace_inputs(lease, ordinal, record.by_call.inputs)
                await unit.groups.mark_written(lease, record.by_call.result)
            yield unit

    @property
    def _protects_parents(self) -> bool:
        """Return whether parents are kept until the proof: only with verification; costs a commit at the run's end."""
        return bool(self._attempt.run.setting("verification", "metadata") != "metadata")

    async def release_parents(self) -> None:
        """Allow parents of verified snapshots to expire; otherwise the table's next commit releases them."""
        if not self._protects_parents or any(
            _is_wrong(document) for document in self._attempt.run.result.verifications
        ):
            return
        try:
            table = await self._open_table()
            await self._formats.write(table.ref, table.commits.release)
        except PackhouseError as error:
            _log.warning("parents_not_released", error=error.message)


def _is_wrong(document: Mapping[str, Any]) -> bool:
    return not document["ok"] and not document.get("taken_back")


def _taken_back(document: Mapping[str, Any]) -> TakenBack:
    groups = len(document["groups"])
    return TakenBack(
        f"snapshot {document['snapshot_id']} with {groups} groups was committed and proven, and then another "
        "program rolled the table back to an earlier snapshot: this run does not repeat it"
    )


def _lost(group: StoredGroup, reason: Loss) -> LostGroup:
    return LostGroup(group.ordinal, group.place, reason, group.output_bytes)


def _written(group: StoredGroup) -> WrittenGroup:
    return WrittenGroup(
        ordinal=group.ordinal,
        spec_id=group.spec_id,
        partition=group.partition,
        inputs=group.inputs,
        outputs=group.outputs,
        rows_deleted=group.rows_deleted,
        output_spec_id=group.output_spec_id,
        message=str(group.measured.get("message", "")),
    )
