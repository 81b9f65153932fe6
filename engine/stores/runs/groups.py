"""File groups of a run. Every write checks the run's lease and locks the run's row until the transaction ends.

    planned → running → written → committed
    planned, running, written → dropped

A group that is `written` survives its attempt: a later one may commit it using the footers of its outputs, or the
message of its task. These take most of its space, and are removed when it is committed or dropped. Batches change all
or nothing.
"""

import builtins
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    and_,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import IllegalTransition
from engine.domain.ids import RunId, TableId
from engine.domain.runs.drops import DropReason
from engine.domain.runs.files import DeleteRef, InputFile, OutputFile
from engine.domain.runs.leases import Lease
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.run import FileCounts, GroupOutline, GroupState, GroupTotals, StoredGroup
from engine.stores.runs.changes import lock_lease
from engine.stores.schema.core import file_groups as groups
from engine.stores.schema.core import rewritten_bytes
from engine.stores.sql.dialects import now, partition_key

_CHUNK: Final = 500
_FILES_PAGE: Final = 50
_OUTLINE: Final = tuple(groups.c[each.name] for each in fields(GroupOutline))
_WITHOUT_FOOTERS: Final = {
    "sqlite": "(SELECT json_group_array(json_remove(value, '$.footer')) FROM json_each(outputs))",
    "postgresql": "(SELECT coalesce(jsonb_agg(each - 'footer' ORDER BY at), '[]') "
    "FROM jsonb_array_elements(outputs) WITH ORDINALITY AS rows (each, at))",
}
_WITHOUT_MESSAGE: Final = {"sqlite": "json_remove(measured, '$.message')", "postgresql": "measured - 'message'"}
"""SQL by dialect; SQLAlchemy has no common expression."""
_UNMEASURED: Final = frozenset({"group", "outcome", "reason", "inputs", "outputs", "timeline"})


