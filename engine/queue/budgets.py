"""The pace channel's ledger: what each task of an attempt moved, and the share it may move at from now on.

The arithmetic is one Lua script (`budgets.lua`), so a report is one atomic step however many replicas take reports.

Invariants (property test: `tests/integration/queue/test_shares.py`):
- The shares last answered to all tasks that are alive never sum to more than the budget, floors included. A task is
  alive while it has reported within `SILENCE_SECONDS` and has not reported that it finished.
- Nobody's share grows before the others made room: a task shrinks at its own next report only, so a newcomer gets what
  is free, at least 1 % of budget / lanes (out of a reserve of 2 %), and its full share once the others have reported.
- Every share is above zero. When `n` tasks are alive and each has reported twice, each holds 98 % of budget / n.
- Totals never fall: reports carry totals since the task's start, so a lost one loses nothing and a late one changes
  nothing.

Limits: an answer lost on its way leaves the task at its old share until its next report. After a lowered budget the sum
is above the new one until each task has reported once. A task that has been silent for `SILENCE_SECONDS`, or that moves
bytes before its first report, is not in the sum. If Redis lost everything, `report` raises NotFound until the attempt
is opened again (the worker does so whenever it sends groups) and tasks go on with their static share; the live rate
then shows too much for ten seconds, since the first reports carry old totals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from redis.asyncio import Redis

from engine.domain.budgets import Budget, PaceAnswer, TaskReport
from engine.domain.errors import NotFound
from engine.domain.ids import RunId
from engine.queue.connection import reaching_redis

SILENCE_SECONDS: Final = 5
"""A task that is silent for so long counts as gone (the same figure as in the script)."""


@dataclass(frozen=True, slots=True)
class LiveProgress:
    """What the tasks of a run's latest attempt have moved so far; the rate is read + written over about 10 s.

    `tasks` counts those alive; what finished and lost tasks moved stays in the totals.
    """

    bytes_read: int
    bytes_written: int
    throttled_seconds: float
    tasks: int
    bytes_per_second: float


class PaceLedger:
    """Deals the budget of an attempt to its tasks and counts what they move. Every method is one round trip.

    `now` gives seconds and is for tests; by default the Redis server's clock decides. All methods raise Transient when
    Redis does not answer, and all may be sent twice without harm.
    """

    def __init__(self, *, redis: Redis, now: Callable[[], float] | None = None) -> None:
        self._script = redis.register_script(files("engine.queue").joinpath("budgets.lua").read_text("utf-8"))
        self._now = now

    async def open(self, run_id: RunId, attempt: int, budget: Budget, lanes: int) -> None:
        """Let the tasks of an attempt report. `lanes` (≥ 1) is how many of them run at once at most.

        Sent again it changes the budget and keeps everything else, a stop too. It ends earlier attempts: their tasks
        are told to stop. It does nothing when a later attempt is open already.
        """
        limits = (_to_text(budget.bytes_per_second), _to_text(budget.requests_per_second))
        await self._call("open", run_id, attempt, *limits, max(lanes, 1))

    async def report(self, run_id: RunId, attempt: int, report: TaskReport) -> PaceAnswer:
        """Count what a task moved and return its share: rates per second, None where unlimited, or the order to stop.

        A task should report before it moves its first byte, and about once a second from then on, also while it waits.

        Raises:
            NotFound: the attempt is not open (or Redis lost it).
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
            raise NotFound(f"attempt {attempt} of run {run_id} takes no reports: it was not opened, or is long over")
        bytes_share, requests_share, stop = answer
        return PaceAnswer(budget=Budget(_to_rate(bytes_share), _to_rate(requests_share)), stop=stop == "1")

    async def stop(self, run_id: RunId, attempt: int) -> None:
        """Answer every later report of this attempt, and of earlier ones, with the order to stop. Can't be undone."""
        await self._call("stop", run_id, attempt)

    async def close(self, run_id: RunId, attempt: int) -> None:
        """Say that the attempt ended: tasks that are still about are told to stop; it is forgotten after 15 minutes."""
        await self._call("close", run_id, attempt)

    async def progress(self, run_id: RunId) -> LiveProgress:
        """Return the live figures of the run's latest attempt, all zero when nothing is known of it."""
        read, written, throttled, tasks, rate = await self._call("progress", run_id, 0)
        return LiveProgress(
            bytes_read=int(float(read)),
            bytes_written=int(float(written)),
            throttled_seconds=float(throttled),
            tasks=int(tasks),
            bytes_per_second=float(rate),
        )

    async def _call(self, command: str, run_id: RunId, attempt: int, *arguments: str | int) -> Any:
        base = f"packhouse:pace:{{{run_id}}}"  # the braces keep a run's keys together on a Redis cluster
        now = "" if self._now is None else repr(self._now())
        with reaching_redis():
            return await self._script(
                keys=[f"{base}:ledger", f"{base}:live", f"{base}:resting"],
                args=[command, now, attempt, *arguments],
            )


def _to_text(rate: float | None) -> str:
    return "" if rate is None else repr(float(rate))


def _to_rate(text: str) -> float | None:
    return float(text) if text else None
