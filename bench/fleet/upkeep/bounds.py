"""Bounds of a week with upkeep, derived from the policy and the writes of each table, and of the delays of rewrites."""

from collections.abc import Iterator
from math import ceil, sqrt
from typing import Final

from bench.fleet.upkeep.patterns import DAY, FAILED_SHARE, Pattern
from bench.fleet.upkeep.policies import LEAST_DELETES, URGENT_AFTER
from bench.fleet.upkeep.states import State
from bench.fleet.upkeep.week import Week
from engine.domain.runs.run import Operation
from engine.services.planning.upkeep.operations import is_on
from engine.services.planning.upkeep.orphans import orphan_rule
from engine.services.planning.upkeep.snapshot_files import LEAST_SAVED
from engine.services.planning.upkeep.states import LEAST_INTERVAL

MARGIN_SECONDS: Final = {False: 60.0, True: 1800.0}
"""Most seconds by which upkeep may raise the median and the 99th percentile of the delays of rewrites; where workers
are scarce, by one level of priority."""
WAIT_HOURS: Final = {False: 2.0, True: 8.0}
"""Most hours from the instant at which a run of upkeep is due to its end; where workers are scarce."""
SLACK: Final = 1.25
"""Irregular commits."""
MANIFESTS_ABOVE: Final = 100
MANIFESTS_DAYS: Final = 7.0
IN_A_DAY: Final = {Operation.REWRITE_MANIFESTS: DAY / LEAST_INTERVAL.total_seconds(), Operation.REMOVE_ORPHANS: 2.0}
"""Most runs of an operation for each table and day; 4 of the others, whose least interval is 6 h."""


def delays(on: Week, off: Week, *, is_scarce: bool) -> Iterator[str]:
    """Yield in words each bound on delays of rewrites that does not hold.

    No rewrite of a table with `urgent_after` may begin later than that after it was due, or than the latest one without
    upkeep if that is later; the run that a worker has begun ends first. Of all rewrites, the median and the 99th
    percentile rise by at most `MARGIN_SECONDS`.
    """
    for percent in (50, 99):
        if (late := on.delay(percent)) > (without := off.delay(percent)) + MARGIN_SECONDS[is_scarce]:
            yield f"{percent} % of rewrites begin within {late:.0f} s, without upkeep {without:.0f} s"
    most = max(URGENT_AFTER.total_seconds(), max(off.urgent, default=0.0)) + on.longest_run
    if (late := max(on.urgent, default=0.0)) > most:
        yield f"an urgent rewrite began {late:.0f} s after it was due, at most {most:.0f} s are allowed"
    for operation, waits in on.waits.items():
        if max(waits) > 3600 * WAIT_HOURS[is_scarce]:
            yield f"a run of {operation} waited for {max(waits):.0f} s"
    if on.waiting > 3600 * WAIT_HOURS[is_scarce]:
        yield f"a run still waits after {on.waiting:.0f} s"


def tables(week: Week, *, is_scarce: bool) -> Iterator[str]:
    """Yield in words each table that exceeds a bound."""
    for state in week.states:
        table = state.table
        limits = (
            ("snapshots", table.most_snapshots, snapshots(state, is_scarce=is_scarce)),
            ("manifests", table.most_manifests, manifests(state, is_scarce=is_scarce)),
            ("delete files", table.most_deletes, delete_files(state, is_scarce=is_scarce)),
            ("orphans", table.failed.most, orphans(state, is_scarce=is_scarce)),
            ("superseded bytes", table.most_superseded, superseded(state, is_scarce=is_scarce)),
        )
        for what, value, most in limits:
            if value > most:
                yield f"{table.name} ({table.pattern.name}): {value} {what}, at most {most:.0f}"


def churn(week: Week) -> Iterator[str]:
    """Yield operations that run without effect, or more often than their least interval allows."""
    for (name, operation), runs in week.runs.items():
        count = sum(each.table.pattern.name == name for each in week.states)
        idle = week.idle_runs[name, operation]
        if operation is not Operation.REMOVE_ORPHANS and idle > 0.05 * runs + 1:  # only a search shows that all is well
            yield f"{name}: {idle} of {runs} runs of {operation} have no effect"
        if operation is not Operation.REWRITE and runs > count * (1 + IN_A_DAY.get(operation, 4.0) * week.days):
            yield f"{name}: {runs / count / week.days:.1f} runs of {operation} for each table and day"


def snapshots(state: State, *, is_scarce: bool) -> float:
    """Return the most snapshots: of the history that is kept and the interval, and `keep_last`."""
    hours, keep_last = state.policy.history()
    return (
        keep_last
        + SLACK * _commits(state.table.pattern) * (hours + _late(state, is_scarce))
        + 2 * state.table.pattern.burst
    )


def manifests(state: State, *, is_scarce: bool) -> float:
    """Return the most manifests: those that start an urgent rewrite and an hour's, or those of a whole interval."""
    pattern = state.table.pattern
    hours = LEAST_INTERVAL.total_seconds() / 3600 + _late(state, is_scarce)
    urgent = MANIFESTS_ABOVE + LEAST_SAVED + SLACK * _commits(pattern) * hours + pattern.burst
    return min(urgent, LEAST_SAVED + SLACK * _commits(pattern) * 24 * MANIFESTS_DAYS + pattern.burst)


def delete_files(state: State, *, is_scarce: bool) -> float:
    """Return the most delete files: of the interval of their rewrite, or of the history that they may block."""
    pattern, policy = state.table.pattern, state.policy
    if is_on(policy.effective, Operation.REWRITE_DELETES):
        hours = policy.interval_hours(Operation.REWRITE_DELETES)
    else:
        hours = (policy.blocks_after or 0.0) / 3600
    return LEAST_DELETES + SLACK * pattern.deletes * _writes(pattern) * (hours + _late(state, is_scarce))


def orphans(state: State, *, is_scarce: bool) -> float:
    """Return the most orphans: of their least age, and of the looks until they were found a quarantine apart."""
    pattern, rule = state.table.pattern, orphan_rule(state.policy.effective)
    interval = state.policy.interval_hours(Operation.REMOVE_ORPHANS)
    looks = 1 + ceil(rule.quarantine.total_seconds() / 3600 / interval)
    hours = rule.age.total_seconds() / 3600 + looks * (interval + _late(state, is_scarce))
    failed = FAILED_SHARE * (_writes(pattern) * hours + 2 * (pattern.burst - 1))
    return pattern.files * (failed + 4 * sqrt(failed) + 2)


def superseded(state: State, *, is_scarce: bool) -> float:
    """Return the bytes that arrive while a superseded file is kept: the history, the interval, and a backlog."""
    pattern, (hours, keep_last) = state.table.pattern, state.policy.history()
    commits = SLACK * _commits(pattern) * (hours + _late(state, is_scarce)) + 2 * pattern.burst + keep_last + 2
    return float(pattern.files * pattern.file_bytes * commits)


def _writes(pattern: Pattern) -> float:
    """Return commits of writers per hour."""
    return 3600 * pattern.burst / pattern.seconds


def _commits(pattern: Pattern) -> float:
    """Return snapshots per hour: at most as many rewrites as commits, of which `min_interval` allows six."""
    writes = _writes(pattern)
    return writes + min(6.0, writes) + min(1.0, writes)


def _late(state: State, is_scarce: bool) -> float:
    """Return the most hours from the instant at which upkeep is due to its end."""
    return state.policy.quiet_hours + WAIT_HOURS[is_scarce]
