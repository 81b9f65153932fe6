"""A plain table as loaded at one point in time."""

import base64
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa

from engine.domain.errors import CommitConflict, NotEligible
from engine.domain.runs.drops import Loss
from engine.domain.runs.files import InputFile
from engine.domain.runs.output_names import attempt_of, output_prefix
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.domain.tables.table import TableRef
from engine.domain.values.partitions import TimeUnit
from engine.formats.base import (
    CommitDefaults,
    CommitOutcome,
    CommitRequest,
    CommittedBatch,
    Condition,
    Engine,
    GroupSettings,
    NoParts,
    RewriteEngine,
    SnapshotInfo,
    SnapshotKind,
    TableColumn,
    Verification,
    WrittenGroup,
)
from engine.planning.measures.digest import FILE_DIGEST, PartitionTime, TableMeasures
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.plans.predicates import PartitionSpecFields, SpecField
from engine.rewriting.kernel.contract import EngineTask, TaskIdentity, TaskInput
from engine.rewriting.kernel.kernel_task import BY_NAME, KernelTask, ParquetDialect, ReadPlan, WriteProfile
from tests.support.plain.versions import PlainFile, Version, VersionLog
from tests.support.planning import EngineOf

_MAX_TRIES = 16
_SPEC_ID = 0
_SCHEMA_ID = 0


class PlainTable(NoParts):
    """Implements `formats.base.OpenTable`."""

    schema_id = _SCHEMA_ID
    current_spec_id = _SPEC_ID

    def __init__(self, ref: TableRef, log: VersionLog) -> None:
        self.ref = ref
        self._log = log
        self._info = log.info()
        self.arrow_schema = self._info.schema
        self._number = log.newest()
        self._head = log.read(self._number)
        self.uuid, self.location, self.pointer = self._info.uuid, str(log.folder), str(self._number)

    @property
    def data_locations(self) -> Sequence[str]:
        return self.locations

    @property
    def locations(self) -> Sequence[str]:
        return [self.location]

    @property
    def head_snapshot_id(self) -> int | None:
        return None if self._head is None else self._head.number

    def describe(self) -> Mapping[str, Any]:
        columns = [{"name": each.name, "type": str(each.type)} for each in self._info.schema]
        specs = [{"spec_id": _SPEC_ID, "fields": [{"name": "day", "column": "day", "transform": "identity"}]}]
        shape = {"columns": columns, "specs": specs, "default_spec_id": _SPEC_ID}
        return {"format": "plain", "uuid": self.uuid, "version": self._number, **shape}

    def policy_properties(self) -> Mapping[str, Any]:
        return {}

    def columns(self) -> Sequence[TableColumn]:
        return [TableColumn(each.name, pa.types.is_nested(each.type)) for each in self._info.schema]

    def column_names(self) -> Sequence[str]:
        return list(self._info.schema.names)

    def partition_specs(self) -> Sequence[PartitionSpecFields]:
        day = SpecField(0, "day", "identity", "string", str)
        return [PartitionSpecFields(_SPEC_ID, (day,), lambda partition: [json.loads(partition)["day"]])]

    def snapshots(self, limit: int) -> Sequence[SnapshotInfo]:
        numbers = range(self._number, max(0, self._number - limit), -1)
        found = [version for number in numbers if (version := self._log.read(number)) is not None]
        return [
            SnapshotInfo(each.number, each.number - 1 or None, each.at_ms, SnapshotKind(each.kind), _bytes(each.added))
            for each in found
        ]

    def read_storage(self) -> None:
        (self._log.folder / "table.json").read_bytes()[:1]

    def digest(self) -> pa.Table:
        files = list(self._files.values())
        times = {file.version: self._at_ms(file.version) for file in files}
        rows = [
            dict.fromkeys(FILE_DIGEST.names, 0)
            | {
                "path": file.path,
                "partition": _partition(file.day),
                "file_format": "parquet",
                "file_bytes": file.file_bytes,
                "record_count": file.record_count,
                "sequence_number": file.version,
                "is_encrypted": False,
                "is_outside": False,
                "recorded_order": None,
                "added_at_ms": times[file.version],
                "data_at_ms": times[file.version],
                "bucket": None,
                "level": None,
                "refusal": None,
            }
            for file in files
        ]
        return pa.Table.from_pylist(rows, schema=FILE_DIGEST)

    def figures(self) -> TableMeasures:
        times = {number: self._at_ms(number) for number in range(1, self._number + 1)}
        return TableMeasures(
            snapshot_count=self._number,
            committed_at_ms=times,
            known_since_ms=times.get(1),
            times={_SPEC_ID: PartitionTime("day", TimeUnit.DAY)},
        )

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        raise NotEligible("plain tables have no order of rows")

    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        return ()

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        gone = [path for path in paths if path not in self._files]
        if gone:
            raise CommitConflict(f"{gone[0]} is not a file of the table")
        files = (self._files[path] for path in paths)
        return {each.path: InputFile(each.path, each.file_bytes, each.record_count, each.version) for each in files}

    @property
    def engines(self) -> Mapping[Engine, RewriteEngine]:
        return {Engine.ARROW: PlainKernel(self)}

    @property
    def commits(self) -> "PlainCommits":
        return PlainCommits(self._log, self._head)

    @property
    def _files(self) -> Mapping[str, PlainFile]:
        return {} if self._head is None else self._head.files

    def _at_ms(self, number: int) -> int:
        version = self._log.read(number)
        return 0 if version is None else version.at_ms