class GroupStore:
    """Rows of `file_groups`. Every write raises `LeaseLost` when the lease expired or another holder has it."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def replace_planned(self, lease: Lease, planned: Sequence[FileGroup]) -> builtins.list[FileGroup]:
        """Replace unfinished and dropped groups by those of a new plan; written and committed groups are kept.

        Returns the groups with their new ordinals, which continue after the largest this run has ever stored: an
        ordinal never identifies two groups.
        """
        table_id = await lock_lease(self._connection, lease)
        largest = select(func.max(groups.c.ordinal)).where(groups.c.run_id == lease.run_id)
        highest = (await self._connection.execute(largest)).scalar_one()
        first = 0 if highest is None else highest + 1
        gone = groups.c.state.in_([GroupState.PLANNED, GroupState.RUNNING, GroupState.DROPPED])
        await self._connection.execute(delete(groups).where(groups.c.run_id == lease.run_id, gone))
        numbered = [replace(group, ordinal=first + index) for index, group in enumerate(planned)]
        for start in range(0, len(numbered), _CHUNK):
            rows = [_new_row(lease, table_id, group) for group in numbered[start : start + _CHUNK]]
            await self._connection.execute(insert(groups).values(updated_at=now()), rows)
        return numbered

    async def mark_running(self, lease: Lease, ordinals: Iterable[int]) -> None:
        """Record that tasks for these groups are about to be sent, including groups left running by an earlier attempt.

        Raises:
            IllegalTransition: a group is neither planned nor running.
        """
        await lock_lease(self._connection, lease)
        unfinished = groups.c.state.in_([GroupState.PLANNED, GroupState.RUNNING])
        started = func.coalesce(groups.c.started_at, now())
        await self._mark(lease, list(ordinals), unfinished, {"state": GroupState.RUNNING, "started_at": started})

    async def replace_inputs(
        self, lease: Lease, ordinal: int, inputs: Sequence[InputFile], *, moved: AbstractSet[str] = frozenset()
    ) -> None:
        """Record the files that a group really replaced, for rewrites that choose their own input files.

        `moved`: paths of those that stay as they are and only get another level; their bytes do not count.

        Raises:
            IllegalTransition: the group is not running.
        """
        await lock_lease(self._connection, lease)
        values = {
            "state": GroupState.RUNNING,
            "inputs": [_dump_input(each) for each in inputs],
            "input_bytes": sum(each.file_bytes for each in inputs if each.path not in moved),
        }
        await self._mark(lease, [ordinal], groups.c.state == GroupState.RUNNING, values)

    async def mark_written(
        self, lease: Lease, result: Mapping[str, Any], *, moved: AbstractSet[str] = frozenset()
    ) -> StoredGroup:
        """Store the outputs of one group, count its input bytes as rewritten, and return the group.

        `result` is a task's result as JSON-ready values: `group` (the ordinal), `outputs` (path, file_bytes,
        record_count, footer of each), `rows_deleted` and any other measurements. `moved`: see `replace_inputs`.

        Raises:
            IllegalTransition: the group is neither planned nor running.
        """
        table_id = await lock_lease(self._connection, lease)
        outputs = [_output(each) for each in result["outputs"]]
        values = {
            "state": GroupState.WRITTEN,
            "outputs": [asdict(each) for each in outputs],
            "output_bytes": sum(each.file_bytes for each in outputs if each.path not in moved),
            "rows_deleted": result["rows_deleted"],
            "measured": {name: value for name, value in result.items() if name not in _UNMEASURED},
        }
        unfinished = groups.c.state.in_([GroupState.PLANNED, GroupState.RUNNING])
        await self._mark(lease, [result["group"]], unfinished, values)
        read = select(groups).where(groups.c.run_id == lease.run_id, groups.c.ordinal == result["group"])
        row = (await self._connection.execute(read)).mappings().one()
        entry = {"table_id": table_id, "bytes": row["input_bytes"]}
        await self._connection.execute(insert(rewritten_bytes).values(**entry, at=now()))
        return _to_group(row)

    async def prune_bytes(self, older_than: datetime, limit: int) -> int:
        """Delete counts of bytes moved before an instant, at most `limit` rows; return how many."""
        old = select(rewritten_bytes.c.id).where(rewritten_bytes.c.at < older_than).limit(limit)
        statement = delete(rewritten_bytes).where(rewritten_bytes.c.id.in_(old))
        return (await self._connection.execute(statement)).rowcount

    async def mark_committed(self, lease: Lease, ordinals: Iterable[int], snapshot_id: int) -> None:
        """Record that these groups were committed in a snapshot. Idempotent for the same snapshot.

        Raises:
            IllegalTransition: a group is not written, or was committed in another snapshot.
        """
        await lock_lease(self._connection, lease)
        fits = or_(
            groups.c.state == GroupState.WRITTEN,
            and_(groups.c.state == GroupState.COMMITTED, groups.c.snapshot_id == snapshot_id),
        )
        values = {"state": GroupState.COMMITTED, "snapshot_id": snapshot_id, **self._without_commit_data}
        await self._mark(lease, list(ordinals), fits, values)

    async def mark_dropped(self, lease: Lease, reasons: Mapping[int, DropReason]) -> None:
        """Drop groups, each with its reason.

        Raises:
            IllegalTransition: a group is already committed or dropped.
        """
        await lock_lease(self._connection, lease)
        open_states = groups.c.state.in_([GroupState.PLANNED, GroupState.RUNNING, GroupState.WRITTEN])
        for reason in sorted(set(reasons.values()), key=str):
            ordinals = [ordinal for ordinal, given in reasons.items() if given == reason]
            values = {"state": GroupState.DROPPED, "reason": str(reason), **self._without_commit_data}
            await self._mark(lease, ordinals, open_states, values)

    async def list(
        self,
        run_id: RunId,
        states: AbstractSet[GroupState] | None = None,
        after_ordinal: int | None = None,
        limit: int = 100,
    ) -> builtins.list[StoredGroup]:
        """Return groups of a run after `after_ordinal`, by ordinal; a filter of None is not applied."""
        query = select(groups).where(groups.c.run_id == run_id).order_by(groups.c.ordinal).limit(limit)
        if states is not None:
            query = query.where(groups.c.state.in_(sorted(states)))
        if after_ordinal is not None:
            query = query.where(groups.c.ordinal > after_ordinal)
        return [_to_group(row) for row in (await self._connection.execute(query)).mappings()]

    async def outlines(
        self, run_id: RunId, states: AbstractSet[GroupState] | None = None
    ) -> builtins.list[GroupOutline]:
        """Return the groups of a run in these states (None: all), by ordinal, without their files."""
        query = select(*_OUTLINE).where(groups.c.run_id == run_id).order_by(groups.c.ordinal)
        if states is not None:
            query = query.where(groups.c.state.in_(sorted(states)))
        rows = (await self._connection.execute(query)).mappings()
        return [GroupOutline(**{**row, "reason": _reason(row["reason"])}) for row in rows]

    async def count_committed_files(self, run_id: RunId) -> FileCounts:
        """Return the numbers of files and rows of all committed groups. Read in pages: a run may have millions."""
        counts = [0, 0, 0, 0]
        committed = and_(groups.c.run_id == run_id, groups.c.state == GroupState.COMMITTED)
        async for inputs, outputs in self._pages(committed, groups.c.inputs, groups.c.outputs):
            sums = (len(inputs), _rows(inputs), len(outputs), _rows(outputs))
            counts = [before + more for before, more in zip(counts, sums, strict=True)]
        return FileCounts(*counts)

    async def output_paths(
        self, run_id: RunId, states: AbstractSet[GroupState], *, also: AbstractSet[int] = frozenset()
    ) -> frozenset[str]:
        """Return the paths of outputs and side files of groups in these states or with these ordinals."""
        fits = or_(groups.c.state.in_(sorted(states)), groups.c.ordinal.in_(sorted(also)))
        side = groups.c.measured["side_files"]
        pages = self._pages(and_(groups.c.run_id == run_id, fits), groups.c.outputs, side)
        found: set[str] = set()
        async for outputs, side_files in pages:
            found.update(file["path"] for file in outputs)
            found.update(side_files or ())
        return frozenset(found)

    async def totals(self, run_id: RunId) -> GroupTotals:
        """Return the number and bytes of a run's groups by state; every state is a key."""
        query = (
            select(groups.c.state, func.count(), func.sum(groups.c.input_bytes), func.sum(groups.c.output_bytes))
            .where(groups.c.run_id == run_id)
            .group_by(groups.c.state)
        )
        found = {row[0]: row[1:] for row in await self._connection.execute(query)}
        by_column = ({state: int(found.get(state, (0, 0, 0))[column]) for state in GroupState} for column in range(3))
        return GroupTotals(*by_column)

    @property
    def _without_commit_data(self) -> Mapping[str, ColumnElement[Any]]:
        """Return the columns without what only a commit needs: the footers of outputs, and the library's message."""
        dialect = self._connection.dialect.name
        return {
            "outputs": literal_column(_WITHOUT_FOOTERS[dialect]),
            "measured": literal_column(_WITHOUT_MESSAGE[dialect]),
        }

    async def _pages(self, fits: ColumnElement[bool], *columns: ColumnElement[Any]) -> AsyncIterator[Sequence[Any]]:
        """Yield columns of groups by ordinal, in pages; only one page is in memory at a time."""
        query, after = select(groups.c.ordinal, *columns).where(fits).order_by(groups.c.ordinal), -1
        while page := (await self._connection.execute(query.where(groups.c.ordinal > after).limit(_FILES_PAGE))).all():
            for row in page:
                yield row[1:]
            after = page[-1].ordinal

    async def _mark(
        self, lease: Lease, ordinals: builtins.list[int], guard: ColumnElement[bool], values: Mapping[str, Any]
    ) -> None:
        marked: set[int] = set()
        for start in range(0, len(ordinals), _CHUNK):
            statement = (
                update(groups)
                .where(groups.c.run_id == lease.run_id, groups.c.ordinal.in_(ordinals[start : start + _CHUNK]), guard)
                .values(**values, attempt=lease.token, updated_at=now())
                .returning(groups.c.ordinal)
            )
            marked |= set((await self._connection.execute(statement)).scalars())
        refused = sorted(set(ordinals) - marked)
        if refused:
            raise IllegalTransition(
                f"groups {refused[:20]} of {lease.run_id} can't become {values['state']}", details={"groups": refused}
            )


