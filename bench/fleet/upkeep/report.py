"""Compare a week with upkeep with the same week without: broken bounds, and the tables of figures."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Final

from bench.fleet.tables import as_table, count, size
from bench.fleet.upkeep import bounds
from bench.fleet.upkeep.patterns import DAY, PATTERNS, Pattern
from bench.fleet.upkeep.states import State
from bench.fleet.upkeep.week import Week, simulate
from engine.domain.runs.run import Operation

OPERATIONS: Final = (
    Operation.REWRITE,
    Operation.REWRITE_DELETES,
    Operation.REWRITE_MANIFESTS,
    Operation.EXPIRE_SNAPSHOTS,
    Operation.DELETE_OLD_COMPACTIONS,
    Operation.RECLAIM,
    Operation.REMOVE_ORPHANS,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """Two weeks of the same fleet, with the CPU time of both. `is_scarce`: workers are fewer than the load at peaks."""

    on: Week
    off: Week
    seconds: float
    is_scarce: bool

    def broken(self) -> list[str]:
        """Return in words each bound that does not hold."""
        late = bounds.delays(self.on, self.off, is_scarce=self.is_scarce)
        return [*late, *bounds.tables(self.on, is_scarce=self.is_scarce), *bounds.churn(self.on)]


def judge(
    tables: int,
    *,
    days: float,
    workers: int,
    is_scarce: bool = False,
    seed: int = 1,
    patterns: Sequence[Pattern] = PATTERNS,
) -> Judged:
    """Simulate both weeks."""
    began = process_time()
    off, on = (
        simulate(tables, days=days, workers=workers, upkeep=each, seed=seed, patterns=patterns)
        for each in (False, True)
    )
    return Judged(on, off, process_time() - began, is_scarce)


def report(found: Judged) -> str:
    """Return the tables of delays, of the waits of upkeep, of runs, and of the greatest figures."""
    on = found.on
    title = f"**{len(on.states):,} tables, {on.days:g} days, {on.workers} workers; {found.seconds:.0f} s of CPU**"
    head = ("week", "rewrites", "median delay", "99 %", "longest", "longest with urgent_after", "workers busy", "looks")
    delays = [
        (
            name,
            count(len(week.delays)),
            *(f"{week.delay(percent):.0f} s" for percent in (50, 99, 100)),
            f"{max(week.urgent, default=0.0):.0f} s",
            f"{week.worked / (week.days * DAY * week.workers):.1%}",
            count(week.looks),
        )
        for name, week in (("upkeep off", found.off), ("upkeep on", on))
    ]
    waits = f"Longest run: {on.longest_run:.0f} s. Most runs of upkeep submitted in a minute: "
    waits += f"{max(on.submitted.values(), default=0)}. Longest wait of upkeep for a worker: "
    waits += ", ".join(f"{each} {max(on.waits[each]):.0f} s" for each in OPERATIONS if each in on.waits) + "."
    runs = ("runs for each table and day", *(each.value for each in OPERATIONS), "without effect", "empty searches")
    most = ("most in a table (bound)", "snapshots", "manifests", "delete files", "orphans", "superseded")
    parts = (as_table(title, head, delays), waits + "\n", as_table("", runs, list(_runs(on))).lstrip())
    return "\n".join((*parts, as_table("", most, list(_most(found))).lstrip()))


def _runs(week: Week) -> Iterator[tuple[str, ...]]:
    for pattern, states in _by_pattern(week):
        per_day = (week.runs[pattern.name, each] / len(states) / week.days for each in OPERATIONS)
        searches = week.idle_runs[pattern.name, Operation.REMOVE_ORPHANS]
        idle = sum(week.idle_runs[pattern.name, each] for each in OPERATIONS) - searches
        yield pattern.name, *(f"{each:.2f}" for each in per_day), count(idle), count(searches)


def _most(found: Judged) -> Iterator[tuple[str, ...]]:
    for pattern, states in _by_pattern(found.on):
        tables = [each.table for each in states]

        def bound(of: Callable[..., float], states: list[State] = states) -> float:
            return max(of(each, is_scarce=found.is_scarce) for each in states)

        yield (
            f"{pattern.name} ({len(states)} tables)",
            f"{max(each.most_snapshots for each in tables)} ({bound(bounds.snapshots):.0f})",
            f"{max(each.most_manifests for each in tables)} ({bound(bounds.manifests):.0f})",
            f"{max(each.most_deletes for each in tables)} ({bound(bounds.delete_files):.0f})",
            f"{max(each.failed.most for each in tables)} ({bound(bounds.orphans):.0f})",
            f"{size(max(each.most_superseded for each in tables))} ({size(bound(bounds.superseded))})",
        )


def _by_pattern(week: Week) -> Iterator[tuple[Pattern, list[State]]]:
    for pattern in PATTERNS:
        if states := [each for each in week.states if each.table.pattern == pattern]:
            yield pattern, states
