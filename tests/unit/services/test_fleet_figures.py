"""Sums over the fleet are kept for as long as making them is worth it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.limits import FleetLimits
from engine.queue.budgets import LiveProgress
from engine.services.fleet.service import FleetService


@dataclass
class _Clock:
    """Moves when it is told to."""

    seconds: float = 0.0

    def monotonic(self) -> float:
        return self.seconds


class _Fleet(FleetService):
    """Sums that take a set time and are numbered."""

    def __init__(self, clock: Any, took: float) -> None:
        super().__init__(database=_Record(), shared=_Idle(), clock=clock)  # type: ignore[arg-type]
        self._time, self._took, self.made = clock, took, 0

    async def _sum_up(self, _teams: Any) -> Any:
        self.made += 1
        number = self.made
        await asyncio.sleep(0)
        self._time.seconds += self._took
        return number


class _Record:
    """Nothing is live, nothing is paused."""

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Any]:
        async def nothing(*_: Any) -> Any:
            return SimpleNamespace(pause=None, limits=FleetLimits())

        async def none() -> list[Any]:
            return []

        yield SimpleNamespace(
            fleet_figures=SimpleNamespace(live_runs=nothing),
            fleet=SimpleNamespace(get=nothing),
            breakers=SimpleNamespace(list_open=none),
        )


class _Idle:
    """No run is at work."""

    async def progress(self, _ledger: str) -> LiveProgress:
        return LiveProgress(0, 0, 0.0, 0, 0.0)


@pytest.fixture(autouse=True)
def numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.services.fleet.service.replace", lambda figures, **_: figures)


async def _settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_quick_figures_are_made_again_at_once_and_once_for_many_callers() -> None:
    fleet = _Fleet(_Clock(), took=1.0)
    assert await asyncio.gather(*(fleet.figures(SYSTEM) for _ in range(5))) == [1] * 5
    clock = _Clock()
    fleet = _Fleet(clock, took=0.01)
    await fleet.figures(SYSTEM)
    clock.seconds += 0.2
    assert await fleet.figures(SYSTEM) == 2


async def test_slow_figures_are_answered_while_newer_ones_are_made_but_not_for_ever() -> None:
    clock = _Clock()
    fleet = _Fleet(clock, took=1.0)
    await fleet.figures(SYSTEM)
    clock.seconds += 20
    assert await fleet.figures(SYSTEM) == 1
    await _settled()
    assert await fleet.figures(SYSTEM) == 2
    clock = _Clock()
    fleet = _Fleet(clock, took=1.0)
    await fleet.figures(SYSTEM)
    clock.seconds += 61
    assert await fleet.figures(SYSTEM) == 2
