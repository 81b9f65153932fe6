"""One attempt at a removal of orphans: list all files, store which nothing refers to, delete those past quarantine.

An attempt that follows another begins with a listing of its own; the stored looks and lists keep what earlier attempts
found and deleted.
"""

from engine.domain.policies import EffectivePolicy
from engine.domain.runs.run import RunState
from engine.services.operations.metadata.file_removal import DeletingAttempt, FileRemoval
from engine.services.planning.upkeep.orphans import complete_rule, orphan_removal_of, orphan_rule, orphan_words
from engine.services.runs.ending import AttemptOutcome


class OrphanAttempt(DeletingAttempt):
    """One attempt at a removal of orphans, an `OperationAttempt`."""

    async def _settle(self) -> None:
        """Do nothing: a search changes no metadata of the table."""

    async def _work(self, policy: EffectivePolicy) -> AttemptOutcome:
        """List all files, and delete those that two searches found."""
        run = self._attempt.run
        async with self._context.database.read() as unit:
            rule, live = await complete_rule(unit, run.table_id, orphan_rule(policy), self._context.formats.locations)
        removal, others_live = orphan_removal_of(self._table), [each for each in live if each != run.id]
        self._removal = FileRemoval(
            context=self._context,
            attempt=self._attempt,
            table=self._table,
            may_send=self._prove_lease,
            step=self._step,
            open_deletion=lambda others: removal.deletion(run.id, rule, others, others_live),
        )
        return await self._search_and_delete(policy, rule.document(), orphan_words, "orphans")

    def _state(self) -> RunState:
        return RunState.SUCCEEDED if self._removed else RunState.SKIPPED
