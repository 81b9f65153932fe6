"""One attempt at a deletion of old copies: of the snapshots, or the folders, whose rows a proven rewrite has as well.

What a table states of the writer of a snapshot or folder is untrusted: a rewrite counts only if the record has its
proof.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from engine.domain.ids import RunId
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.deletions import Announcement
from engine.domain.runs.expiry import Expiry
from engine.domain.runs.removals import RemovalPlan
from engine.domain.runs.run import Run, RunState
from engine.services.operations.metadata.expiry import ExpiryAttempt
from engine.services.operations.metadata.file_removal import FileRemoval
from engine.services.planning.upkeep.copies import copies_words, copy_rule
from engine.services.planning.upkeep.histories import expiry_of, snapshot_expiry_of
from engine.services.runs.ending import AttemptOutcome

_AT_ONCE: Final = 500
_NOT_YET: Final = timedelta(days=36_500)
"""Grace of every copy while the deletion of copies is announced and has not begun: they are watched only."""

_COPIES_WATCHED: Final = timedelta(hours=1)
"""Time after which a run that waits for an acknowledgement looks again for late files in replaced copies."""


class OldCompactionsAttempt(ExpiryAttempt):
    """One attempt at a deletion of old copies, an `OperationAttempt`."""

    _has_snapshots = True

    async def _settle(self) -> None:
        self._has_snapshots = self._table.copy_removal is None
        if self._has_snapshots:
            await super()._settle()

    async def _work(self, policy: EffectivePolicy) -> AttemptOutcome:
        if (removal := self._table.copy_removal) is None:
            return await super()._work(policy)
        self._recheck = _COPIES_WATCHED
        copies = await self._context.formats.read_for_run(self._table.ref, removal.copies)
        proven, failed = await self._proofs_of({each.run_id for each in copies})
        async with self._context.database.read() as unit:
            rule = replace(copy_rule(policy, await unit.now()), proven=proven, failed=failed)
        document = {"grace_seconds": int(rule.grace.total_seconds())}
        announced = Announcement.of(self._attempt.run.request)
        if announced is not None and not announced.may_delete(rule.now):
            rule = replace(rule, grace=_NOT_YET)
        self._removal = FileRemoval(
            context=self._context,
            attempt=self._attempt,
            table=self._table,
            may_send=self._prove_lease,
            step=self._step,
            open_deletion=lambda others: removal.deletion(self._attempt.run.id, rule, others),
        )
        return await self._search_and_delete(policy, document, copies_words, "old copies")

    def _state_without_files(self, plan: RemovalPlan) -> tuple[RunState, str]:
        if plan.details["copies"]["late"]["copied"]:
            return RunState.SUCCEEDED, "committed"
        return super()._state_without_files(plan)

    def _figures(self) -> dict[str, Any]:
        figures = super()._figures()
        if not self._has_snapshots:
            del figures["expired_snapshots"]
        return figures

    def _state(self) -> RunState:
        return RunState.SUCCEEDED if self._removed else super()._state()

    async def _selected(self, policy: EffectivePolicy) -> Expiry:
        """Return the expiry of the old copies, without those whose rewrite the record does not prove."""
        copies = await self._context.formats.read_for_run(self._table.ref, snapshot_expiry_of(self._table).old_copies)
        proven, _ = await self._proofs_of({each.run_id for each in copies})
        async with self._context.database.read() as unit:
            now, needed = await unit.now(), await self._needed(unit)
        operation = self._attempt.run.operation
        return await self._context.formats.read_for_run(
            self._table.ref, expiry_of, self._table, policy, operation, now, needed=needed, proven=proven
        )

    async def _proofs_of(self, run_ids: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the snapshots of these runs of the table that are proven, and those whose proof failed."""
        runs, proven, failed = sorted({RunId(each) for each in run_ids}), set[str](), set[str]()
        for start in range(0, len(runs), _AT_ONCE):
            async with self._context.database.read() as unit:
                found = await unit.runs.get_many(self._attempt.run.table_id, runs[start : start + _AT_ONCE])
            for snapshot_id, is_proven in (proof for run in found for proof in _proofs(run)):
                (proven if is_proven else failed).add(snapshot_id)
        return frozenset(proven), frozenset(failed - proven)


def _proofs(run: Run) -> Iterator[tuple[str, bool]]:
    """Yield the snapshots of a run that it tried to prove, and whether it did."""
    for each in run.result.verifications:
        if each.get("snapshot_id"):
            yield str(each["snapshot_id"]), bool(each.get("ok"))
