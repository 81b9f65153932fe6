"""Attempts that commit one snapshot with the same rows, proven against its parent: rewrites of manifests and deletes.

A lost answer is resolved by the run's snapshot in the table's history, in the same attempt if it is there. A commit
that arrives after a later one was made is refused by the catalog, as both name the same parent.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from engine.domain.errors import CommitConflict, LeaseLost, OutcomeUnknown, PackhouseError, TakenBack, Transient
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.deletes import DeletePlan
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.left_out import NONE_LEFT_OUT, LeftOut
from engine.domain.runs.manifests import ManifestPlan
from engine.domain.runs.run import RunState
from engine.formats.base import IN_HISTORY, RewrittenSnapshot, SnapshotProof, SnapshotRewrite
from engine.services.operations.metadata.attempts import MetadataAttempt, MetadataContext
from engine.services.operations.mismatches import Mismatches
from engine.services.operations.restored import is_after_restore
from engine.services.planning.upkeep.snapshot_files import (
    delete_rewrite_of,
    delete_words,
    manifest_rewrite_of,
    manifest_words,
)
from engine.services.planning.wording import count_of
from engine.services.runs.attempts import Attempt
from engine.services.runs.ending import AttemptOutcome, Ended
from engine.tracing.spans import span, traced

_ONLY: Final = 0
"""Ordinal of the only part of such a run; see `Run.unsettled`."""


@dataclass(frozen=True, slots=True)
class SnapshotPlan:
    """Plan of a run: the number of files that its snapshot replaces, in words, and as a document."""

    count: int
    words: str
    document: Mapping[str, Any]


class SnapshotAttempt(MetadataAttempt):
    """One attempt at an operation that commits one snapshot, an `OperationAttempt`. Subclasses have the operation.

    `count_name`: name of the planned count in the event of the start. `event`: the event of the committed snapshot.
    `nothing`: the detail of a run that planned files and could replace none of them.
    """

    count_name: str
    event: str
    nothing: str

    def __init__(self, *, context: MetadataContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        super().__init__(context=context, attempt=attempt, step=step)
        self._result: dict[str, Any] = {}
        self._left_out = NONE_LEFT_OUT
        self._proofs: list[Mapping[str, Any]] = list(attempt.run.result.verifications)
        self._mismatches = Mismatches(self._tools)

    @abstractmethod
    def _plan(self) -> SnapshotPlan:
        """Return the plan of the run. Blocks."""

    @abstractmethod
    def _rewrite(self) -> SnapshotRewrite[object]:
        """Return the part of the table that rewrites it. Raises `NotEligible` if its format has none."""

    @abstractmethod
    def _words(self, result: Mapping[str, Any]) -> str:
        """Return a result as a clause."""

    def _leave_out(self, items: LeftOut) -> None:
        """Record the files that a request leaves out, also if its answer is lost."""
        self._left_out = items

    async def _settle(self) -> None:
        """Prove the snapshot of an earlier attempt, if the table has it."""
        if self._attempt.run.unsettled or is_after_restore(self._attempt):
            table = self._table
            found = await self._context.formats.read_for_run(table.ref, table.commits.find, self._attempt.run.id)
            for each in found:
                await self._prove(each.snapshot_id)

    async def _work(self, policy: EffectivePolicy) -> AttemptOutcome:
        """Plan, commit and prove; return how it ends. Raises `TakenBack` if another program rolled it back."""
        for document in self._proofs:
            if document.get("taken_back"):
                raise _taken_back(document)
        if self._committed:
            return await self._conclude()
        with span("plan"):
            plan = await self._context.formats.read_for_run(self._table.ref, self._plan)
        self._step("planned")
        await self._attempt.check()
        if not plan.count:
            return Ended(RunState.SKIPPED, "nothing_to_do", plan.words, plan=plan.document)
        self._check_may_continue()
        await self._begin(policy, plan.document, {self.count_name: plan.count})
        try:
            sent = await self._commit()
        except OutcomeUnknown as unknown:
            await self._read_outcome(unknown, self._has_committed)
            return await self._conclude()
        self._step("after_commit")
        self._left_out = sent.left_out
        if sent.snapshot_id is None:
            return self._outcome_unchanged()
        await self._prove(sent.snapshot_id)
        return await self._conclude()

    async def _has_committed(self) -> bool:
        """Return whether the table has a snapshot of the run, and prove it."""
        await self._settle()
        return self._committed

    def _outcome_unchanged(self) -> Ended:
        """Return the end of a run that planned files and replaced none: failed if an error is the cause for one."""
        detail = "; ".join(filter(None, [self.nothing, self._left_out.describe()]))
        if self._left_out.errors:
            return Ended(RunState.FAILED, "left_out", detail)
        return Ended(RunState.SUCCEEDED, "nothing_to_do", detail)

    @traced("commit")
    async def _commit(self) -> RewrittenSnapshot:
        """Send the snapshot."""
        run = self._attempt.run
        is_open = bool(run.unsettled)  # a request of an earlier attempt may still arrive
        intent = RunIntent(
            table_uuid=self._table.uuid, base_snapshot_id=self._table.head_snapshot_id, sent=frozenset({_ONLY})
        )
        await self._attempt.transition(RunState.COMMITTING, intent=intent)
        self._step("before_commit")
        send = partial(self._rewrite().commit, before_try=self._prove_lease, announce=self._leave_out)
        try:
            found = await self._context.formats.write(self._table.ref, send, run.id, self._attempt.number)
        except (OutcomeUnknown, LeaseLost):
            raise
        except PackhouseError as error:
            if not is_open:
                await self._attempt.record("commit_not_sent", {}, intent=intent.marked_settled({_ONLY}))
            if isinstance(error, CommitConflict):
                raise Transient(error.message) from error
            raise
        if found.snapshot_id is None and not is_open:
            await self._attempt.record("commit_not_sent", {}, intent=intent.marked_settled({_ONLY}))
        return found

    @traced("proof")
    async def _prove(self, snapshot_id: int) -> None:
        """Prove a snapshot of this run and store the proof; without one, go back to its parent or freeze the table.

        Raises:
            TakenBack: it is correct, but no longer in the history of main.
            Fatal: the proof failed.
        """
        proof = await self._context.formats.read_for_run(self._table.ref, self._rewrite().prove, snapshot_id)
        document = _document(snapshot_id, proof)
        others = [each for each in self._proofs if each.get("snapshot_id") != document["snapshot_id"]]
        self._proofs = [*others, document]
        if proof.figures is not None:
            self._result = dict(proof.figures.document())
        result = self._attempt.run.result.updated(**self._figures())
        details = {"snapshot_id": document["snapshot_id"], "ok": document["ok"], **self._result}
        is_answered = document["ok"] or document["taken_back"]
        intent = self._attempt.run.intent.marked_settled({_ONLY}) if is_answered else self._attempt.run.intent
        kind = TakenBack.code if document["taken_back"] else self.event
        await self._attempt.record(kind, details, intent=intent, result=result, is_progress=True)
        if document["taken_back"]:
            self._step("taken_back")
            raise _taken_back(document)
        if not document["ok"]:
            await self._mismatches.answer(document)
        if self._attempt.run.state is RunState.COMMITTING:
            await self._attempt.transition(RunState.REWRITING)

    async def _conclude(self) -> Ended:
        """Remove what killed attempts left; return the end of a run that committed."""
        result = self._attempt.run.result.document
        detail = self._words(result) if self.count_name in result else "its snapshot has expired"
        await self._remove_remains()
        return Ended(RunState.SUCCEEDED, "committed", "; ".join(filter(None, [detail, self._left_out.describe()])))

    async def _remove_remains(self) -> None:
        """Delete files that killed attempts left, unless a request of one may still arrive."""
        if self._attempt.run.unsettled or self._attempt.number == 1:
            return
        remove = partial(self._rewrite().remove, up_to_attempt=self._attempt.number)
        await self._context.formats.read_for_run(self._table.ref, remove, self._attempt.run.id)

    @property
    def _committed(self) -> bool:
        return any(each["ok"] for each in self._proofs)

    def _figures(self) -> dict[str, Any]:
        snapshots = [each["snapshot_id"] for each in self._proofs]
        left_out = {"left_out": self._left_out.document()} if self._left_out.count else {}
        return {**self._result, **left_out, "verifications": self._proofs, "snapshot_ids": snapshots}

    def _state(self) -> RunState:
        return RunState.SUCCEEDED if self._committed else RunState.SKIPPED


def _document(snapshot_id: int, proof: SnapshotProof) -> dict[str, Any]:
    failed = {each.name for each in proof.checks if not each.holds}
    return {
        "snapshot_id": str(snapshot_id),
        "ok": not failed,
        "taken_back": failed == {IN_HISTORY},
        "groups": [_ONLY],
        "checks": [asdict(each) for each in proof.checks],
    }


def _taken_back(document: Mapping[str, Any]) -> TakenBack:
    return TakenBack(
        f"snapshot {document['snapshot_id']} was committed and proven, and then another program rolled the table back "
        "to an earlier snapshot: this run does not repeat it"
    )


class DeleteAttempt(SnapshotAttempt):
    """One attempt at a rewrite of delete files, an `OperationAttempt`."""

    count_name = "rewritten_delete_files"
    event = "deletes_rewritten"
    nothing = "no delete files could be merged"

    def _plan(self) -> SnapshotPlan:
        plan = self._rewrite().plan()
        return SnapshotPlan(plan.rewritten, delete_words(plan), plan.document())

    def _rewrite(self) -> SnapshotRewrite[DeletePlan]:
        return delete_rewrite_of(self._table)

    def _words(self, result: Mapping[str, Any]) -> str:
        old, new = result["rewritten_delete_files"], result["added_delete_files"]
        return f"{count_of(old, 'delete file')} replaced by {new}; no data file changed"


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
