"""The pace channel's ledger: what each task of an attempt moved, and the share it may move at from now on.

The arithmetic is one Lua script (`budgets.lua`), so a report is one atomic step however many replicas take reports. The
same script deals the limits of fleet and catalogs to the runs at work: `shared_budgets.py`.

Invariants (property test: `tests/integration/queue/test_shares.py`):
- The shares last answered to all tasks that are alive never sum to more than the budget, floors included. A task is
  alive while it has reported within `SILENCE_SECONDS` and has not reported that it finished.
- Nobody's share grows before the others made room: a task shrinks at its own next report only, so a newcomer gets what
  is free, at least 0.5 % of budget / lanes (out of a reserve of 1 %), and its full share once the others have reported.
- Every share is above zero. When `n` tasks are alive and each has reported twice, each holds 99 % of budget / n.
- Totals never fall: reports carry totals since the task's start, so a lost one loses nothing and a late one changes
  nothing.

Limits: an answer lost on its way leaves the task at its old share until its next report. After a lowered budget the sum
is above the new one until each task has reported once. A task that has been silent for `SILENCE_SECONDS`, or that moves
bytes before its first report, is not in the sum. If Redis lost everything, tasks move next to nothing until the attempt
is opened again (its worker does so about twice a second; that of a dead worker never, though others may be at work
under the same limits); the live rate then shows too much for ten seconds, since the first reports carry old totals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from redis.asyncio import Redis
from redis.commands.core import AsyncScript

from engine.domain.fleet.budgets import Budget, PaceAnswer, TaskReport
from engine.domain.ids import RunId
from engine.queue.connection import reaching_redis

SILENCE_SECONDS: Final = 5
"""A task that is silent for so long counts as gone (the same figure as in the script)."""

NEXT_TO_NOTHING: Final = Budget(1024.0, 0.1)
"""What a task may move whose attempt is not open."""

_NOTHING: Final = Budget(0.0, 0.0)
_UNLIMITED: Final = Budget()


@dataclass(frozen=True, slots=True)
class LiveProgress:
    """What the members of a ledger have moved so far; the rate is read + written over about 10 s.

    `members` counts those alive; what finished and lost ones moved stays in the totals. `held` is what the live ones
    may move at together (zero where nothing is limited), `budget` what is dealt to them.
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
    """Deals the budget of an attempt to its tasks and counts what they move. Every method is one round trip.

    `now` gives seconds and is for tests; by default the Redis server's clock decides. All methods raise Transient when
    Redis does not answer, and all may be sent twice without harm.
    """

    def __init__(self, *, redis: Redis, now: Callable[[], float] | None = None) -> None:
        self._script = BudgetScript(redis=redis, now=now)

    async def open(
        self, run_id: RunId, attempt: int, budget: Budget, lanes: int, *, seconds: float | None = None
    ) -> None:
        """Let the tasks of an attempt report. `lanes` (≥ 1) is how many of them run at once at most.

        Sent again it changes the budget and keeps everything else, a stop too. It ends earlier attempts: their tasks
        are told to stop. It does nothing when a later attempt is open already. A budget that was given for so many
        `seconds` and is not renewed lapses: tasks get their floor only, since whoever sent them is gone.
        """
        lapses = "" if seconds is None else repr(seconds)
        await self._call("open", run_id, attempt, *to_texts(budget), max(lanes, 1), lapses)

    async def report(self, run_id: RunId, attempt: int, report: TaskReport) -> PaceAnswer:
        """Count what a task moved and return its share: rates per second, None where unlimited, or the order to stop.

        A task should report before it moves its first byte, and about once a second from then on, also while it waits.
        It gets `NEXT_TO_NOTHING` while its attempt is not open (or Redis lost it).
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
        """Say that the attempt ended: tasks that are still about are told to stop; it is forgotten after 15 minutes."""
        await self._call("close", run_id, attempt)

    async def progress(self, run_id: RunId) -> LiveProgress:
        """Return the live figures of the run's latest attempt, all zero when nothing is known of it."""
        return to_progress(await self._call("progress", run_id, 0))

    async def _call(self, command: str, run_id: RunId, attempt: int, *arguments: str | int) -> Any:
        return await self._script.call(str(run_id), command, attempt, *arguments)


class BudgetScript:
    """The script of all ledgers. `call` is one atomic step on one ledger and raises Transient without Redis."""

    def __init__(self, *, redis: Redis, now: Callable[[], float] | None = None) -> None:
        text = files("engine.queue").joinpath("budgets.lua").read_text("utf-8")
        self._script: AsyncScript = redis.register_script(text)
        self._now = now

    async def call(self, name: str, command: str, attempt: int, *arguments: str | int) -> Any:
        """Send a command to the ledger of this name."""
        base = f"packhouse:pace:{{{name}}}"  # the braces keep a ledger's keys together on a Redis cluster
        now = "" if self._now is None else repr(self._now())
        with reaching_redis():
            return await self._script(
                keys=[f"{base}:ledger", f"{base}:live", f"{base}:resting"],
                args=[command, now, attempt, *arguments],
            )


def to_texts(budget: Budget) -> tuple[str, str]:
    """Return both rates as the script takes them; what is unlimited is empty."""
    rates = (budget.bytes_per_second, budget.requests_per_second)
    bytes_rate, requests_rate = ("" if rate is None else repr(float(rate)) for rate in rates)
    return bytes_rate, requests_rate


def to_budget(bytes_rate: str, requests_rate: str) -> Budget:
    """Return the rates that the script answered."""
    return Budget(*(float(text) if text else None for text in (bytes_rate, requests_rate)))


def to_progress(answer: Sequence[str]) -> LiveProgress:
    """Return the figures that the script answered."""
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