@dataclass(frozen=True)
class PlainCommits(CommitDefaults):
    """Commits to a plain table."""

    _log: VersionLog
    _head: Version | None

    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        if self._log.read(request.base_snapshot_id) is None:
            raise CommitConflict(f"version {request.base_snapshot_id} is not in the table's history")
        for number in range(1, _MAX_TRIES + 1):
            head = self._log.read(self._log.newest())
            assert head is not None
            lost = _lost(head, request.groups)
            kept = [group for group in request.groups if group.ordinal not in lost]
            if not kept:
                return CommitOutcome(None, (), lost, number)
            before_try()
            made = _replaced(head, request, kept)
            if self._log.add(made):
                return CommitOutcome(made.number, made.groups, lost, number)
        raise CommitConflict(f"{_MAX_TRIES} other commits were faster")

    def lost(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        if self._head is None or self._log.read(base_snapshot_id) is None:
            return {group.ordinal: Loss.TABLE_CHANGED for group in groups}
        return _lost(self._head, groups)

    def find(self, run_id: str) -> Sequence[CommittedBatch]:
        versions = (self._log.read(number) for number in range(1, self._log.newest() + 1))
        return [
            CommittedBatch(each.number, each.groups, each.attempt)
            for each in versions
            if each is not None and each.run == run_id
        ]

    def prove(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        version, parent = self._log.read(snapshot_id), self._log.read(snapshot_id - 1)
        if version is None or parent is None:
            missing = Condition("snapshot_present", False, f"no version {snapshot_id}")
            return Verification(snapshot_id, False, (missing,), 0, 0, 0, 0, 0, 0)
        removed = {path: file for path, file in parent.files.items() if path not in version.files}
        added = {path: file for path, file in version.files.items() if path not in parent.files}
        rows = _rows(removed), _rows(added)
        checks = (
            _same("removed_as_planned", removed, {file.path for group in groups for file in group.inputs}),
            _same("added_as_written", added, {file.path for group in groups for file in group.outputs}),
            Condition("rows_conserved", rows[0] == rows[1], f"{rows[0]} rows removed, {rows[1]} added"),
        )
        is_ok = all(check.holds for check in checks)
        sizes = _bytes(removed), _bytes(added)
        return Verification(snapshot_id, is_ok, checks, len(removed), len(added), *rows, *sizes)

    def list_outputs(self, run_id: str) -> Sequence[str]:
        found = (str(path) for path in (self._log.folder / "data").rglob("*.parquet"))
        return sorted(path for path in found if attempt_of(path, run_id) is not None)

    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:
        versions = (self._log.read(number) for number in range(1, self._log.newest() + 1))
        referenced = {path for each in versions if each is not None for path in each.files}
        gone = [
            path
            for path in self.list_outputs(run_id)
            if path not in keep | referenced and (attempt_of(path, run_id) or 0) <= up_to_attempt
        ]
        for path in gone:
            Path(path).unlink(missing_ok=True)
        return len(gone)


class PlainKernel(EngineOf):
    """The kernel on a plain table."""

    def conditions(self, order: object = None, *, moves_to_current_spec: bool = False) -> Sequence[Condition]:
        return [Condition("order_possible", order is None, "plain tables have no order of rows")]

    def task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        day = json.loads(group.partition)["day"]
        read = ReadPlan(
            files=tuple(TaskInput(each.path, each.file_bytes, each.record_count) for each in group.inputs),
            schema=_numbered(self.table.arrow_schema),
            match_by=BY_NAME,
            allowed_folders=(self.table.location,),
        )
        write = WriteProfile(
            folder=f"{self.table.location}/data/day={day}",
            file_count=group.predicted_outputs,
            settings=settings.write,
            dialect=ParquetDialect(has_field_ids=False),
        )
        task = KernelTask(TaskIdentity(run_id, attempt, group.ordinal), read, write, settings.checks_rows)
        return task.named(output_prefix(run_id, group.ordinal, attempt))


def _lost(head: Version, groups: Sequence[WrittenGroup] | Sequence[FileGroup]) -> dict[int, Loss]:
    gone = {group.ordinal: [file.path for file in group.inputs if file.path not in head.files] for group in groups}
    return {ordinal: Loss.SOURCE_GONE for ordinal, paths in gone.items() if paths}


def _replaced(head: Version, request: CommitRequest, groups: Sequence[WrittenGroup]) -> Version:
    number = head.number + 1
    removed = {file.path: head.files[file.path] for group in groups for file in group.inputs}
    added = {
        file.path: PlainFile(file.path, file.file_bytes, file.record_count, json.loads(group.partition)["day"], number)
        for group in groups
        for file in group.outputs
    }
    files = {path: file for path, file in head.files.items() if path not in removed} | added
    made = Version(number, round(time.time() * 1000), "rewrite", files, request.run_id, request.attempt)
    return replace(made, groups=tuple(group.ordinal for group in groups), removed=removed, added=added)


def _same(name: str, found: Mapping[str, PlainFile], planned: set[str]) -> Condition:
    return Condition(name, set(found) == planned, f"{len(found)} files; {len(planned)} planned")


def _partition(day: str) -> str:
    return json.dumps({"day": day}, separators=(",", ":"))


def _rows(files: Mapping[str, PlainFile]) -> int:
    return sum(file.record_count for file in files.values())


def _bytes(files: Mapping[str, PlainFile]) -> int:
    return sum(file.file_bytes for file in files.values())


def _numbered(schema: pa.Schema) -> str:
    """Return the schema for a task, its fields numbered in order; the numbers mean nothing outside of the task."""
    numbers = count(1)

    def numbered(one: pa.Field) -> pa.Field:
        of = pa.list_(numbered(one.type.value_field)) if pa.types.is_list(one.type) else one.type
        return one.with_type(of).with_metadata({b"PARQUET:field_id": str(next(numbers))})

    return base64.b64encode(pa.schema(map(numbered, schema)).serialize().to_pybytes()).decode()
