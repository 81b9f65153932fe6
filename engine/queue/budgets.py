"""The I/O budget ledger of an attempt: the bytes each task has moved, and the rate it may use from now on.

The arithmetic is one Lua script (`budgets.lua`), so a report is atomic regardless of how many replicas take reports.
The same script distributes the limits of fleet and catalogs among active runs: `shared_budgets.py`.

Invariants (property test: `tests/integration/queue/test_shares.py`):
- The shares last answered to all tasks that are alive never sum to more than the budget, floors included. A task is
  alive while it has reported within `SILENCE_SECONDS` and has not reported that it finished.
- No share grows before the other tasks have made room: a task's share shrinks only at its own next report, so a new
  task gets the free budget, at least 0.5 % of budget / lanes (out of a reserve of 1 %), and its full share once the
  others have reported.
- Every share is above zero. When `n` tasks are alive and each has reported twice, each holds 99 % of budget / n.
- Totals never decrease: reports contain totals since the task's start, so a lost or late report does no harm.

Limits: a lost answer leaves the task at its old share until its next report. After the budget is lowered, the sum
exceeds the new budget until each task has reported once. A task that has been silent for `SILENCE_SECONDS`, or that
moves bytes before its first report, is not in the sum. If Redis lost all data, tasks are limited to `NEXT_TO_NOTHING`
until the attempt is opened again (its worker does so about twice a second; a dead worker never does, though other runs
may be active under the same limits); the live rate is then too high for ten seconds, since the first reports contain
old totals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.commands.core import AsyncScript
from redis.exceptions import ResponseError

from engine.domain.fleet.budgets import Budget, PaceAnswer, TaskReport
from engine.domain.ids import RunId
from engine.queue.connection import UNAVAILABLE, reaching_redis

SILENCE_SECONDS: Final = 5
"""Seconds without a report after which a task counts as gone (same value as in the script)."""

NEXT_TO_NOTHING: Final = Budget(1024.0, 0.1)
"""Rates of a task whose attempt is not open."""

_log = structlog.get_logger(__name__)
_NOTHING: Final = Budget(0.0, 0.0)
_UNLIMITED: Final = Budget()


@dataclass(frozen=True, slots=True)
class LiveProgress:
    """Bytes and requests moved by the members of a ledger so far; the rate is read + written over about 10 s.

    `members` is the number of live ones; the totals include finished and lost ones. `held` is the sum of the rates
    that live members may use (zero where nothing is limited), `budget` the rate that is distributed among them.
    """

    bytes_read: int
    bytes_written: int
    throttled_seconds: float
    members: int
    bytes_per_second: float
    requests: int = 0
    held: Budget = _NOTHING
    budget: Budget = _UNLIMITED


class PaceLedger:
    """Distributes the budget of an attempt among its tasks and counts what they move. Each method is one round trip.

    `now` returns seconds and is for tests; the default is the Redis server's clock. All methods raise `Transient` when
    Redis does not answer, and all are idempotent.
    """

    def __init__(self, *, redis: Redis, now: Callable[[], float] | None = None) -> None:
        self._script = BudgetScript(redis=redis, now=now)

    async def open(
        self, run_id: RunId, attempt: int, budget: Budget, lanes: int, *, seconds: float | None = None
    ) -> None:
        """Open an attempt for task reports, or change its budget. `lanes` (≥ 1): at most this many tasks run at once.

        A repeated call changes the budget and keeps everything else, including a stop. Earlier attempts end: their
        tasks receive the order to stop. No-op when a later attempt is already open. A budget that is not renewed
        within `seconds` lapses: tasks get only their floor, since the process that sent them is gone.
        """
        lapses = "" if seconds is None else repr(seconds)
        await self._call("open", run_id, attempt, *to_texts(budget), max(lanes, 1), lapses)

    async def report(self, run_id: RunId, attempt: int, report: TaskReport) -> PaceAnswer:
        """Record a task's totals and return its share: rates per second, None where unlimited, or the order to stop.

        A task should report before it moves its first byte, then about once a second, also while it waits. It gets
        `NEXT_TO_NOTHING` while its attempt is not open (or Redis lost it).
        """
        answer: Sequence[str] | None = await self._call(
            "report",
            run_id,
            attempt,
            report.group,
            report.bytes_read,
            report.bytes_written,
            report.requests,
            repr(report.throttled_seconds),
            int(report.finished),
        )
        if answer is None:
            return PaceAnswer(budget=NEXT_TO_NOTHING, stop=False)
        bytes_share, requests_share, stop = answer
        return PaceAnswer(budget=to_budget(bytes_share, requests_share), stop=stop == "1")

    async def stop(self, run_id: RunId, attempt: int) -> None:
        """Answer every later report of this attempt, and of earlier ones, with the order to stop. Can't be undone."""
        await self._call("stop", run_id, attempt)

    async def close(self, run_id: RunId, attempt: int) -> None:
        """Close an attempt: remaining tasks receive the order to stop; the ledger is deleted after 15 minutes."""
        await self._call("close", run_id, attempt)

    async def progress(self, run_id: RunId) -> LiveProgress:
        """Return the live figures of the run's latest attempt; all zero when the ledger has none."""
        return to_progress(await self._call("progress", run_id, 0))

    async def _call(self, command: str, run_id: RunId, attempt: int, *arguments: str | int) -> Any:
        return await self._script.call(str(run_id), command, attempt, *arguments)


