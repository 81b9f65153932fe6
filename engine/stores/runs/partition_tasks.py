"""The newest compaction task of each partition: the file groups that the run submitted last has planned for it.

Each partition takes one search of an index and reads the groups of one run, whatever the length of history.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, String, Text, and_, cast, column, func, select, values
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import RunId, TableId
from engine.domain.runs.drops import DropReason
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.open_groups import OpenGroup
from engine.domain.runs.run import LIVE_STATES, TERMINAL_STATES, GroupState, RunState
from engine.stores.schema.core import file_groups as groups
from engine.stores.schema.core import runs
from engine.stores.sql.dialects import partition_key

_CHUNK: Final = 500
_LENGTHS: Final = {"sqlite": func.json_array_length, "postgresql": func.jsonb_array_length}
_UNFINISHED: Final = (GroupState.RUNNING, GroupState.WRITTEN, GroupState.PLANNED)


@dataclass(frozen=True, slots=True)
class TaskGroups:
    """Sums over the file groups of a task in one state. `outputs`: written ones; `predicted_outputs`: of the plan.

    `reason`: why they were dropped, None in other states. `started_at`: the first start, None if none started.
    """

    state: GroupState
    reason: DropReason | None
    input_files: int
    input_bytes: int
    predicted_outputs: int
    outputs: int
    output_bytes: int
    started_at: datetime | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class PartitionTask:
    """The newest run that planned file groups of a partition, and these groups by state and reason, newest last."""

    run_id: RunId
    run_state: RunState
    groups: Sequence[TaskGroups]

    @property
    def state(self) -> GroupState:
        """The state of the task.

        Running if a group is, or if some have begun and others not; written if the rest waits for its commit. Once no
        group is unfinished: committed if any was, otherwise dropped.
        """
        found = {each.state for each in self.groups}
        if GroupState.PLANNED in found and len(found) > 1:
            return GroupState.RUNNING
        order = (GroupState.RUNNING, GroupState.PLANNED, GroupState.WRITTEN, GroupState.COMMITTED)
        return next((state for state in order if state in found), GroupState.DROPPED)

    @property
    def started_at(self) -> datetime | None:
        """The start of its first group; None before."""
        return min((each.started_at for each in self.groups if each.started_at is not None), default=None)

    @property
    def ended_at(self) -> datetime | None:
        """The instant at which its last group was committed or dropped; None before."""
        return None if self.state in _UNFINISHED else max(each.updated_at for each in self.groups)

    @property
    def drop_reason(self) -> DropReason | None:
        """The reason of the group that was dropped last; None if no group was."""
        return next((each.reason for each in reversed(self.groups) if each.reason is not None), None)

    def sum(self, name: str, *states: GroupState) -> int:
        """Return the sum of a field over the groups in these states; without states, over all groups."""
        return sum(getattr(each, name) for each in self.groups if not states or each.state in states)


class PartitionTaskStore:
    """Rows of `file_groups` by partition, read-only."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def newest(self, table_id: TableId, places: Sequence[Place]) -> Mapping[Place, PartitionTask]:
        """Return the newest task of each of these partitions; those that no run has planned are left out."""
        found: dict[Place, PartitionTask] = {}
        for start in range(0, len(places), _CHUNK):
            by_key = {partition_key(place): place for place in places[start : start + _CHUNK]}
            query = newest_tasks(table_id, list(by_key), self._connection.dialect.name)
            rows: dict[str, list[Any]] = {}
            for row in await self._connection.execute(query):
                rows.setdefault(row.partition_key, []).append(row)
            found |= {by_key[key]: _to_task(own) for key, own in rows.items()}
        return found

    async def open_groups(self, table_id: TableId, place: Place, file_name: str) -> Sequence[OpenGroup]:
        """Return the file groups of a partition that live runs have neither committed nor dropped, newest run last.

        Files are compared by text, as a group can have tens of thousands: `file_name` must need no escape in JSON.
        """
        of_table = select(runs.c.id).where(runs.c.table_id == table_id, runs.c.state.in_(LIVE_STATES))
        live = set((await self._connection.execute(of_table)).scalars())
        if not live:
            return ()
        found = await self._connection.execute(groups_since(table_id, partition_key(place), min(live), file_name))
        return [
            OpenGroup(RunId(run_id), read, written, bool(has_input))
            for run_id, read, written, has_input in found
            if run_id in live
        ]


