"""Commits written groups to the table in batches, finds out what really happened, and proves it.

A lost answer is never guessed: the table is read, and if our snapshot is not there the same batch is sent again. That
is safe because a commit takes effect only while every source is live: whichever of two sends lands second changes
nothing. Nothing is deleted here.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import CommitConflict, Fatal, OutcomeUnknown, Transient
from engine.domain.runs import RunState, StoredGroup
from engine.formats.base import CommitOutcome, CommitRequest, CommittedBatch, OpenTable, WrittenGroup
from engine.services.attempts import Attempt
from engine.services.formats import FormatRegistry
from engine.services.outcomes import failed_checks, verification_document
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

SENDS = 5
"""How often a batch is sent when answers are lost, before the attempt gives up and the run waits."""


class Commits:
    """The commits of one attempt. `verifications` collects the proofs."""

    def __init__(
        self,
        *,
        database: Database,
        formats: FormatRegistry,
        attempt: Attempt,
        open_table: Callable[[], Awaitable[OpenTable]],
        clock: Clock,
        step: Callable[[str], None],
    ) -> None:
        self._database = database
        self._formats = formats
        self._attempt = attempt
        self._open_table = open_table
        self._clock = clock
        self._step = step
        self.verifications: list[dict[str, Any]] = list(attempt.run.result.get("verifications", []))

    async def commit(self, groups: Sequence[StoredGroup]) -> None:
        """Commit written groups, one snapshot for each base they were planned on; leaves the run in `committing`.

        Raises:
            LeaseLost: before anything was sent.
            OutcomeUnknown: the table could not be read after a lost answer; written groups stay written.
            Fatal: a snapshot of ours does not hold what it should.
        """
        ordinals = [group.ordinal for group in groups]
        intent = dict(self._attempt.run.intent)
        await self._attempt.transition(
            RunState.COMMITTING,
            intent=intent | {"commit": sorted({*intent.get("commit", ()), *ordinals})},
            details={"groups": ordinals},
        )
        by_base: dict[tuple[int, int], list[StoredGroup]] = defaultdict(list)
        for group in groups:
            by_base[int(group.measured["base_snapshot_id"]), int(group.measured["schema_id"])].append(group)
        for (base, schema), batch in sorted(by_base.items(), key=lambda item: item[1][0].ordinal):
            await self._commit_batch(base, schema, batch)

    async def adopt(self, table: OpenTable, batch: CommittedBatch, groups: Sequence[StoredGroup]) -> None:
        """Record a snapshot of ours that an earlier attempt committed without recording it, after proving it."""
        await self._prove(table, batch.snapshot_id, groups, tries=0)

    async def _commit_batch(self, base: int, schema: int, groups: Sequence[StoredGroup]) -> None:
        request = CommitRequest(
            run_id=self._attempt.run.id,
            attempt=self._attempt.number,
            base_snapshot_id=base,
            schema_id=schema,
            groups=tuple(_written(group) for group in groups),
        )
        self._step("before_commit")
        try:
            outcome = await self._send(request)
        except CommitConflict as error:
            outcome = CommitOutcome(None, (), {group.ordinal: error.message for group in groups})
        self._step("after_commit")
        if outcome.dropped:
            async with self._database.begin() as unit:
                await unit.groups.mark_dropped(self._attempt.lease, dict(outcome.dropped))
        if outcome.snapshot_id is not None:
            committed = [group for group in groups if group.ordinal in set(outcome.committed)]
            await self._prove(await self._open_table(), outcome.snapshot_id, committed, tries=outcome.tries)

    async def _send(self, request: CommitRequest) -> CommitOutcome:
        loop = asyncio.get_running_loop()

        def prove_lease() -> None:  # called in the committing thread, just before each try
            asyncio.run_coroutine_threadsafe(self._attempt.check(), loop).result(timeout=30)

        table = await self._open_table()
        for send in range(1, SENDS + 1):
            try:
                return await self._formats.call(table.commit, request, before_try=prove_lease)
            except OutcomeUnknown as error:
                _log.warning("commit_outcome_unknown", run_id=request.run_id, send=send, error=error.message)
                await self._attempt.record("commit_unknown", {"send": send, "error": error.message})
                table, found = await self._reconcile(request)
                if found is not None:
                    return found
        raise OutcomeUnknown(f"the catalog lost {SENDS} answers in a row; the batch is kept and sent again later")

    async def _reconcile(self, request: CommitRequest) -> tuple[OpenTable, CommitOutcome | None]:
        """Read the table until it answers; return our snapshot of this batch if it is there."""
        for pause in (0.1, 0.5, 1.0, 2.0, 4.0):
            await self._clock.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - jitter
            try:
                table = await self._open_table()
                batches = await self._formats.call(table.find_commits, request.run_id)
            except Transient:
                continue
            wanted = {group.ordinal for group in request.groups}
            for batch in batches:
                if batch.attempt == request.attempt and wanted >= set(batch.groups):
                    missing = wanted - set(batch.groups)
                    dropped = dict.fromkeys(missing, "dropped_in_commit")
                    return table, CommitOutcome(batch.snapshot_id, batch.groups, dropped)
            return table, None
        raise OutcomeUnknown("the catalog does not answer; the outcome is read from the table when it does")

    async def _prove(self, table: OpenTable, snapshot_id: int, groups: Sequence[StoredGroup], *, tries: int) -> None:
        verification = await self._formats.call(table.verify, snapshot_id, [_written(group) for group in groups])
        document = verification_document(verification)
        self.verifications.append(document)
        async with self._database.begin() as unit:
            await unit.groups.mark_committed(self._attempt.lease, [group.ordinal for group in groups], snapshot_id)
        await self._attempt.record(
            "committed",
            {"groups": [g.ordinal for g in groups], "tries": tries, "verification": document},
            result={**self._attempt.run.result, "verifications": self.verifications},
        )
        self._step("verified")
        if not verification.ok:
            raise Fatal(
                f"snapshot {snapshot_id} does not hold what was planned ({failed_checks(verification)}); its parent is "
                "still in the table's history: roll back to it, then report this",
            )


def _written(group: StoredGroup) -> WrittenGroup:
    return WrittenGroup(
        ordinal=group.ordinal,
        spec_id=group.spec_id,
        partition=group.partition,
        inputs=group.inputs,
        outputs=group.outputs,
        rows_deleted=group.rows_deleted,
    )
