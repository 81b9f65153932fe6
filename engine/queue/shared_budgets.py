"""Ledgers of the fleet and of catalogs: the I/O limit shared by active runs, redistributed about once a second.

The arithmetic is that of a run's own ledger (`budgets.lua`); members are runs, each with its latest attempt. A run
reports what its tasks moved, what they may hold, and the most it can use (`cap`), and gets its share, which it
distributes among its tasks.

Invariants (property test: `tests/integration/queue/test_shared_budgets.py`):
- The holdings of live runs never sum to more than the limit. A run holds its share, or what its tasks may still hold
  if that is more: no share grows before the tasks of the other runs have slowed down.
- Shares are max-min fair: a run that can use less than an equal share gets what it can use (`cap`, which it computes
  itself: `services.operations.tasks.pace_use`), and the rest is distributed among the other runs.
  Once every run has reported four times, 99 % of the limit is distributed as far as the runs can use it.
- Every share is above zero; a new run gets at least 0.5 % of limit / lanes at once.
- A run that is silent for `SILENCE_SECONDS` is no longer a member; an earlier attempt of a run never counts.
- After a loss of Redis data no run gets more than it held until two seconds after the last run came back.

Limits: the script reads every member at each report, so one ledger serves some hundreds of concurrent runs. A lowered
or newly set limit is in force once every run, and then its tasks, have reported once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redis.asyncio import Redis

from engine.domain.fleet.budgets import Budget
from engine.domain.ids import RunId
from engine.queue.budgets import BudgetScript, LiveProgress, to_budget, to_progress, to_texts

FLEET = "fleet"
"""Name of the ledger of all runs."""


def catalog_ledger(catalog: str) -> str:
    """Return the name of the ledger of a catalog's runs."""
    return f"catalog/{catalog}"


@dataclass(frozen=True, slots=True)
class SharedLimit:
    """A shared limit: at most `lanes` (≥ 1) runs share it; the higher version wins."""

    budget: Budget
    lanes: int
    version: int


@dataclass(frozen=True, slots=True)
class RunReport:
    """Totals of a run since its attempt began, and the rates it holds now.

    `held`: the rates its tasks may use together until the run gives them a new budget. `cap`: the most it can use, None
    for no maximum. `is_returning`: it had a share before and may still hold it, although the ledger has no record.
    """

    bytes_read: int
    bytes_written: int
    requests: int
    throttled_seconds: float
    held: Budget
    cap: Budget
    is_returning: bool


@dataclass(frozen=True, slots=True)
class RunShare:
    """A run's share, None where unlimited; `level`: the share without its cap; `runs`: current number of members."""

    budget: Budget
    level: Budget
    runs: int


class SharedLedgers:
    """Shared ledgers by name. Each method is one round trip and raises `Transient` when Redis does not answer."""

    def __init__(self, *, redis: Redis, now: Callable[[], float] | None = None) -> None:
        self._script = BudgetScript(redis=redis, now=now)

    async def share(
        self, ledger: str, run_id: RunId, attempt: int, limit: SharedLimit, report: RunReport
    ) -> RunShare | None:
        """Record a run's totals and return its share; None when a later attempt of the run is a member."""
        answer: Sequence[str] | None = await self._script.call(
            ledger,
            "share",
            attempt,
            run_id,
            limit.version,
            *to_texts(limit.budget),
            max(limit.lanes, 1),
            report.bytes_read,
            report.bytes_written,
            report.requests,
            repr(report.throttled_seconds),
            *_or_zero(report.cap),
            *_or_zero(report.held),
            int(report.is_returning),
        )
        if answer is None:
            return None
        bytes_share, requests_share, bytes_level, requests_level, runs = answer
        return RunShare(to_budget(bytes_share, requests_share), to_budget(bytes_level, requests_level), int(runs))

    async def leave(self, ledger: str, run_id: RunId, attempt: int) -> None:
        """Release the share of a run at once. No-op when a later attempt is a member."""
        await self._script.call(ledger, "leave", attempt, run_id)

    async def progress(self, ledger: str) -> LiveProgress:
        """Return the live figures of all runs together; all zero when the ledger is empty."""
        return to_progress(await self._script.call(ledger, "progress", 0))


def _or_zero(budget: Budget) -> tuple[str, str]:
    bytes_rate, requests_rate = to_texts(budget)
    return bytes_rate or "0", requests_rate or "0"
