"""Delete files of a run, orphans or those of expired snapshots: record them, delete within the request budget, prove.

The lease is proven before requests, at most once a second: a second holder of the run deletes files of the same list,
which nothing needs. A deletion stops for cancels, quiet hours and pauses; another attempt continues with that list.
"""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Fatal
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.deletions import Amounts
from engine.domain.runs.removals import RemovalFigures, RemovalPlan
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import RunState
from engine.domain.values.units import format_bytes
from engine.formats.base import Condition, FileDeletion, OpenTable
from engine.rewriting.kernel.errors import Stopped as Interrupted
from engine.services.catalogs.neighbours import check_alone
from engine.services.catalogs.registered import read_registered
from engine.services.operations.metadata.attempts import (
    AttemptStopped,
    MetadataAttempt,
    MetadataContext,
    NotAcknowledged,
)
from engine.services.operations.metadata.requests import paced_requests
from engine.services.planning.upkeep.histories import expired_removal_of
from engine.services.planning.wording import count_of
from engine.services.runs.announcements import needed_acknowledgement
from engine.services.runs.attempts import Attempt
from engine.services.runs.ending import Ended
from engine.tracing.spans import span

STEP_SECONDS: Final = 60.0
"""Time after which a thread that deletes files is given back."""

PROVEN_SECONDS: Final = 1.0
"""Time for which a proven lease is relied on."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A deletion of files: the list that was recorded, what was deleted, and the proof."""

    plan: RemovalPlan
    figures: RemovalFigures
    proof: Sequence[Condition]

    def document(self) -> Mapping[str, Any]:
        """Return it as it stands in a run's result."""
        details = self.plan.details
        left = {name: details[name] for name in ("unread", "refused") if name in details}
        left_out = {"left_out": details["left_out"]} if "left_out" in details else {}
        return {**self.figures.document(), "deleted_files_list": self.plan.path, "not_deleted": left, **left_out}


def recorded_removal(result: RunResult) -> Mapping[str, Any]:
    """Return the figures of the last deletion that a run's result has; empty without one."""
    names = (*RemovalFigures().document(), "deleted_files_list", "not_deleted", "left_out")
    return {name: result.document[name] for name in names if name in result.document}