def _rows(files: Iterable[Mapping[str, Any]]) -> int:
    return sum(file["record_count"] for file in files)


def _new_row(lease: Lease, table_id: TableId, group: FileGroup) -> dict[str, Any]:
    return {
        "run_id": lease.run_id,
        "ordinal": group.ordinal,
        "table_id": table_id,
        "partition_key": partition_key(group.place),
        "state": GroupState.PLANNED,
        "attempt": lease.token,
        "spec_id": group.spec_id,
        "output_spec_id": group.output_spec_id,
        "predicted_outputs": group.predicted_outputs,
        "input_bytes": group.input_bytes,
        "output_bytes": 0,
        "rows_deleted": 0,
        "partition": group.partition,
        "measured": {},
        "inputs": [_dump_input(each) for each in group.inputs],
        "outputs": [],
    }


def _dump_input(file: InputFile) -> dict[str, Any]:
    # Not `asdict`, which makes deep copies: a plan has hundreds of thousands of files, and this runs on the event loop.
    return {
        "path": file.path,
        "file_bytes": file.file_bytes,
        "record_count": file.record_count,
        "sequence_number": file.sequence_number,
        "row_groups": file.row_groups,
        "deletes": [_dump_delete(each) for each in file.deletes],
        "first_row_id": file.first_row_id,
    }


