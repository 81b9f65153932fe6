"""One attempt at an expiry of snapshots: first in the metadata; then their files, if the policy has `delete_files`.

Snapshots are removed in commits of at most `MOST_AT_ONCE`. Their ids are stored before each is sent, so that the next
attempt counts those that are gone although the answer was lost. A repeated commit has no further effect: what an
attempt does is planned from the table as it is. Files are deleted after the last commit; an attempt that finds files of
an earlier one deletes these first (`file_removal`), and its figures are the sum of both deletions.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from engine.domain.errors import Fatal, OutcomeUnknown
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.deletions import Amounts
from engine.domain.runs.expiry import Expiry, ExpiryPlan, ExpiryRule, Needed
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.removals import RemovalFigures
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.formats.base import Condition
from engine.services.operations.metadata.attempts import MetadataContext, NotAcknowledged
from engine.services.operations.metadata.file_removal import DeletingAttempt, FileRemoval, recorded_removal
from engine.services.planning.upkeep.histories import expiry_of, expiry_words, history_rule, snapshot_expiry_of
from engine.services.planning.upkeep.readers import with_readers
from engine.services.planning.wording import count_of
from engine.services.runs.attempts import Attempt
from engine.services.runs.ending import AttemptOutcome, Ended
from engine.stores.unit_of_work import UnitOfWork
from engine.tracing.spans import span

MOST_AT_ONCE: Final = 1000
_MOST_LIVE: Final = 10_000


class ExpiryAttempt(DeletingAttempt):
    """One attempt at an expiry of snapshots, an `OperationAttempt`."""

    def __init__(self, *, context: MetadataContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        super().__init__(context=context, attempt=attempt, step=step)
        self._expired = attempt.run.result.expired_snapshots
        self._tags = attempt.run.result.expired_tags
        self._removed = recorded_removal(attempt.run.result)
        self._may_arrive = False

    async def _settle(self) -> None:
        """Count the snapshots and tags that an earlier attempt sent for removal and that are gone."""
        self._earlier = RemovalFigures.of(self._attempt.run.result.document)
        self._removal = FileRemoval(
            context=self._context,
            attempt=self._attempt,
            table=self._table,
            may_send=self._prove_lease,
            step=self._step,
        )
        if self._attempt.run.unsettled and not await self._count_gone():
            self._may_arrive = True
            await self._count(0, ())

    async def _work(self, policy: EffectivePolicy) -> AttemptOutcome:
        """Plan, remove snapshots from the metadata and delete their files; return how it ends."""
        rule = history_rule(policy, self._attempt.run.operation)
        if rule.deletes_files and await self._has_earlier_files():
            async with self._removal.paced(policy):
                await self._finish_earlier_deletion(policy)
                plan = await self._expire_and_delete(policy, rule)
        else:
            plan = await self._expire_and_delete(policy, rule)
        return await self._conclude(plan)

    async def _expire_and_delete(self, policy: EffectivePolicy, rule: ExpiryRule) -> ExpiryPlan:
        """Plan, remove snapshots from the metadata and delete their files; return the plan."""
        expiry = await self._selected(policy)
        with span("plan"):
            history = snapshot_expiry_of(self._table)
            plan = await self._context.formats.read_for_run(self._table.ref, history.plan, expiry)
        self._step("planned")
        await self._attempt.check()
        await self._check_plan_acknowledged(policy, plan, rule)
        is_pending = rule.deletes_files and self._attempt.number > 1 and await self._removal.is_pending()
        if plan.count or is_pending:
            await self._begin(policy, await self._plan_document(plan), {"expired": plan.count})
        await self._expire_tags(plan, expiry)
        await self._expire(plan, expiry)
        if rule.deletes_files and (plan.count or is_pending):
            await self._remove_files(policy)
        return plan

    async def _check_plan_acknowledged(self, policy: EffectivePolicy, plan: ExpiryPlan, rule: ExpiryRule) -> None:
        """Check that the run may remove what it plans without a further acknowledgement.

        Files of the expired snapshots are counted only if the snapshots and an upper bound of the bytes do not decide.

        Raises:
            NotAcknowledged: it has to wait for an acknowledgement first.
        """
        count = len(plan.expired)
        all_snapshots = count + sum(plan.kept.values())
        if not rule.deletes_files:
            await self._check_acknowledged(policy, Amounts(count, 0, 0), snapshots=all_snapshots)
            return
        try:
            await self._check_acknowledged(policy, Amounts(count, None, plan.superseded_bytes), snapshots=all_snapshots)
        except NotAcknowledged:  # by an upper bound of the bytes, or as the number of files is not known
            files = (await self._removal.preview(tuple(plan.expired), tuple(plan.tags))).total
            await self._check_acknowledged(policy, Amounts(count, files.files, files.bytes), snapshots=all_snapshots)

    async def _has_earlier_files(self) -> bool:
        """Return whether an earlier attempt announced files that are to be deleted before more snapshots expire.

        While a commit of that attempt may still arrive, they are left for the end: its snapshots are announced again.
        """
        return self._attempt.number > 1 and not self._may_arrive and await self._removal.is_pending()

    async def _finish_earlier_deletion(self, policy: EffectivePolicy) -> None:
        """Delete the files that an earlier attempt announced; close a deletion that it finished and did not close."""
        plan = await self._removal.record()
        if plan.path == self._removed.get("deleted_files_list"):
            await self._removal.close()
        else:
            await self._remove_files(policy)
        self._removal.begin_again()

    async def _plan_document(self, plan: ExpiryPlan) -> Mapping[str, Any]:
        """Return the plan as it is stored."""
        return plan.document()

    async def _selected(self, policy: EffectivePolicy) -> Expiry:
        """Return the expiry: its rule, and what stays regardless."""
        async with self._context.database.read() as unit:
            now, needed = await unit.now(), await self._needed(unit)
            needed = await with_readers(unit, self._attempt.run.table_id, needed)
        operation = self._attempt.run.operation
        return await self._context.formats.read_for_run(
            self._table.ref, expiry_of, self._table, policy, operation, now, needed=needed
        )

    async def _expire(self, plan: ExpiryPlan, expiry: Expiry) -> None:
        """Remove the planned snapshots. Raises `Stopped` if the attempt has to stop before all are gone."""
        ids, history = iter(plan.expired), snapshot_expiry_of(self._table)
        while some := list(islice(ids, MOST_AT_ONCE)):
            await self._attempt.check()
            self._check_may_continue()
            await self._attempt.transition(RunState.COMMITTING, intent=self._intent(some))
            self._step("before_commit")
            deletes_for = self._attempt.run.id if expiry.rule.deletes_files else None
            expire = partial(history.expire, before_try=self._prove_lease, deletes_for=deletes_for)
            try:
                with span("commit"):
                    proof = await self._context.formats.write(self._table.ref, expire, some, expiry)
            except OutcomeUnknown as error:
                await self._read_outcome(error, self._count_gone)
                continue
            self._step("after_commit")
            left = await self._context.formats.read_for_run(self._table.ref, history.retained, some)
            await self._count(len(some) - len(left), proof)

    async def _expire_tags(self, plan: ExpiryPlan, expiry: Expiry) -> None:
        """Remove the planned tags, before the snapshots: what both need is found to be free with the snapshots.

        Raises:
            Stopped: the attempt has to stop before all are gone.
        """
        names, history = iter(plan.tags), snapshot_expiry_of(self._table)
        while some := tuple(islice(names, MOST_AT_ONCE)):
            await self._attempt.check()
            self._check_may_continue()
            intent = RunIntent(table_uuid=self._table.uuid, sent=frozenset({0}), tags=some)
            await self._attempt.transition(RunState.COMMITTING, intent=intent)
            self._step("before_tags")
            deletes_for = self._attempt.run.id if expiry.rule.deletes_files else None
            expire = partial(history.expire_tags, before_try=self._prove_lease, deletes_for=deletes_for)
            try:
                proof = await self._context.formats.write(self._table.ref, expire, some, expiry)
            except OutcomeUnknown as error:
                await self._read_outcome(error, self._count_gone)
                continue
            self._step("after_tags")
            await self._count_tags(some, proof)

    async def _count_gone(self) -> bool:
        """Count the snapshots or tags of a commit without an answer that are gone; return whether any is.

        If none is gone nothing is stored: the commit may still arrive.
        """
        sent, tags = self._attempt.run.intent.snapshots, self._attempt.run.intent.tags
        history = snapshot_expiry_of(self._table)
        if tags:
            if len(await self._context.formats.read_for_run(self._table.ref, history.retained_tags, tags)) == len(tags):
                return False
            await self._count_tags(tags, ())
            return True
        left = await self._context.formats.read_for_run(self._table.ref, history.retained, sent)
        if len(left) == len(sent):
            return False
        gone = Condition("expired_are_gone", True, f"{len(sent) - len(left)} of {len(sent)} are gone")
        await self._count(len(sent) - len(left), [gone])
        return True

    async def _count_tags(self, names: Sequence[str], proof: Sequence[Condition]) -> None:
        """Store how many of the tags are gone, with their proof. Raises as `_count`."""
        history = snapshot_expiry_of(self._table)
        left = await self._context.formats.read_for_run(self._table.ref, history.retained_tags, names)
        self._tags += len(names) - len(left)
        await self._count(0, proof)

    async def _conclude(self, plan: ExpiryPlan) -> Ended:
        """Return the end of a run that did all that it planned."""
        kept = sum(plan.kept.values())
        if not plan.count and not self._expired and not self._tags:
            words = expiry_words(plan, self._attempt.run.operation)
            figures = {"kept_snapshots": kept}
            return Ended(RunState.SKIPPED, "nothing_to_do", words, plan=plan.document(), figures=figures)
        if self._expired or self._tags:
            tags = f" and {count_of(self._tags, 'tag')}" if self._tags else ""
            detail = f"{count_of(self._expired, 'snapshot')}{tags} expired; {self._files_words()}"
            return Ended(RunState.SUCCEEDED, "committed", detail, figures={"kept_snapshots": kept})
        # other commits made every one of them needed
        return Ended(RunState.SUCCEEDED, "committed", "no planned snapshot may expire any more")

    async def _needed(self, unit: UnitOfWork) -> Needed:
        """Return the snapshots that other live runs of the table need: their bases, and all since they began."""
        live = await unit.runs.list_live(self._attempt.run.table_id, _MOST_LIVE)
        others = [run for run in live if run.id != self._attempt.run.id and run.attempt > 0 and not _is_idle(run)]
        since = min((run.created_at for run in others), default=None)
        return Needed(frozenset(each for run in others for each in _bases(run)), since)

    def _intent(self, snapshot_ids: Sequence[int]) -> RunIntent:
        sent = frozenset({0} if snapshot_ids else ())  # see `Run.unsettled`
        return RunIntent(table_uuid=self._table.uuid, sent=sent, snapshots=tuple(snapshot_ids))

    async def _count(self, expired: int, proof: Sequence[Condition]) -> None:
        """Store the snapshots that are gone, with their proof.

        Raises:
            Fatal: a check of the commit failed.
        """
        self._expired += expired
        is_proven = all(each.holds for each in proof)
        if proof:
            self._add_proof(proof)
        result = self._attempt.run.result.updated(**self._figures())
        details = {"snapshots": expired, "ok": is_proven, **({"tags": self._tags} if self._tags else {})}
        documents: dict[str, Any] = {"intent": self._intent(()), "result": result, "is_progress": expired > 0}
        await self._attempt.record("snapshots_expired", details, **documents)
        if self._attempt.run.state is RunState.COMMITTING:
            await self._attempt.transition(RunState.REWRITING)
        if not is_proven:
            failed = "; ".join(f"{each.name}: {each.detail}" for each in proof if not each.holds)
            raise Fatal(f"the expiry of snapshots is not as planned: {failed}")

    def _figures(self) -> dict[str, Any]:
        tags = {"expired_tags": self._tags} if self._tags else {}
        return {"expired_snapshots": self._expired, **tags, **super()._figures()}

    def _state(self) -> RunState:
        return RunState.SUCCEEDED if self._expired or self._tags else RunState.SKIPPED


def _is_idle(run: Run) -> bool:
    """Return whether a run waits for an acknowledgement: it works from no snapshot until then."""
    return run.waiting_for is WaitingFor.ACKNOWLEDGEMENT


def _bases(run: Run) -> Sequence[int]:
    """Return the ids of the snapshots that a run works from."""
    planned = str(run.plan.get("base_snapshot_id") or "")
    return [*run.intent.bases, *([int(planned)] if planned.isdigit() else [])]
