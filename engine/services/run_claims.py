"""Which run a worker takes next, and what keeps one back that nothing in the record keeps back: quiet hours, blackouts.

A queue entry is only a hint that there is something to do: whoever is woken takes the best run that is ready, so that
priorities hold whatever the order of the entries, and none is lost with them. The claim in SQL is what counts.
"""

from datetime import datetime, timedelta
from typing import Final

from engine.domain.ids import RunId
from engine.domain.leases import Lease
from engine.domain.policies.windows import WindowKind, Windows, WindowState
from engine.domain.runs import ReadyRun, Run, WaitingFor
from engine.services.policies import PolicyReader
from engine.stores.database import Database

_LOOK: Final = 16
_ENDLESS: Final = timedelta(days=1)
"""A run whose windows never end is looked at again after so long."""

Claimed = tuple[Run, Lease]


class ClaimService:
    """Claims runs for one holder."""

    def __init__(self, *, database: Database, holder: str, lease_seconds: float) -> None:
        self._database = database
        self._holder = holder
        self._lease_seconds = lease_seconds
        self._reviewed: RunId | None = None  # the last that the present round of reviews has seen

    async def claim_next(self) -> Claimed | None:
        """Claim the best run that is ready; None when there is none, or others were faster with all that were seen."""
        while True:
            async with self._database.read() as unit:
                ready = await unit.runs.list_ready(_LOOK)
            was_held_back = False
            for run in ready:
                if await self._hold_back(run):
                    was_held_back = True
                elif (claimed := await self._claim(run.id)) is not None:
                    return claimed
            if not was_held_back:
                return None

    async def claim(self, run_id: RunId) -> Claimed | None:
        """Claim one run; None when it can't start now."""
        async with self._database.read() as unit:
            run = await unit.runs.get(run_id)
        if run is None or await self._hold_back(ReadyRun(run.id, run.table_id, run.priority, run.created_at)):
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
            _, state = await self._window(run)
            if state is None:
                async with self._database.begin() as unit:
                    if await unit.runs.let_go(run.id, by=self._holder) is not None:
                        freed.append(run.id)
        return freed

    async def _claim(self, run_id: RunId) -> Claimed | None:
        async with self._database.begin() as unit:
            return await unit.runs.claim(run_id, self._holder, self._lease_seconds)

    async def _hold_back(self, run: ReadyRun) -> bool:
        """Park a run whose table is in a window; True when it was."""
        until, state = await self._window(run)
        if state is None or state.kind is None:
            return False
        async with self._database.begin() as unit:
            held = await unit.runs.hold_back(
                run.id,
                waiting_for=WaitingFor(state.kind.value),
                not_before=until,
                reason=state.kind.value,
                detail=state.reason or state.kind.value,
                by=self._holder,
            )
        return held is not None

    async def _window(self, run: ReadyRun) -> tuple[datetime, WindowState | None]:
        """Return until when a run waits for the windows of its table, and their state; None when it need not wait.

        A run that waited for `schedule.urgent_after` is let through quiet hours, never through a blackout.
        """
        async with self._database.read() as unit:
            now = await unit.now()
            table = await unit.tables.get(run.table_id)
            if table is None:
                return now, None
            policy = await PolicyReader.effective(unit, table, {})
        state = Windows.of(policy).state_at(now)
        if not state.inside:
            return now, None
        until = state.ends_at or now + _ENDLESS
        patience = policy.values.get("schedule.urgent_after")
        if isinstance(patience, int) and state.kind is not WindowKind.BLACKOUT:
            until = min(until, run.created_at + timedelta(seconds=patience))
        return (until, state) if until > now else (now, None)