class BudgetScript:
    """Client of the Lua script of all ledgers. `call` is atomic for one ledger; raises `Transient` without Redis."""

    def __init__(self, *, redis: Redis, now: Callable[[], float] | None = None) -> None:
        text = files("engine.queue").joinpath("budgets.lua").read_text("utf-8")
        self._script: AsyncScript = redis.register_script(text)
        self._now = now

    async def call(self, name: str, command: str, attempt: int, *arguments: str | int) -> Any:
        """Run a command on the ledger of this name and return the script's answer.

        A ledger that the script can't read (another program wrote to its keys) is deleted: that is a lost ledger, which
        the members' next reports restore.
        """
        base = f"packhouse:pace:{{{name}}}"  # the braces keep a ledger's keys together on a Redis cluster
        now = "" if self._now is None else repr(self._now())
        keys = [f"{base}:ledger", f"{base}:live", f"{base}:resting"]
        values = [command, now, attempt, *arguments]
        with reaching_redis():
            try:
                return await self._script(keys=keys, args=values)
            except ResponseError as error:
                if isinstance(error, UNAVAILABLE) or "OOM" in str(error):  # 6.2 wraps the errors of a script's commands
                    raise
                _log.warning("ledger_not_readable", ledger=name, error=str(error))
                await self._script.registered_client.delete(*keys)
                return await self._script(keys=keys, args=values)


def to_texts(budget: Budget) -> tuple[str, str]:
    """Return both rates as arguments of the script; an unlimited rate is an empty string."""
    rates = (budget.bytes_per_second, budget.requests_per_second)
    bytes_rate, requests_rate = ("" if rate is None else repr(float(rate)) for rate in rates)
    return bytes_rate, requests_rate


def to_budget(bytes_rate: str, requests_rate: str) -> Budget:
    """Return the budget from the rates in the script's answer."""
    return Budget(*(float(text) if text else None for text in (bytes_rate, requests_rate)))


def to_progress(answer: Sequence[str]) -> LiveProgress:
    """Return the live figures from the script's answer."""
    read, written, requests, throttled, members, rate, bytes_held, requests_held, *budget = answer
    return LiveProgress(
        bytes_read=int(float(read)),
        bytes_written=int(float(written)),
        throttled_seconds=float(throttled),
        members=int(members),
        bytes_per_second=float(rate),
        requests=int(float(requests)),
        held=to_budget(bytes_held, requests_held),
        budget=to_budget(*budget),
    )
