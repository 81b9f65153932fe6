"""Delete files of a run, orphans or those of expired snapshots: record them, delete within the request budget, prove.

The lease is proven before requests, at most once a second: a second holder of the run deletes files of the same list,
which nothing needs. A deletion stops for cancels, quiet hours and pauses; another attempt continues with that list.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotEligible
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.removals import RemovalFigures, RemovalPlan
from engine.formats.base import Condition, FileDeletion, OpenTable, OrphanDeletion
from engine.rewriting.kernel.errors import Stopped as Interrupted
from engine.services.catalogs.neighbours import locations_inside
from engine.services.catalogs.registered import read_registered
from engine.services.operations.metadata.attempts import MetadataContext, Stopped
from engine.services.operations.metadata.requests import paced_requests
from engine.services.planning.histories import file_keeper_of
from engine.services.runs.attempts import Attempt

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
        left = {name: self.plan.details[name] for name in ("unread", "refused") if name in self.plan.details}
        return {**self.figures.document(), "deleted_files_list": self.plan.path, "not_deleted": left}


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
        self._may_send = may_send
        self._step = step
        self._proven_at = float("-inf")
        self._deletion: FileDeletion | None = None

    async def is_pending(self) -> bool:
        """Return whether files of this run remain to be deleted. Raises as `FileDeletion`."""
        deletion = await self._opened()
        return await self._context.formats.work(self._table.ref, deletion.is_pending)

    async def preview(self, snapshot_ids: Sequence[int]) -> RemovalPlan:
        """Return the files that would be deleted if these snapshots expired now. Raises `NotEligible`."""
        keeper = file_keeper_of(self._table)
        return await self._context.formats.work(
            self._table.ref, keeper.preview_removal, snapshot_ids, await self._others()
        )

    async def look(self, policy: EffectivePolicy) -> None:
        """List the files of the table, for a deletion of orphans. Raises as `remove`."""
        deletion = await self._opened()
        if not isinstance(deletion, OrphanDeletion):
            raise NotEligible("this deletion lists no files")
        await self._repeat(deletion.look, policy, "looking")

    async def record(self) -> RemovalPlan:
        """Store the list of the files to delete. Raises as `remove`."""
        return await self._context.formats.work(self._table.ref, (await self._opened()).record)

    async def remove(self, policy: EffectivePolicy) -> Removed:
        """Delete the files of the run. Call `close` once the answer is stored.

        Raises:
            Stopped: the attempt has to stop; `figures` has what was deleted.
            NotEligible, TableUnreadable, Fatal, Away, CredentialsExpired, Transient: as `FileDeletion`.
        """
        deletion, plan = await self._opened(), await self.record()
        self._step("files_recorded")
        if plan.total.files:
            await self._repeat(deletion.advance, policy, "deleting_files")
        self._step("files_deleted")
        proof = await self._context.formats.work(self._table.ref, deletion.prove)
        return Removed(plan, deletion.figures(), proof)

    async def close(self) -> None:
        """Remove the records that only a repetition needs. Raises as `FileDeletion`."""
        await self._context.formats.work(self._table.ref, (await self._opened()).close)

    def figures(self) -> RemovalFigures:
        """Return what this attempt deleted so far."""
        return RemovalFigures() if self._deletion is None else self._deletion.figures()

    async def _opened(self) -> FileDeletion:
        if self._deletion is None:
            others, run_id = await self._others(), self._attempt.run.id
            if self._open_deletion is not None:
                self._deletion = self._open_deletion(others)
            else:
                self._deletion = file_keeper_of(self._table).deletion(run_id, others)
        return self._deletion

    async def _others(self) -> Sequence[str]:
        """Return the locations of other tables inside the table's own."""
        async with self._context.database.read() as unit:
            table, _ = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
            return await locations_inside(unit, table)

    async def _repeat(
        self, advance: Callable[[Callable[[int], None], float], bool], policy: EffectivePolicy, step: str
    ) -> None:
        """Call a function of the deletion until it returns False, within the request budget."""
        self._proven_at = float("-inf")
        paced = paced_requests(tools=self._context.pacing, attempt=self._attempt, table=self._table, policy=policy)
        async with paced as take:

            def before_batch(requests: int) -> None:
                self._check()
                take(requests)
                self._check()

            is_left = True
            while is_left:
                self._step(step)
                try:
                    is_left = await self._context.formats.work(self._table.ref, advance, before_batch, STEP_SECONDS)
                except Interrupted as error:
                    raise Stopped from error

    def _check(self) -> None:
        if self._attempt.stop_reason is not None:
            raise Stopped
        if time.monotonic() - self._proven_at >= PROVEN_SECONDS:
            self._may_send()
            self._proven_at = time.monotonic()
