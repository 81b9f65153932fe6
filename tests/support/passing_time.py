"""Time that passes for a coordinator: it looks whenever a look is due, and a test need not wait for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.domain.access.callers import COORDINATOR, SYSTEM
from engine.domain.runs.run import Run
from engine.domain.tables.watches import Watch
from engine.services.explain.facts import Facts
from tests.support.moved_clock import MovedClock
from tests.support.watching import Watching, runs_of

_A_MOMENT = timedelta(milliseconds=5)
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass
class PassingTime:
    """A watch, and the clock of the record that it goes by."""

    watching: Watching
    clock: MovedClock

    async def facts(self) -> Facts:
        """Read what explain and the coordinator go by."""
        return await self.watching.world.container.watching._facts.read(COORDINATOR, self.watching.world.table_id)

    async def said(self) -> datetime | None:
        """Return when a run starts by itself, as explain says now."""
        await self.watching.service.lead()
        told: datetime | None = (await self._explained())["starts_at"]
        return told

    async def look_when_due(self) -> Watch:
        """Let time pass until the table's next look, and make it."""
        await self.clock.pass_until((await self.watching.watch()).next_at + _A_MOMENT)
        await self.watching.service.lead()
        await self.watching.service.turn()
        await self.watching.service.finish()
        return await self.watching.watch()

    async def until(self, end: datetime, *, every_look: bool = False) -> Run | None:
        """Let time pass until an instant, and make the looks that are due; return the first run that begins meanwhile.

        Nothing is written meanwhile, so looks that time alone gives no reason for are left out, but the first one.
        """
        seen: Watch | None = None
        while (at := self._next_reason(await self.watching.watch(), seen, every_look=every_look)) <= end:
            await self.clock.pass_until(at)
            seen = await self.look_when_due()
            if began := await self.begun():
                return began[0]
        await self.clock.pass_until(end)
        return None

    @staticmethod
    def _next_reason(watch: Watch, seen: Watch | None, *, every_look: bool) -> datetime:
        if every_look or seen is None or seen.looked_at is None:
            return watch.next_at
        return max(watch.next_at, watch.reconsider_at or _NEVER)

    async def begun(self, fits: Callable[[Run], bool] = lambda run: not run.is_terminal) -> Sequence[Run]:
        """Return the runs that began by themselves and have not ended."""
        runs = await runs_of(self.watching.world)
        return [run for run in runs if run.requested_by == COORDINATOR.subject and fits(run)]

    async def _explained(self) -> Mapping[str, Any]:
        return await self.watching.world.container.explain.explain(SYSTEM, self.watching.world.table_id)