def groups_since(table_id: TableId, key: str, run_id: str, file_name: str) -> Select[Any]:
    """Return the query for the unfinished groups of a partition, of a run and later ones: ranges as in `newest_tasks`.

    Its columns are the run, the first input, the first output, and whether an input has the name.
    """
    return (
        select(
            groups.c.run_id,
            groups.c.inputs[0]["path"].as_string(),
            groups.c.outputs[0]["path"].as_string(),
            cast(groups.c.inputs, Text).contains(f'/{file_name}"', autoescape=True),
        )
        .where(
            groups.c.table_id == table_id,
            groups.c.partition_key.between(key, key),
            groups.c.run_id >= run_id,
            groups.c.state.in_(_UNFINISHED),
        )
        .order_by(groups.c.run_id, groups.c.ordinal)
    )


def newest_tasks(table_id: TableId, keys: Sequence[str], dialect: str) -> Select[Any]:
    """Return the query for the sums of each partition's newest task by state and reason, the newest of them last.

    Ranges of one value take the place of equalities: with those, Postgres may search for the newest run, and for its
    groups, in the primary key, and so read all of history or a whole plan.
    """
    wanted = values(column("key", String), name="wanted").data([(key,) for key in keys]).cte("wanted")
    newest = (
        select(groups.c.run_id)
        .where(groups.c.table_id == table_id, groups.c.partition_key.between(wanted.c.key, wanted.c.key))
        .order_by(groups.c.partition_key.desc(), groups.c.run_id.desc())
        .limit(1)
    )
    latest = select(wanted.c.key, newest.scalar_subquery().label("run_id")).cte("latest")
    of_task = and_(
        groups.c.table_id == table_id, groups.c.partition_key == latest.c.key, groups.c.run_id >= latest.c.run_id
    )
    key = (groups.c.partition_key, groups.c.run_id, groups.c.state, groups.c.reason)
    updated_at = func.max(groups.c.updated_at)
    return (
        select(
            groups.c.partition_key,
            groups.c.run_id,
            select(runs.c.state).where(runs.c.id == groups.c.run_id).scalar_subquery().label("run_state"),
            groups.c.state,
            groups.c.reason,
            func.sum(_LENGTHS[dialect](groups.c.inputs)).label("input_files"),
            func.sum(groups.c.input_bytes).label("input_bytes"),
            func.sum(groups.c.predicted_outputs).label("predicted_outputs"),
            func.sum(_LENGTHS[dialect](groups.c.outputs)).label("outputs"),
            func.sum(groups.c.output_bytes).label("output_bytes"),
            func.min(groups.c.started_at).label("started_at"),
            updated_at.label("updated_at"),
        )
        .select_from(latest)
        .join(groups, of_task)
        .group_by(*key)
        .order_by(groups.c.partition_key, updated_at, groups.c.state, groups.c.reason)
    )


def _to_task(rows: Sequence[Any]) -> PartitionTask:
    """Return the task of these rows; what a run that has ended left unfinished counts as dropped."""
    state: RunState = rows[0].run_state
    found = [_to_groups(row) for row in rows]
    if state in TERMINAL_STATES:
        found = [replace(each, state=GroupState.DROPPED) if each.state in _UNFINISHED else each for each in found]
    return PartitionTask(RunId(rows[0].run_id), state, found)


def _to_groups(row: Any) -> TaskGroups:
    return TaskGroups(
        state=row.state,
        reason=None if row.reason is None else DropReason.of(row.reason),
        input_files=int(row.input_files),
        input_bytes=int(row.input_bytes),
        predicted_outputs=int(row.predicted_outputs),
        outputs=int(row.outputs),
        output_bytes=int(row.output_bytes),
        started_at=row.started_at,
        updated_at=row.updated_at,
    )
