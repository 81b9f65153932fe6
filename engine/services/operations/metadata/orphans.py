"""One attempt at a removal of orphans: list all files, store which nothing refers to, delete those past quarantine.

An attempt that follows another begins with a listing of its own; the stored looks and lists keep what earlier attempts
found and deleted.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from engine.domain.errors import Fatal
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.run import RunState
from engine.domain.values.units import format_bytes
from engine.services.operations.metadata.attempts import MetadataAttempt, MetadataContext
from engine.services.operations.metadata.file_removal import FileRemoval
from engine.services.planning.orphans import orphan_keeper_of, orphan_rule, orphan_words, with_runs
from engine.services.planning.wording import many
from engine.services.runs.attempts import Attempt


class OrphanAttempt(MetadataAttempt):
    """One attempt at a removal of orphans, an `OperationAttempt`."""

    def __init__(self, *, context: MetadataContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        super().__init__(context=context, attempt=attempt, step=step)
        self._removed: Mapping[str, Any] = {}
        self._proofs: list[Mapping[str, Any]] = list(attempt.run.result.verifications)

    async def _settle(self) -> None:
        """Do nothing: a search changes no metadata of the table."""

    async def _work(self, policy: EffectivePolicy) -> None:
        """Look, and delete what two looks found."""
        run = self._attempt.run
        async with self._context.database.read() as unit:
            rule, live = await with_runs(unit, run.table_id, orphan_rule(policy))
        keeper, others_live = orphan_keeper_of(self._table), [each for each in live if each != run.id]
        removal = FileRemoval(
            context=self._context,
            attempt=self._attempt,
            table=self._table,
            may_send=self._may_send,
            step=self._step,
            open_deletion=lambda others: keeper.orphans(run.id, rule, others, others_live),
        )
        self._go_on()
        await removal.look(policy)
        plan = await removal.record()
        document, words = {"rule": rule.document(), "removal": plan.document()}, orphan_words(plan)
        self._removed = removal.figures().document() if removal.figures().total.files else {}
        self._step("planned")
        await self._attempt.check()
        if not plan.total.files and not self._removed:
            await self._end(RunState.SKIPPED, "nothing_to_do", words, plan=document)
            return
        self._go_on()
        await self._begin(policy, document, {"files": plan.total.files, "bytes": plan.total.bytes})
        await self._remove(removal, policy)
        left = f", {many(failures, 'file')} refused by the store" if (failures := self._failures) else ""
        size = format_bytes(self._removed["deleted_bytes"])
        detail = f"{many(self._removed['deleted_files'], 'orphan')} of {size} deleted{left}"
        await self._end(RunState.SUCCEEDED, "committed", detail)

    async def _remove(self, removal: FileRemoval, policy: EffectivePolicy) -> None:
        """Delete the files past quarantine, and store what was deleted.

        Raises:
            Stopped: the attempt has to stop before all are deleted.
            Fatal: a deleted file is needed.
        """
        try:
            removed = await removal.remove(policy)
        finally:
            self._removed = removal.figures().document()
        self._removed = removed.document()
        is_proven = all(each.holds for each in removed.proof)
        self._proofs.append({"ok": is_proven, "checks": [asdict(each) for each in removed.proof]})
        total = removed.figures.total
        details = {"files": total.files, "bytes": total.bytes, "ok": is_proven}
        result = self._attempt.run.result.updated(**self._figures())
        await self._attempt.record("files_deleted", details, result=result, is_progress=total.files > 0)
        if not is_proven:
            raise Fatal(f"a deleted file is needed: {removed.proof[0].detail}")

    @property
    def _failures(self) -> int:
        return int(self._removed.get("delete_failures", 0))

    def _figures(self) -> dict[str, Any]:
        return {"verifications": self._proofs, **self._removed}

    def _state(self) -> RunState:
        return RunState.SUCCEEDED if self._removed else RunState.SKIPPED
