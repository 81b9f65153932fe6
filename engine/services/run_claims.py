"""Which run a worker takes next, and what keeps one back that nothing in the record keeps back: quiet hours, blackouts.

A queue entry is only a hint that there is something to do: whoever is woken takes the best run that is ready, so that
priorities hold whatever the order of the entries, and none is lost with them. The claim in SQL is what counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from engine.domain.ids import RunId
from engine.domain.leases import Lease
from engine.domain.policies.windows import WindowKind, Windows
from engine.domain.runs import ReadyRun, Run, WaitingFor
from engine.services.policies import PolicyReader
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_LOOK: Final = 16
_ENDLESS: Final = timedelta(days=1)
"""A run whose windows never end is looked at again after so long."""

Claimed = tuple[Run, Lease]


@dataclass(frozen=True, slots=True)
class _Wait:
    """Why and until when a run may not start."""

    kind: WindowKind
    until: datetime
    detail: str


_Held: TypeAlias = tuple[ReadyRun, _Wait]


class ClaimService:
    """Claims runs for one holder."""

    def __init__(self, *, database: Database, holder: str, lease_seconds: float) -> None:
        self._database = database
        self._holder = holder
        self._lease_seconds = lease_seconds
        self._reviewed: RunId | None = None  # the last that the present round of reviews has seen

    async def claim_next(self) -> Claimed | None:
        """Claim the best run that is ready; None when there is none, or others were faster with all that were seen."""
        lost: set[RunId] = set()
        while True:
            async with self._database.read() as unit:
                ready = [run for run in await unit.runs.list_ready(_LOOK) if run.id not in lost]
                first, held = await _first_free(unit, ready)
            for run, wait in held:
                if not await self._hold_back(run, wait):
                    first = first or run
            if first is None and not held:
                return None
            if first is not None:
                if (claimed := await self._claim(first.id)) is not None:
                    return claimed
                lost.add(first.id)

    async def claim(self, run_id: RunId) -> Claimed | None:
        """Claim one run; None when it can't start now."""
        async with self._database.read() as unit:
            run = await unit.runs.get(run_id)
            if run is None:
                return None
            ready = ReadyRun(run.id, run.table_id, run.priority, run.created_at)
            wait = await _wait(unit, ready)
        if wait is not None and await self._hold_back(ready, wait):
            return None
        return await self._claim(run_id)

    async def review(self, limit: int) -> list[RunId]:
        """Let go of runs that were held back for windows which their policy no longer has; return them.

        Looks at `limit` runs and goes on from there the next time, so that those which have to wait hide no others.
        """
        async with self._database.read() as unit:
            held = await unit.runs.list_held_back(limit, self._reviewed)
        self._reviewed = held[-1].id if len(held) == limit else None
        freed = []
        for run in held:
            async with self._database.read() as unit:
                wait = await _wait(unit, run)
            if wait is None:
                async with self._database.begin() as unit:
                    if await unit.runs.let_go(run.id, by=self._holder) is not None:
                        freed.append(run.id)
        return freed

    async def _claim(self, run_id: RunId) -> Claimed | None:
        async with self._database.begin() as unit:
            return await unit.runs.claim(run_id, self._holder, self._lease_seconds)

    async def _hold_back(self, run: ReadyRun, wait: _Wait) -> bool:
        """Park a run; False when it moved meanwhile or is to be cancelled."""
        async with self._database.begin() as unit:
            held = await unit.runs.hold_back(
                run.id,
                waiting_for=WaitingFor(wait.kind.value),
                not_before=wait.until,
                reason=wait.kind.value,
                detail=wait.detail,
                by=self._holder,
            )
        return held is not None


async def _first_free(unit: UnitOfWork, ready: Sequence[ReadyRun]) -> tuple[ReadyRun | None, list[_Held]]:
    """Return the first run that need not wait, None when all have to, and those before it with their waits."""
    held: list[_Held] = []
    for run in ready:
        wait = await _wait(unit, run)
        if wait is None:
            return run, held
        held.append((run, wait))
    return None, held


async def _wait(unit: UnitOfWork, run: ReadyRun) -> _Wait | None:
    """Return what the windows of its table make a run wait for; None when it need not.

    A run that waited for `schedule.urgent_after` is let through quiet hours, never through a blackout.
    """
    table = await unit.tables.get(run.table_id)
    if table is None:
        return None
    policy = await PolicyReader.effective(unit, table, {})
    windows = Windows.of(policy)
    if windows.are_none:
        return None
    now = await unit.now()
    state = windows.state_at(now)
    if not state.inside or state.kind is None:
        return None
    until = state.ends_at or now + _ENDLESS
    patience = policy.values.get("schedule.urgent_after")
    if isinstance(patience, int) and state.kind is not WindowKind.BLACKOUT:
        until = min(until, run.created_at + timedelta(seconds=patience))
    return _Wait(state.kind, until, state.reason or state.kind.value) if until > now else None
