"""Runs at work in virtual time: real pacing, ledgers, channels and buckets; only the bytes are not there.

Ledgers, holders and tasks go by one clock that `PacedRuns.pass_time` moves in steps. A task has work for ever: it moves
as much as its bucket lets it at once, at most at its `speed`, and reports through the kernel's own channel, which is
answered as the api answers it.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import accumulate

from redis.asyncio import Redis

from api.schemas.runs.pace import PaceReport, PaceShare
from engine.domain.errors import PackhouseError, Transient
from engine.domain.fleet.limits import FleetLimits
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Run
from engine.queue.budgets import PaceLedger
from engine.queue.hints import Hints
from engine.queue.shared_budgets import SharedLedgers
from engine.rewriting.kernel.contract import TaskIdentity
from engine.rewriting.kernel.errors import Stopped
from engine.rewriting.kernel.storage.channel import PaceChannel
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.transfer import Moved
from engine.services.operations.tasks.pace_tokens import PaceTokens
from engine.services.operations.tasks.pacing import LIMITS_SECONDS, REFRESH_SECONDS, PaceTools, RunPacing
from engine.services.policies.effective import PolicyReader
from engine.services.runs.attempts import Attempt
from engine.services.runs.budgets import run_limits
from engine.stores.database import Database
from tests.support.fake_clock import FakeClock

TICKS_PER_SECOND = 20
SPEED = 400e6
WINDOW_SECONDS = 10


class _NothingLeftError(Exception):
    """Raised in place of a pause."""


def _do_not_wait(_changed: threading.Event, _seconds: float) -> None:
    raise _NothingLeftError


class _TickBucket(Bucket):
    """A bucket whose waits are counted by the ticks that they end in place of."""

    waited = 0.0

    @property
    def throttled_seconds(self) -> float:
        return self.waited


class PacedTask:
    """A task of a run. `read` is what it has moved."""

    def __init__(self, run: "PacedRun", group: int, *, ledger: PaceLedger, clock: FakeClock, speed: float) -> None:
        self.read = 0
        self.speed = speed
        self.is_stopped = False
        self._run = run
        self._ledger = ledger
        self._loop = asyncio.get_running_loop()
        attempt, pace = run.attempt, run.pacing.of_task()
        self._bucket = _TickBucket(
            bytes_per_second=pace.bytes_per_second,
            requests_per_second=pace.requests_per_second,
            clock=clock.monotonic,
            pause=_do_not_wait,
        )
        self._channel = PaceChannel(
            identity=TaskIdentity(attempt.run.id, attempt.number, group),
            pace=pace,
            bucket=self._bucket,
            moved=lambda: Moved(self.read),
            post=self._post,
        )

    async def report(self) -> None:
        """Report and obey, as the task's thread does about once a second."""
        await asyncio.to_thread(self._channel.beat)

    def move(self, seconds: float) -> int:
        """Move what bucket and speed allow in so many seconds; return the bytes."""
        most, moved = int(self.speed * seconds), 0
        try:
            while moved < most and not self.is_stopped:
                part = min(most - moved, self._bucket.slice_bytes or most)
                self._bucket.take(part, 1)
                moved += part
        except _NothingLeftError:
            self._bucket.waited += seconds * (most - moved) / most
        except Stopped:
            self.is_stopped = True
        self.read += moved
        return moved

    def _post(self, _url: str, _headers: dict[str, str], body: bytes) -> bytes:
        report, attempt = PaceReport.model_validate_json(body).to_domain(), self._run.attempt
        call = self._ledger.report(attempt.run.id, attempt.number, report)
        try:
            answer = asyncio.run_coroutine_threadsafe(call, self._loop).result()
        except PackhouseError as error:  # the api answers it with a status that is no success
            raise OSError(error.message) from error
        return PaceShare.from_domain(answer).model_dump_json().encode()


@dataclass(eq=False)
class PacedRun:
    """A run at work. `moved`: bytes of each tick. When it `is_held` no more its holder is gone, but its tasks go on."""

    attempt: Attempt
    pacing: RunPacing
    tasks: list[PacedTask] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    is_held: bool = True


@dataclass(eq=False)
class _Duty:
    """Something that is done again and again while its run is at work."""

    run: PacedRun
    due_at: float
    every: float
    do: Callable[[], Awaitable[None]]
    of_holder: bool


