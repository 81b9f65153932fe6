"""One attempt at a rewrite of manifests: one snapshot with the same files, proven against its parent.

A lost answer is resolved by the run's snapshot in the table's history. A commit that arrives after a later one was made
is refused by the catalog, as both name the same parent.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from engine.domain.errors import CommitConflict, LeaseLost, OutcomeUnknown, PackhouseError, TakenBack, Transient
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.run import RunState
from engine.formats.base import IN_HISTORY, ManifestProof
from engine.services.operations.metadata.attempts import MetadataAttempt, MetadataContext
from engine.services.operations.mismatches import Mismatches
from engine.services.planning.upkeep import manifest_keeper_of, manifest_words
from engine.services.planning.wording import many
from engine.services.runs.attempts import Attempt

_ONLY: Final = 0
"""Ordinal of the only part of such a run; see `Run.unsettled`."""


class ManifestAttempt(MetadataAttempt):
    """One attempt at a rewrite of manifests, an `OperationAttempt`."""

    def __init__(self, *, context: MetadataContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        super().__init__(context=context, attempt=attempt, step=step)
        self._result: dict[str, Any] = {}
        self._proofs: list[Mapping[str, Any]] = list(attempt.run.result.verifications)
        self._mismatches = Mismatches(
            database=context.database,
            formats=context.formats,
            attempt=attempt,
            open_table=self._open,
            clock=context.clock,
            step=step,
        )

    async def _settle(self) -> None:
        """Prove the snapshot of an earlier attempt, if the table has it."""
        if self._attempt.run.unsettled:
            found = await self._context.formats.work(self._table.ref, self._table.find_commits, self._attempt.run.id)
            for each in found:
                await self._prove(each.snapshot_id)

    async def _work(self, policy: EffectivePolicy) -> None:
        """Plan, commit, prove and end. Raises `TakenBack` if another program rolled the snapshot back."""
        for document in self._proofs:
            if document.get("taken_back"):
                raise _taken_back(document)
        if self._committed:
            await self._conclude()
            return
        keeper = manifest_keeper_of(self._table)
        plan = await self._context.formats.work(self._table.ref, keeper.plan_manifests)
        self._step("planned")
        await self._attempt.check()
        if not plan.rewritten:
            words = manifest_words(plan)
            await self._end(RunState.SKIPPED, "nothing_to_do", words, plan=plan.document())
            return
        self._go_on()
        await self._begin(policy, plan.document(), {"rewritten_manifests": plan.rewritten})
        snapshot_id = await self._commit()
        self._step("after_commit")
        if snapshot_id is None:
            detail = "no manifests could be merged: their writers use different schemas of entries"
            await self._end(RunState.SUCCEEDED, "nothing_to_do", detail)
            return
        await self._prove(snapshot_id)
        await self._conclude()

    async def _commit(self) -> int | None:
        """Send the snapshot; return its id, None if there was nothing to do."""
        run, keeper = self._attempt.run, manifest_keeper_of(self._table)
        is_open = bool(run.unsettled)  # a request of an earlier attempt may still arrive
        intent = RunIntent(
            table_uuid=self._table.uuid, base_snapshot_id=self._table.head_snapshot_id, sent=frozenset({_ONLY})
        )
        await self._attempt.transition(RunState.COMMITTING, intent=intent)
        self._step("before_commit")
        send = partial(keeper.rewrite_manifests, before_try=self._may_send)
        try:
            found = await self._context.formats.change(self._table.ref, send, run.id, self._attempt.number)
        except (OutcomeUnknown, LeaseLost):
            raise
        except PackhouseError as error:
            if not is_open:
                await self._attempt.record("commit_not_sent", {}, intent=intent.marked_settled({_ONLY}))
            if isinstance(error, CommitConflict):
                raise Transient(error.message) from error
            raise
        if found is None and not is_open:
            await self._attempt.record("commit_not_sent", {}, intent=intent.marked_settled({_ONLY}))
        return found

    async def _prove(self, snapshot_id: int) -> None:
        """Prove a snapshot of this run and store the proof; without one, go back to its parent or freeze the table.

        Raises:
            TakenBack: it is correct, but no longer in the history of main.
            Fatal: the proof failed.
        """
        keeper = manifest_keeper_of(self._table)
        proof = await self._context.formats.work(self._table.ref, keeper.prove_manifests, snapshot_id)
        document = _document(snapshot_id, proof)
        others = [each for each in self._proofs if each.get("snapshot_id") != document["snapshot_id"]]
        self._proofs = [*others, document]
        if proof.figures is not None:
            self._result = dict(proof.figures.document())
        result = self._attempt.run.result.updated(**self._figures())
        details = {"snapshot_id": document["snapshot_id"], "ok": document["ok"], **self._result}
        is_answered = document["ok"] or document["taken_back"]
        intent = self._attempt.run.intent.marked_settled({_ONLY}) if is_answered else self._attempt.run.intent
        kind = TakenBack.code if document["taken_back"] else "manifests_rewritten"
        await self._attempt.record(kind, details, intent=intent, result=result, is_progress=True)
        if document["taken_back"]:
            self._step("taken_back")
            raise _taken_back(document)
        if not document["ok"]:
            await self._mismatches.answer(document)
        if self._attempt.run.state is RunState.COMMITTING:
            await self._attempt.transition(RunState.REWRITING)

    async def _conclude(self) -> None:
        result = self._attempt.run.result.document
        detail = "its snapshot has expired"
        if "rewritten_manifests" in result:
            old, new = result["rewritten_manifests"], result["added_manifests"]
            detail = f"{many(old, 'manifest')} replaced by {new}; no data file changed"
        await self._remove_remains()
        await self._end(RunState.SUCCEEDED, "committed", detail)

    async def _remove_remains(self) -> None:
        """Delete metadata files that killed attempts left, unless a request of one may still arrive."""
        if self._attempt.run.unsettled or self._attempt.number == 1:
            return
        remove = partial(manifest_keeper_of(self._table).remove_manifests, up_to_attempt=self._attempt.number)
        await self._context.formats.work(self._table.ref, remove, self._attempt.run.id)

    @property
    def _committed(self) -> bool:
        return any(each["ok"] for each in self._proofs)

    def _figures(self) -> dict[str, Any]:
        snapshots = [each["snapshot_id"] for each in self._proofs]
        return {**self._result, "verifications": self._proofs, "snapshot_ids": snapshots}

    def _state(self) -> RunState:
        return RunState.SUCCEEDED if self._committed else RunState.SKIPPED


def _document(snapshot_id: int, proof: ManifestProof) -> dict[str, Any]:
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