class DeletingAttempt(MetadataAttempt):
    """Base of the attempts that delete files: their figures and proofs, as they stand in the run's result."""

    def __init__(self, *, context: MetadataContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        super().__init__(context=context, attempt=attempt, step=step)
        self._proofs: list[Mapping[str, Any]] = list(attempt.run.result.verifications)
        self._removed: Mapping[str, Any] = {}
        self._earlier = RemovalFigures()  # of finished deletions of other files by this run
        self._removal: FileRemoval

    async def _search_and_delete(
        self, policy: EffectivePolicy, rule: Mapping[str, Any], words: Callable[[RemovalPlan], str], what: str
    ) -> Ended:
        """Take the look of the run's `FileRemoval`, and delete what it found; return how the run ends.

        Args:
            policy: the policy of the table.
            rule: which files are searched for, JSON-ready.
            words: returns a plan as a clause.
            what: what the files are.

        Raises:
            AttemptStopped, Fatal: as `_remove_files`.
            NotAcknowledged: as `_check_acknowledged`.
        """
        self._check_may_continue()
        async with self._removal.paced(policy):
            await self._removal.look(policy)
            plan, earlier = await self._removal.record(), self._removal.figures()
            document = {"rule": dict(rule), "removal": plan.document()}
            self._removed = earlier.document() if earlier.total.files else {}
            self._step("planned")
            await self._attempt.check()
            await self._check_acknowledged(policy, Amounts(0, plan.total.files, plan.total.bytes))
            has_files = bool(plan.total.files or self._removed)
            if has_files:
                self._check_may_continue()
                await self._begin(policy, document, {"files": plan.total.files, "bytes": plan.total.bytes})
                await self._remove_files(policy)
        if has_files:
            return Ended(RunState.SUCCEEDED, "committed", f"{what}: {self._files_words()}")
        state, reason = self._state_without_files(plan)
        return Ended(state, reason, words(plan), plan=document)

    async def _check_acknowledged(self, policy: EffectivePolicy, amounts: Amounts, *, snapshots: int = 0) -> None:
        """Check that the run may delete these amounts without a further acknowledgement.

        Args:
            policy: the effective policy of the table.
            amounts: what the run would delete.
            snapshots: the number of snapshots of the table; 0 for an operation that removes none.

        Raises:
            NotAcknowledged: it has to wait for an acknowledgement first.
        """
        run = self._attempt.run
        async with self._context.database.read() as unit:
            measured = await unit.measurements.latest(run.table_id)
            whole = (None, None) if measured is None else (measured.file_count, measured.total_bytes)
            asked = await needed_acknowledgement(unit, run, policy, amounts, Amounts(snapshots, *whole))
        if asked is not None:
            raise NotAcknowledged(asked)

    def _state_without_files(self, plan: RemovalPlan) -> tuple[RunState, str]:  # noqa: ARG002 - others look at it
        """Return the state in which a search without files to delete ends, and the reason."""
        return RunState.SKIPPED, "nothing_to_do"

    async def _remove_files(self, policy: EffectivePolicy) -> None:
        """Delete the files that the run's `FileRemoval` finds, and store what was deleted.

        Raises:
            AttemptStopped: the attempt has to stop before all are deleted.
            Fatal: a deleted file is needed.
        """
        try:
            removed = await self._removal.remove(policy)
        finally:
            self._removed = (self._earlier + self._removal.figures()).document()
        self._earlier += removed.figures
        self._removed = replace(removed, figures=self._earlier).document()
        self._add_proof(removed.proof)
        total, is_proven = removed.figures.total, all(each.holds for each in removed.proof)
        result = self._attempt.run.result.updated(**self._figures())
        details = {"files": total.files, "bytes": total.bytes, "ok": is_proven}
        await self._attempt.record("files_deleted", details, result=result, is_progress=total.files > 0)
        if not is_proven:
            raise Fatal(f"a deleted file is needed: {removed.proof[0].detail}")
        await self._removal.close()

    def _add_proof(self, proof: Sequence[Condition]) -> None:
        is_proven = all(each.holds for each in proof)
        self._proofs.append({"ok": is_proven, "checks": [asdict(each) for each in proof]})

    def _figures(self) -> dict[str, Any]:
        return {"verifications": self._proofs, **self._removed}

    def _files_words(self) -> str:
        """Return a clause about the deleted files."""
        if not self._removed:
            return "their files were not deleted"
        files, size = self._removed["deleted_files"], format_bytes(self._removed["deleted_bytes"])
        failures = self._removed["delete_failures"]
        refused = f", the store refused to delete {count_of(failures, 'file')}" if failures else ""
        return f"{count_of(files, 'file')} of {size} deleted{refused}"


class FileRemoval:
    """The deletion of the files of one attempt's run.

    `may_send` proves the lease and applies requests to stop, in the thread that sends requests; it raises to stop.
    """

    def __init__(
        self,
        *,
        context: MetadataContext,
        attempt: Attempt,
        table: OpenTable,
        may_send: Callable[[], None],
        step: Callable[[str], None],
        open_deletion: Callable[[Sequence[str]], FileDeletion] | None = None,
    ) -> None:
        """Take the run; `open_deletion` returns its deletion (by default that of files of expired snapshots)."""
        self._open_deletion = open_deletion
        self._context = context
        self._attempt = attempt
        self._table = table
        self._prove_lease = may_send
        self._step = step
        self._proven_at = float("-inf")
        self._deletion: FileDeletion | None = None
        self._plan: RemovalPlan | None = None
        self._take: Callable[[int], None] | None = None

    @asynccontextmanager
    async def paced(self, policy: EffectivePolicy) -> AsyncIterator[None]:
        """Apply the request budget to the block, once in an attempt: its end closes the attempt's share."""
        tools = self._context.pacing
        async with paced_requests(tools=tools, attempt=self._attempt, table=self._table, policy=policy) as take:
            self._take = take
            try:
                yield
            finally:
                self._take = None

    async def is_pending(self) -> bool:
        """Return whether files of this run remain to be deleted. Raises as `FileDeletion`."""
        deletion = await self._opened()
        return await self._context.formats.read_for_run(self._table.ref, deletion.is_pending)

    async def preview(self, snapshot_ids: Sequence[int], tags: Sequence[str] = ()) -> RemovalPlan:
        """Return the files that would be deleted if these snapshots and tags expired now. Raises `NotEligible`."""
        await self._check_alone()
        removal = expired_removal_of(self._table)
        return await self._context.formats.read_for_run(self._table.ref, removal.preview, snapshot_ids, (), tags)

    async def look(self, policy: EffectivePolicy) -> None:
        """List the files of the table, for a deletion that finds its files so. Raises as `remove`."""
        await self._repeat((await self._opened()).look, policy, "looking")

    async def record(self) -> RemovalPlan:
        """Find the files to delete and store their list, once. Raises as `remove`."""
        if self._plan is None:
            self._plan = await self._context.formats.read_for_run(self._table.ref, (await self._opened()).record)
        return self._plan

    async def remove(self, policy: EffectivePolicy) -> Removed:
        """Delete the files of the run. Call `close` once the answer is stored.

        Raises:
            AttemptStopped: the attempt has to stop; `figures` has what was deleted.
            NotEligible, TableUnreadable, Fatal, Away, CredentialsExpired, Transient: as `FileDeletion`.
        """
        deletion, plan = await self._opened(), await self.record()
        self._step("files_recorded")
        if plan.total.files:
            await self._repeat(deletion.advance, policy, "deleting_files")
        self._step("files_deleted")
        with span("proof"):
            proof = await self._context.formats.read_for_run(self._table.ref, deletion.prove)
        return Removed(plan, deletion.figures(), proof)

    async def close(self) -> None:
        """Remove the records that only a repetition needs. Raises as `FileDeletion`."""
        await self._context.formats.read_for_run(self._table.ref, (await self._opened()).close)

    def begin_again(self) -> None:
        """Forget a deletion that was closed: the next call begins another one of the same run."""
        self._deletion = self._plan = None

    def figures(self) -> RemovalFigures:
        """Return what the present deletion has deleted so far."""
        return RemovalFigures() if self._deletion is None else self._deletion.figures()

    async def _opened(self) -> FileDeletion:
        if self._deletion is None:
            await self._check_alone()
            if self._open_deletion is not None:
                self._deletion = self._open_deletion(())
            else:
                self._deletion = expired_removal_of(self._table).deletion(self._attempt.run.id, ())
        return self._deletion

    async def _check_alone(self) -> None:
        """Raise `NotEligible` if the table was moved, or another one is registered where it is, below or around it."""
        async with self._context.database.read() as unit:
            registered = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
            await check_alone(unit, *registered, present=self._table.location)

    async def _repeat(
        self, advance: Callable[[Callable[[int], None], float], bool], policy: EffectivePolicy, step: str
    ) -> None:
        """Call a function of the deletion until it returns False, within the request budget."""
        if self._take is None:
            async with self.paced(policy):
                await self._repeat(advance, policy, step)
            return
        self._proven_at, take = float("-inf"), self._take

        def before_batch(requests: int) -> None:
            self._check()
            try:
                take(requests)
            except Interrupted as error:  # a format would report any other error as damage of the table
                raise AttemptStopped from error
            self._check()

        is_left = True
        while is_left:
            self._step(step)
            is_left = await self._context.formats.read_for_run(self._table.ref, advance, before_batch, STEP_SECONDS)

    def _check(self) -> None:
        if self._attempt.stop_reason is not None:
            raise AttemptStopped
        if time.monotonic() - self._proven_at >= PROVEN_SECONDS:
            self._prove_lease()
            self._proven_at = time.monotonic()