class PacedRuns:
    """All runs, and what they moved together in each tick."""

    def __init__(self, *, database: Database, redis: Redis) -> None:
        self.clock = FakeClock(elapsed=1_000_000.0)
        self.database = database
        self.redis = redis
        self.ledger = PaceLedger(redis=redis, now=self.clock.monotonic)
        self.shared = SharedLedgers(redis=redis, now=self.clock.monotonic)
        self.runs: list[PacedRun] = []
        self.ticks = 0
        self._duties: list[_Duty] = []
        self._tools = PaceTools(
            database,
            self.ledger,
            self.shared,
            PaceTokens(secret_keys=("a key for tests",)),
            self.clock,
            "http://api/pace",
        )

    async def set_limits(self, limits: FleetLimits) -> None:
        """Write the limits as PUT /v1/limits does."""
        async with self.database.begin() as unit:
            await unit.fleet.replace_limits(limits, by="test", version=(await unit.fleet.get()).version)

    async def start(self, stored: Run, *, tasks: int = 4, number: int = 1, speed: float = SPEED) -> PacedRun:
        """Let a run begin as an attempt does: its holder takes a share, then its tasks start."""
        run = await self.hold(stored, lanes=tasks, number=number)
        for group in range(tasks):
            await self.add_task(run, group, speed=speed)
        return run

    async def hold(self, stored: Run, *, lanes: int, number: int = 1) -> PacedRun:
        """Let a holder keep the pace of a run whose tasks have not begun."""
        lease = Lease(stored.id, "holder", number, self.clock.now() + timedelta(hours=1))
        hints = Hints(redis=self.redis)
        attempt = Attempt(
            database=self.database, hints=hints, clock=self.clock, run=stored, lease=lease, lease_seconds=30
        )
        async with self.database.read() as unit:
            table = await unit.tables.get(stored.table_id)
            assert table is not None
            limits = await run_limits(unit, table.ref.catalog, await PolicyReader.effective(unit, table, {}))
        pacing = RunPacing(tools=self._tools, attempt=attempt, limits=limits, properties={}, lanes=lanes)
        run = PacedRun(attempt, pacing, moved=[0] * self.ticks)
        self.runs.append(run)
        await _try(pacing.refresh)
        first = 0.17 * len(self.runs)
        self._do(run, pacing.refresh, first=first, every=REFRESH_SECONDS, of_holder=True)
        self._do(run, pacing.reread, first=first, every=LIMITS_SECONDS, of_holder=True)
        return run

    async def add_task(self, run: PacedRun, group: int, *, speed: float = SPEED) -> PacedTask:
        """Start one more task of a run; it reports at once and then every second."""
        task = PacedTask(run, group, ledger=self.ledger, clock=self.clock, speed=speed)
        run.tasks.append(task)
        self._do(run, task.report, first=0.0, every=1.0, of_holder=False)
        return task

    async def end(self, run: PacedRun) -> None:
        """Let a run end in order."""
        run.tasks.clear()
        self._duties = [duty for duty in self._duties if duty.run is not run]
        await run.pacing.refresh()
        await run.pacing.leave()

    async def pass_time(self, seconds: float) -> None:
        """Let everybody work for so long."""
        for _ in range(round(seconds * TICKS_PER_SECOND)):
            self.clock.advance(1 / TICKS_PER_SECOND)
            self.ticks += 1
            now = self.clock.monotonic()
            for duty in [duty for duty in self._duties if duty.due_at <= now]:
                duty.due_at += duty.every
                if duty.run.is_held or not duty.of_holder:
                    await _try(duty.do)
            for run in self.runs:
                run.moved.append(sum(task.move(1 / TICKS_PER_SECOND) for task in run.tasks))

    def windows(self, *runs: PacedRun, since: float = 0.0, until: float | None = None) -> Sequence[float]:
        """Return the rate of these runs (default: all) over every 10 s, from seconds after the start to others."""
        last = self.ticks if until is None else round(until * TICKS_PER_SECOND)
        columns = zip(*(run.moved for run in runs or self.runs), strict=True)
        sums = [0, *accumulate(map(sum, list(columns)[round(since * TICKS_PER_SECOND) : last]))]
        width = WINDOW_SECONDS * TICKS_PER_SECOND
        return [(end - begin) / WINDOW_SECONDS for begin, end in zip(sums, sums[width:], strict=False)]

    def rate(self, *runs: PacedRun, seconds: float = 3.0) -> float:
        """Return the rate of these runs (default: all) over the last seconds."""
        count = round(seconds * TICKS_PER_SECOND)
        return sum(sum(run.moved[-count:]) for run in runs or self.runs) / seconds

    def _do(
        self, run: PacedRun, do: Callable[[], Awaitable[None]], *, first: float, every: float, of_holder: bool
    ) -> None:
        self._duties.append(_Duty(run, self.clock.monotonic() + first, every, do, of_holder))


async def _try(do: Callable[[], Awaitable[None]]) -> None:
    with suppress(Transient):
        await do()
