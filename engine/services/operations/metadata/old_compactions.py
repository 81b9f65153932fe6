"""One attempt at a deletion of old copies: an expiry of the snapshots whose rows a proven rewrite has as well.

What a snapshot's summary states of its writer is untrusted: a rewrite counts only if the record has its proof.
"""

from typing import Final

from engine.domain.ids import RunId
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.expiry import Expiry
from engine.domain.runs.run import Run
from engine.services.operations.metadata.expiry import ExpiryAttempt
from engine.services.planning.upkeep.histories import expiry_of, keeper_of

_AT_ONCE: Final = 500


class OldCompactionsAttempt(ExpiryAttempt):
    """One attempt at a deletion of old copies, an `OperationAttempt`."""

    async def _selected(self, policy: EffectivePolicy) -> Expiry:
        """Return the expiry of the old copies, without those whose rewrite the record does not prove."""
        copies = await self._context.formats.work(self._table.ref, keeper_of(self._table).old_copies)
        runs = sorted({RunId(each.run_id) for each in copies})
        proven: set[str] = set()
        for start in range(0, len(runs), _AT_ONCE):
            async with self._context.database.read() as unit:
                found = await unit.runs.get_many(self._attempt.run.table_id, runs[start : start + _AT_ONCE])
            proven |= {snapshot_id for run in found for snapshot_id in _proven(run)}
        async with self._context.database.read() as unit:
            now, needed = await unit.now(), await self._needed(unit)
        operation = self._attempt.run.operation
        return await self._context.formats.work(
            self._table.ref, expiry_of, self._table, policy, operation, now, needed=needed, proven=proven
        )


def _proven(run: Run) -> frozenset[str]:
    """Return the snapshots of a run that it proved."""
    proofs = (each for each in run.result.verifications if each.get("ok") and each.get("snapshot_id"))
    return frozenset(str(each["snapshot_id"]) for each in proofs)
