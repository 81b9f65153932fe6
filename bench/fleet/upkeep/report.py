"""Judge a week with upkeep: bounds by policy, delays of rewrites beside the week without upkeep, and the tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

from bench.fleet.tables import as_table, count, size
from bench.fleet.upkeep.tables import DAY, PATTERNS, Pattern
from bench.fleet.upkeep.week import SWITCHED_ON, State, Week, simulate
from engine.domain.runs.run import Operation
from engine.services.planning.upkeep.snapshot_files import LEAST_SAVED
from engine.services.planning.upkeep.states import LEAST_INTERVAL

MARGIN_SECONDS = 60.0
"""Most seconds by which upkeep may raise the median and the 99th percentile of the delays of rewrites."""
URGENT_SECONDS = 1800.0
"""Most seconds from the instant at which a rewrite may start to its start, of any table in the week."""
SLACK = 1.25
"""Irregular commits, and the time from when an operation is due to its end."""
MANIFESTS_ABOVE = 100
MANIFESTS_DAYS = 7.0
HOURS = {"d": 24.0, "h": 1.0}


@dataclass(frozen=True, slots=True)
class Judged:
    """Two weeks of the same fleet, with the CPU time of both."""

    on: Week
    off: Week
    seconds: float

    def broken(self) -> list[str]:
        """Return in words each bound that does not hold."""
        late = [
            f"{percent} % of rewrites begin within {self.on.delay(percent):.0f} s, without upkeep {without:.0f} s"
            for percent in (50, 99)
            if self.on.delay(percent) > (without := self.off.delay(percent)) + MARGIN_SECONDS
        ]
        if self.on.delay(100) > URGENT_SECONDS:
            late.append(f"a rewrite began {self.on.delay(100):.0f} s late, at most {URGENT_SECONDS:.0f} s are allowed")
        return [*late, *_bounds(self.on), *_churn(self.on)]


def judge(tables: int, *, days: float, workers: int, seed: int = 1) -> Judged:
    """Simulate both weeks."""
    began = process_time()
    off, on = (simulate(tables, days=days, workers=workers, upkeep=each, seed=seed) for each in (False, True))
    return Judged(on, off, process_time() - began)


def snapshot_bound(state: State) -> float:
    """Return the most snapshots by the policy: of the age that is kept and the interval, and `keep_last`."""
    rule = SWITCHED_ON[state.table.policy]["expire_snapshots"]
    hours = _hours(rule["older_than"]) + _hours(rule["interval"]) + _quiet_hours(state)
    return float(rule["keep_last"]) + SLACK * _per_hour(state.table.pattern) * hours + 2 * state.table.pattern.burst


def manifest_bound(state: State) -> float:
    """Return the most manifests: those that start an urgent rewrite and an hour's, or those of a whole interval."""
    pattern = state.table.pattern
    hour = LEAST_INTERVAL.total_seconds() / 3600 + _quiet_hours(state)
    urgent = MANIFESTS_ABOVE + LEAST_SAVED + SLACK * _per_hour(pattern) * hour + pattern.burst
    return min(urgent, LEAST_SAVED + SLACK * _per_hour(pattern) * 24 * MANIFESTS_DAYS + pattern.burst)


def report(found: Judged) -> str:
    """Return the tables of delays, and of each pattern."""
    on, off = found.on, found.off
    delays = [
        (
            name,
            count(len(week.delays)),
            *(f"{week.delay(percent):.0f} s" for percent in (50, 99, 100)),
            f"{week.worked / (week.days * DAY * week.workers):.1%}",
            count(week.looks),
        )
        for name, week in (("upkeep off", off), ("upkeep on", on))
    ]
    head = ("week", "rewrites", "median delay", "99 %", "longest", "workers busy", "looks")
    title = f"**{len(on.states):,} tables, {on.days:g} days, {on.workers} workers; {found.seconds:.0f} s of CPU**"
    columns = ("written", "tables", *(f"{each.value} a day" for each in _operations()), "without effect")
    columns += ("most snapshots", "most manifests", "most superseded")
    return as_table(title, head, delays) + "\n" + as_table("**Each table and day**", columns, list(_rows(on)))


def _rows(week: Week) -> Iterator[tuple[str, ...]]:
    for pattern in PATTERNS:
        states = [each for each in week.states if each.table.pattern is pattern]
        per_day = [week.runs[pattern.name, each] / len(states) / week.days for each in _operations()] if states else []
        idle = sum(week.idle_runs[pattern.name, each] for each in _operations())
        if states:
            yield (
                pattern.name,
                count(len(states)),
                *(f"{each:.2f}" for each in per_day),
                count(idle),
                f"{max(each.table.most_snapshots for each in states)} (<= {max(map(snapshot_bound, states)):.0f})",
                f"{max(each.table.most_manifests for each in states)} (<= {max(map(manifest_bound, states)):.0f})",
                size(max(each.table.most_superseded for each in states)),
            )


def _bounds(week: Week) -> Iterator[str]:
    for state in week.states:
        table = state.table
        limits = (
            ("snapshots", table.most_snapshots, snapshot_bound(state)),
            ("manifests", table.most_manifests, manifest_bound(state)),
            ("superseded bytes", table.most_superseded, _superseded_bound(state)),
        )
        for what, value, most in limits:
            if value > most:
                yield f"{table.name} ({table.pattern.name}): {value} {what}, at most {most:.0f}"
        if state.live is not None and week.waiting > URGENT_SECONDS:
            yield f"{table.name}: a run still waits after {week.waiting:.0f} s"


def _churn(week: Week) -> Iterator[str]:
    """Yield operations that run without effect, or more often than their least interval allows."""
    for (name, operation), runs in week.runs.items():
        tables = sum(each.table.pattern.name == name for each in week.states)
        if week.idle_runs[name, operation] > 0.05 * runs + 1:
            yield f"{name}: {week.idle_runs[name, operation]} of {runs} runs of {operation} have no effect"
        least = DAY / LEAST_INTERVAL.total_seconds() if operation is Operation.REWRITE_MANIFESTS else 4.0
        if operation is not Operation.REWRITE and runs > tables * (1 + least * week.days):
            yield f"{name}: {runs / tables / week.days:.1f} runs of {operation} for each table and day"


def _superseded_bound(state: State) -> float:
    """Return the bytes that arrive while a superseded file is kept: the age of history, the interval, and a backlog."""
    rule, pattern = SWITCHED_ON[state.table.policy]["expire_snapshots"], state.table.pattern
    hours = _hours(rule["older_than"]) + _hours(rule["interval"]) + _quiet_hours(state)
    each = pattern.files * pattern.file_bytes
    return float(each * (SLACK * _per_hour(pattern) * hours + 2 * pattern.burst + rule["keep_last"] + 2))


def _per_hour(pattern: Pattern) -> float:
    """Return snapshots per hour: commits, and at most as many rewrites, of which `min_interval` allows six."""
    commits = 3600 * pattern.burst / pattern.seconds
    return commits + min(6.0, commits) + min(1.0, commits)


def _quiet_hours(state: State) -> float:
    """Return the hours of a day in which no upkeep starts."""
    return 8.0 if state.policy.values["quiet_hours"] else 0.0


def _hours(text: str) -> float:
    return float(text[:-1]) * HOURS[text[-1]]


def _operations() -> list[Operation]:
    return [
        Operation.REWRITE,
        Operation.REWRITE_MANIFESTS,
        Operation.EXPIRE_SNAPSHOTS,
        Operation.DELETE_OLD_COMPACTIONS,
    ]
