"""The ledgers of fleet and catalogs: the limit that all runs at work share, dealt to them anew about once a second.

The arithmetic is that of a run's own ledger (`budgets.lua`); members are runs, each by its latest attempt. A run says
what its tasks moved, what they may hold, and the most it can use (`cap`), and gets its share, which it deals on.

Invariants (property test: `tests/integration/queue/test_shared_budgets.py`):
- What runs that are alive hold never sums to more than the limit. A run holds its share, or what its tasks may still
  hold if that is more: nobody grows before the tasks of the others have slowed down.
- Shares are max-min fair: a run that can use less than an equal share gets what it can use (`cap`, which it works out
  itself: `services.operations.tasks.pace_use`), the others what it leaves.
  When every run has reported four times, all of 99 % of the limit is dealt that the runs can use.
- Every share is above zero; a newcomer has at least 0.5 % of limit / lanes at once.
- A run that is silent for `SILENCE_SECONDS` is no member any more; an earlier attempt of a run never counts.
- After a loss of Redis nobody gets more than it held until two seconds after the last run came back.

Limits: the script looks at every member at each report, so one ledger serves some hundreds of runs at once. A limit
that was lowered, or set where there was none, holds when every run and then its tasks have reported once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redis.asyncio import Redis

from engine.domain.fleet.budgets import Budget
from engine.domain.ids import RunId
from engine.queue.budgets import BudgetScript, LiveProgress, to_budget, to_progress, to_texts

FLEET = "fleet"
"""The name of the ledger of all runs."""


def catalog_ledger(catalog: str) -> str:
    """Return the name of the ledger of a catalog's runs."""
    return f"catalog/{catalog}"


@dataclass(frozen=True, slots=True)
class SharedLimit:
    """What is dealt: `lanes` (≥ 1) is how many runs share it at most; of two versions the higher one holds."""

    budget: Budget
    lanes: int
    version: int


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run moved since its attempt began, and holds now.

    `held`: what its tasks may move at together until it deals them a new budget. `cap`: the most it can use, None for
    any. `is_returning`: it had a share before, which it may still hold although the ledger does not know of it.
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
    """A run's share, None where unlimited; `level` is what it could get if it could use more. `runs`: members now."""

    budget: Budget
    level: Budget
    runs: int


class SharedLedgers:
    """The shared ledgers by name. Every method is one round trip, raises Transient when Redis does not answer."""

    def __init__(self, *, redis: Redis, now: Callable[[], float] | None = None) -> None:
        self._script = BudgetScript(redis=redis, now=now)

    async def share(
        self, ledger: str, run_id: RunId, attempt: int, limit: SharedLimit, report: RunReport
    ) -> RunShare | None:
        """Count what a run moved and return its share; None when a later attempt of the run has taken its place."""
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
        """Give the share of a run back at once. Does nothing to a later attempt."""
        await self._script.call(ledger, "leave", attempt, run_id)

    async def progress(self, ledger: str) -> LiveProgress:
        """Return the live figures of all runs together, all zero when nothing is known."""
        return to_progress(await self._script.call(ledger, "progress", 0))


def _or_zero(budget: Budget) -> tuple[str, str]:
    bytes_rate, requests_rate = to_texts(budget)
    return bytes_rate or "0", requests_rate or "0"
