"""History of the fleet in intervals of an hour or a day: what was done, what was lost, and the backlog.

Everything comes from sums by hour and team in the record, so the cost depends on the number of hours and teams only.
The backlog is sampled by coordinators, because it can't be computed for past instants from what is kept.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.fleet.history import (
    HOUR,
    EndedRunSums,
    FleetHistory,
    FleetInterval,
    HistoryStep,
    TableActivity,
    floor_of,
)
from engine.domain.runs.run import RunState
from engine.domain.values.instants import Period
from engine.stores.database import Database

LONGEST: Final = timedelta(days=31)
DEFAULT_OF: Final[Mapping[HistoryStep, timedelta]] = {HistoryStep.HOUR: timedelta(days=1), HistoryStep.DAY: LONGEST}
SAMPLE_EVERY: Final = timedelta(minutes=5)
KEPT_FOR: Final = timedelta(days=93)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_Ended = Mapping[tuple[datetime, RunState], EndedRunSums]


class FleetHistoryService:
    """Returns the history of the fleet and samples its backlog."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def history(self, caller: Caller, period: Period, step: HistoryStep) -> FleetHistory:
        """Return the activity of the caller's teams' tables in a period, at most 31 days, in intervals of `step`.

        The period is extended to whole intervals; without `until` it ends now, without `since` it has the last 24 hours
        (hours) or 31 days (days). A table's activity belongs to the team that owned it at the time.

        Raises:
            InvalidInput: the period is empty or longer than 31 days.
        """
        teams = caller.visible_teams
        async with self._database.read() as unit:
            since, until = _checked(period, step, await unit.now())
            first, end = floor_of(since, step.length), _ceiling_of(until, step.length)
            known_since = await unit.fleet_hours.known_since()
            ended = await unit.fleet_hours.ended_runs(teams, first, end)
            tables = await unit.fleet_hours.tables(teams, first, end)
        if known_since is None:
            return FleetHistory(step, None, ())
        first = max(first, floor_of(known_since, step.length))
        starts = list(_starts(first, end, step.length))
        return FleetHistory(step, known_since, tuple(_intervals(starts, step.length, ended, tables)))

    async def sample(self) -> int:
        """Store the present backlog of each team, unless another process did within five minutes; return the rows."""
        async with self._database.read() as unit:
            now = await unit.now()
            last = await unit.fleet_hours.last_sample(now)
            if last is not None and now - last < SAMPLE_EVERY:
                return 0
            owners = await unit.fleet_figures.by_owner()
        async with self._database.begin() as unit:
            await unit.fleet_hours.sample(owners, now)
        return len({owner.owner_team for owner in owners})


def _checked(period: Period, step: HistoryStep, now: datetime) -> tuple[datetime, datetime]:
    until = now if period.until is None else min(period.until, now)
    since = max(until, _EPOCH + LONGEST) - DEFAULT_OF[step] if period.since is None else period.since
    if period.since is not None and since >= until:
        end = f"until ({until.isoformat()})" if period.until is not None else f"now ({now.isoformat()})"
        raise _bad(f"since must be earlier than {end}", since, "give an earlier since")
    if until - since > LONGEST:
        message = f"the period has {(until - since).days} days; a history covers at most {LONGEST.days}"
        raise _bad(message, since, "give a later since, or an earlier until")
    return since, until


def _bad(message: str, since: datetime, hint: str) -> InvalidInput:
    problem = FieldProblem("query:since", message, since.isoformat(), hint)
    return InvalidInput("the period can't be used", problems=(problem,))


def _ceiling_of(instant: datetime, length: timedelta) -> datetime:
    start = floor_of(instant, length)
    return start if start == instant else start + length


def _starts(first: datetime, end: datetime, length: timedelta) -> Iterator[datetime]:
    while first < end:
        yield first
        first += length


def _intervals(
    starts: Iterable[datetime], length: timedelta, ended: _Ended, tables: Mapping[datetime, TableActivity]
) -> Iterator[FleetInterval]:
    for start in starts:
        interval = FleetInterval(start, start + length, 0, 0, {}, EndedRunSums(), None)
        for hour in _starts(start, start + length, HOUR):
            interval = _with_hour(interval, hour, ended, tables)
        yield interval


def _with_hour(
    interval: FleetInterval, hour: datetime, ended: _Ended, tables: Mapping[datetime, TableActivity]
) -> FleetInterval:
    counts, sums = dict(interval.ended_runs), interval.sums
    for state in RunState:
        if (found := ended.get((hour, state))) is not None:
            counts[state] = counts.get(state, 0) + found.runs
            added = {name: getattr(sums, name) + getattr(found, name) for name in EndedRunSums.__slots__}
            sums = EndedRunSums(**added)
    of_tables = tables.get(hour, TableActivity(0, 0, None))
    return replace(
        interval,
        small_files_made=interval.small_files_made + of_tables.small_files_made,
        small_files_removed=interval.small_files_removed + of_tables.small_files_removed,
        ended_runs=counts,
        sums=sums,
        backlog=of_tables.sample or interval.backlog,
    )
