"""Activity of the fleet by hour and team: counted as runs end and tables are measured, and sampled.

Reading costs one index range of the hours asked for, times the number of teams, regardless of runs and measurements.
Rows belong to the team that owned the tables at the time: a table that changes its team takes no history with it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Table, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.figures import OwnerFigures
from engine.domain.fleet.history import HOUR, BacklogSample, EndedRunSums, TableActivity, floor_of
from engine.domain.runs.run import Run, RunState
from engine.stores.schema.history import run_hours, table_hours
from engine.stores.sql.dialects import upsert

Teams = AbstractSet[str] | None
_OF_RUNS: Final = tuple(EndedRunSums.__slots__)
_FIGURES: Final = ("measured_tables", "file_count", "small_file_count", "avoidable_file_count", "total_bytes")
_SAMPLED: Final = (*_FIGURES, "history_bytes")


class FleetHourStore:
    """Rows of `run_hours` and `table_hours`; `teams=None` selects all of them."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def count_run(self, run: Run) -> None:
        """Add an ended run to the hour of its end. Ending runs of one team share the row until they are committed."""
        if run.finished_at is None:
            return
        added = {
            "runs": 1,
            "rewritten_files": run.result.rewritten_files or 0,
            "rewritten_bytes": run.result.rewritten_bytes,
            "wasted_bytes": run.result.wasted_bytes,
            "groups_committed": run.result.groups_committed,
            "groups_lost": run.result.races.groups_lost,
        }
        await self._add(run_hours, _key(run.finished_at, run.owner_team) | {"state": run.state}, added)

    async def count_small_files(self, measured_at: datetime, owner_team: str | None, change: int) -> None:
        """Add small files that a measurement found to be made (positive) or removed; no-op for 0."""
        if change:
            added = {"small_files_made": max(0, change), "small_files_removed": max(0, -change)}
            await self._add(table_hours, _key(measured_at, owner_team), added)

    async def sample(self, owners: Iterable[OwnerFigures], at: datetime) -> None:
        """Store the figures of owners as the sample of the present hour, replacing an earlier one."""
        by_team: defaultdict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_SAMPLED, 0))
        for owner in owners:
            sums = by_team[owner.owner_team or ""]
            for name in _SAMPLED:
                sums[name] += getattr(owner, name)
        for team, sums in sorted(by_team.items()):  # in one order: two processes may sample at once
            values: dict[str, Any] = {"sampled_at": at, **sums}
            statement = upsert(self._connection, table_hours).values(**_key(at, team), **values)
            statement = statement.on_conflict_do_update(index_elements=["hour", "owner_team"], set_=values)
            await self._connection.execute(statement)

    async def last_sample(self, now: datetime) -> datetime | None:
        """Return the time of the newest sample of this hour and the one before; None: there is none."""
        query = select(func.max(table_hours.c.sampled_at)).where(table_hours.c.hour >= floor_of(now, HOUR) - HOUR)
        found: datetime | None = (await self._connection.execute(query)).scalar_one()
        return found

    async def known_since(self) -> datetime | None:
        """Return the first hour in the record; None: there is none."""
        firsts = [
            (await self._connection.execute(select(func.min(each.c.hour)))).scalar_one()
            for each in (run_hours, table_hours)
        ]
        return min((first for first in firsts if first is not None), default=None)

    async def ended_runs(
        self, teams: Teams, since: datetime, until: datetime
    ) -> Mapping[tuple[datetime, RunState], EndedRunSums]:
        """Return the sums over runs by the hour in which they ended and their state."""
        rows = await self._connection.execute(ended_runs(teams, since, until))
        return {(row.hour, row.state): EndedRunSums(*map(int, row[2:])) for row in rows}

    async def tables(self, teams: Teams, since: datetime, until: datetime) -> Mapping[datetime, TableActivity]:
        """Return small files made and removed and the last sample, by hour."""
        found: dict[datetime, TableActivity] = {}
        for row in await self._connection.execute(table_activity(teams, since, until)):
            earlier = found.get(row.hour, TableActivity(0, 0, None))
            sample = earlier.sample
            if row.sampled_at is not None and (sample is None or row.sampled_at > sample.sampled_at):
                sample = BacklogSample(row.sampled_at, *(int(getattr(row, name)) for name in _SAMPLED))
            made, removed = int(row.small_files_made), int(row.small_files_removed)
            found[row.hour] = TableActivity(
                earlier.small_files_made + made, earlier.small_files_removed + removed, sample
            )
        return found

    async def prune(self, before: datetime, limit: int) -> int:
        """Delete rows of hours before an instant, at most `limit` of each table; return the greater number."""
        counts = []
        for each in (run_hours, table_hours):
            keys = list(each.primary_key.columns)
            old = select(*keys).where(each.c.hour < before).order_by(*keys).limit(limit)
            rows = (await self._connection.execute(old)).all()
            if rows:
                await self._connection.execute(delete(each).where(each.c.hour.in_({row.hour for row in rows})))
            counts.append(len(rows))
        return max(counts)

    async def _add(self, into: Table, key: dict[str, Any], added: dict[str, int]) -> None:
        statement = upsert(self._connection, into).values(**key, **added)
        sums = {name: into.c[name] + count for name, count in added.items()}
        await self._connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=sums))


def ended_runs(teams: Teams, since: datetime, until: datetime) -> Select[Any]:
    """Return the query for sums over ended runs by hour and state."""
    sums = (func.sum(run_hours.c[name]).label(name) for name in _OF_RUNS)
    query = select(run_hours.c.hour, run_hours.c.state, *sums).where(*_within(run_hours, teams, since, until))
    return query.group_by(run_hours.c.hour, run_hours.c.state)


def table_activity(teams: Teams, since: datetime, until: datetime) -> Select[Any]:
    """Return the query for sums over tables by hour and time of the sample: one sample has one time for all teams."""
    sums = (
        func.sum(table_hours.c[name]).label(name) for name in ("small_files_made", "small_files_removed", *_SAMPLED)
    )
    by = (table_hours.c.hour, table_hours.c.sampled_at)
    return select(*by, *sums).where(*_within(table_hours, teams, since, until)).group_by(*by)


def _within(of: Table, teams: Teams, since: datetime, until: datetime) -> list[ColumnElement[bool]]:
    own = [] if teams is None else [of.c.owner_team.in_(sorted(teams))]
    return [of.c.hour >= since, of.c.hour < until, *own]


def _key(at: datetime, owner_team: str | None) -> dict[str, Any]:
    return {"hour": floor_of(at, HOUR), "owner_team": owner_team or ""}