def _dump_delete(file: DeleteRef) -> dict[str, Any]:
    place = {} if file.offset is None else {"offset": file.offset, "length": file.length}
    return {"path": file.path, "file_bytes": file.file_bytes, **place, "rows": file.rows}


def _input(raw: Mapping[str, Any]) -> InputFile:
    deletes = tuple(DeleteRef(**each) for each in raw["deletes"])
    plain = (raw["path"], raw["file_bytes"], raw["record_count"], raw["sequence_number"])
    # groups stored by earlier versions do not have these
    return InputFile(*plain, deletes, raw.get("row_groups", 0), raw.get("first_row_id"))


def _output(raw: Mapping[str, Any]) -> OutputFile:
    values = raw.get("partition")
    partition = None if values is None else tuple(values)
    return OutputFile(raw["path"], raw["file_bytes"], raw["record_count"], raw.get("footer", ""), partition)


def _to_group(row: RowMapping) -> StoredGroup:
    return StoredGroup(
        run_id=RunId(row["run_id"]),
        ordinal=row["ordinal"],
        state=row["state"],
        attempt=row["attempt"],
        spec_id=row["spec_id"],
        partition=row["partition"],
        inputs=tuple(_input(each) for each in row["inputs"]),
        predicted_outputs=row["predicted_outputs"],
        outputs=tuple(_output(each) for each in row["outputs"]),
        rows_deleted=row["rows_deleted"],
        measured=row["measured"],
        snapshot_id=row["snapshot_id"],
        reason=_reason(row["reason"]),
        updated_at=row["updated_at"],
        output_spec_id=row["output_spec_id"],
    )


def _reason(text: str | None) -> DropReason | None:
    return None if text is None else DropReason.of(text)
