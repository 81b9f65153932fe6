"""Choose and claim the next run for a worker, with the holds that SQL can't check: windows, slow queries, endpoints.

A queue entry is only a hint that there is work: the woken worker takes the best ready run, so that priorities hold for
any order of the entries, and no run is lost with an entry. Only the claim in SQL counts.
"""

from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from engine.domain.ids import RunId
from engine.domain.policies import OnStart
from engine.domain.runs.leases import Lease
from engine.domain.runs.operations import OF_SPARK
from engine.domain.runs.reasons import describe_reason
from engine.domain.runs.run import Operation, ReadyRun, Run, WaitingFor
from engine.metrics import WorkMetrics
from engine.services.runs.endpoints import WAITS, endpoint_hold
from engine.services.runs.holds import HoldRules, StartBlocker, read_latencies, read_rules
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_LOOK: Final = 16

Claimed = tuple[Run, Lease]
_Held: TypeAlias = tuple[ReadyRun, StartBlocker]


class ClaimService:
    """Claims runs of some operations for one holder; runs of other operations stay in the queue."""

    def __init__(
        self,
        *,
        database: Database,
        operations: Collection[Operation],
        holder: str,
        lease_seconds: float,
        metrics: WorkMetrics | None = None,
    ) -> None:
        self._database = database
        self._operations = frozenset(operations)
        self._holder = holder
        self._lease_seconds = lease_seconds
        self._metrics = metrics or WorkMetrics()
        self._reviewed: RunId | None = None  # the last run seen in the present round of reviews

    async def claim_next(self) -> Claimed | None:
        """Claim the best ready run; return None when there is none, or other workers claimed all that were found.

        After losing the first run to another worker, all free runs are tried: otherwise many workers that look at once,
        as after a restart, would all lose one run after the other.
        """
        lost: set[RunId] = set()
        while True:
            async with self._database.read() as unit:
                ready = [run for run in await unit.runs.list_ready(_LOOK, self._operations) if run.id not in lost]
                free, held = await _split_runnable(unit, ready, most=_LOOK if lost else 1)
            for run, hold in held:
                if not await self._defer(run, hold):
                    free.append(run)
            if not free and not held:
                return None
            if free:
                if (claimed := await self._claim([run.id for run in free])) is not None:
                    return claimed
                lost.update(run.id for run in free)

    async def claim(self, run_id: RunId) -> Claimed | None:
        """Claim one run; return None when it can't start now."""
        async with self._database.read() as unit:
            run = await unit.runs.get(run_id)
            if run is None:
                return None
            ready = ReadyRun(run.id, run.table_id, run.priority, run.created_at, operation=run.operation)
            hold = await _hold(unit, ready)
        if hold is not None and await self._defer(ready, hold):
            return None
        return await self._claim([run_id])

    async def review(self, limit: int) -> list[RunId]:
        """Release runs whose hold has ended: a window was removed from the policy, queries are fast again.

        Checks `limit` runs and continues from there at the next call, so that runs which must wait hide no others.
        """
        async with self._database.read() as unit:
            held = await unit.runs.list_held_back(limit, self._reviewed)
        self._reviewed = held[-1].id if len(held) == limit else None
        freed = []
        for run in held:
            async with self._database.read() as unit:
                waits = await _still_waits(unit, run.id)
            if not waits:
                async with self._database.begin() as unit:
                    if await unit.runs.end_wait(run.id, by=self._holder) is not None:
                        freed.append(run.id)
        return freed

    async def _claim(self, run_ids: Sequence[RunId]) -> Claimed | None:
        try:
            async with self._database.begin() as unit:
                claimed = await unit.runs.claim_first(run_ids, self._holder, self._lease_seconds, self._operations)
                if claimed is not None and claimed[0].is_automatic:
                    await _pass_breaker(unit, claimed[0].catalog)
        except _CatalogFails:
            claimed = None
        self._metrics.claims.labels("lost" if claimed is None else "claimed").inc()
        if claimed is not None:
            self._metrics.observe_first_start(claimed[0])
        return claimed

    async def _defer(self, run: ReadyRun, hold: StartBlocker) -> bool:
        """Park a run; return False if its state changed since it was read, or it is to be cancelled."""
        async with self._database.begin() as unit:
            held = await unit.runs.hold_back(
                run.id,
                waiting_for=hold.waiting_for,
                not_before=hold.until,
                reason=hold.reason,
                detail=hold.detail,
                by=self._holder,
            )
        if held is not None:
            self._metrics.held_back.labels(hold.waiting_for.value).inc()
        return held is not None


class _CatalogFails(Exception):
    """Rolls a claim back: another run is the probe of the catalog's breaker."""


async def _pass_breaker(unit: UnitOfWork, catalog: str) -> None:
    if not await unit.breakers.let_through(catalog):
        raise _CatalogFails


async def _split_runnable(
    unit: UnitOfWork, ready: Sequence[ReadyRun], *, most: int
) -> tuple[list[ReadyRun], list[_Held]]:
    """Return the first `most` runs without a hold, and the held runs before the last of them with their holds."""
    free: list[ReadyRun] = []
    held: list[_Held] = []
    for run in ready:
        hold = await _hold(unit, run)
        if hold is not None:
            held.append((run, hold))
            continue
        free.append(run)
        if len(free) == most:
            break
    return free, held


async def _hold(unit: UnitOfWork, ready: ReadyRun) -> StartBlocker | None:
    """Return the hold on a run, None without one; pauses are not included, because the claim itself checks them."""
    fails = await _breaker_hold(unit, ready.id)
    if fails is not None:
        return fails
    rules = await read_rules(unit, ready.table_id, ready.operation)
    if (blocked := await _endpoint_hold(unit, ready.operation, rules)) is not None:
        return blocked
    if rules.never_blocks:
        return None
    run = await unit.runs.get(ready.id) if rules.urgent_after else None
    due_since = ready.created_at if run is None else run.due_since
    return rules.hold(await unit.now(), due_since, await read_latencies(unit, ready.table_id, rules))


async def _endpoint_hold(unit: UnitOfWork, operation: str, rules: HoldRules) -> StartBlocker | None:
    """Return the hold on a run that needs Spark while no endpoint can take it."""
    if operation not in OF_SPARK:
        return None
    return await endpoint_hold(unit, rules.spark)


async def _breaker_hold(unit: UnitOfWork, run_id: RunId) -> StartBlocker | None:
    """Return the hold on an automatic run whose catalog's breaker is open; None for other runs and for the probe."""
    opened = {each.catalog: each for each in await unit.breakers.list_open()}
    if not opened:
        return None
    run = await unit.runs.get(run_id)
    found = None if run is None or not run.is_automatic else opened.get(run.catalog)
    until = None if found is None else found.holds_until(await unit.now())
    if found is None or until is None:
        return None
    waiting_for = WaitingFor.CATALOG_FAILS
    return StartBlocker(
        waiting_for, until, OnStart.FINISH, waiting_for.value, f"the last one: {describe_reason(found.reason)}"
    )


async def _still_waits(unit: UnitOfWork, run_id: RunId) -> bool:
    run = await unit.runs.get(run_id)
    if run is None:
        return False
    if run.waiting_for is WaitingFor.CATALOG_FAILS:
        return await _breaker_hold(unit, run_id) is not None
    rules = await read_rules(unit, run.table_id, run.operation)
    if run.waiting_for in WAITS:
        return await _endpoint_hold(unit, run.operation, rules) is not None
    return rules.still_waits(run, await unit.now(), await read_latencies(unit, run.table_id, rules))
