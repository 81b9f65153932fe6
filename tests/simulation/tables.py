"""The tables of the lake behind the same Protocol as Iceberg's (`formats.base`).

A commit is a compare-and-swap on the head, as a catalog does it: what was sent may land late, after its answer was
given up, or after its process died.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pyarrow as pa

from engine.domain.errors import CommitConflict, NotEligible, NotFound
from engine.domain.runs.drops import Loss
from engine.domain.runs.files import DeleteRef, InputFile
from engine.domain.runs.output_names import output_prefix
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.capabilities import Capabilities
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.domain.tables.table import TableRef
from engine.formats.base import (
    OWN_LOCATION,
    CheckStep,
    CommitDefaults,
    CommitOutcome,
    CommitRequest,
    CommittedBatch,
    Condition,
    Engine,
    FileScope,
    GroupSettings,
    PlainProperties,
    RewriteEngine,
    SnapshotInfo,
    SnapshotKind,
    TableColumn,
    TableListing,
    Verification,
    WrittenGroup,
)
from engine.formats.iceberg.capabilities import CAPABILITIES
from engine.formats.iceberg.commits.commit import check_rows
from engine.formats.iceberg.commits.tries import MAX_TRIES
from engine.planning.measures.digest import FILE_DIGEST, TableMeasures
from engine.planning.measures.overlaps import ColumnRanges
from engine.rewriting.kernel.contract import EngineTask, TaskIdentity, TaskInput
from engine.rewriting.kernel.kernel_task import BY_FIELD_ID, KernelTask, ReadPlan, WriteProfile
from tests.simulation.lake import DataFile, Lake, ModelTable, Snapshot
from tests.simulation.orphans import ModelOrphanRemoval
from tests.simulation.upkeep import Manifests, ModelUpkeep
from tests.support.planning import EngineOf

_SCHEMA_ID: Final = 0


class ModelFormat:
    """The format over one lake."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def plain_properties(self) -> PlainProperties:
        return PlainProperties(frozenset())

    def validate(self, properties: Mapping[str, str]) -> None:
        """Anything makes a connection."""

    def connect(self, name: str, properties: Mapping[str, str]) -> "ModelCatalog":
        self._lake.answer()
        return ModelCatalog(self._lake)


class ModelCatalog:
    """A connection to the lake."""

    has_all_pointers = True

    def expect_changes(self, refs: Sequence[TableRef]) -> None:
        """Each call asks."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def check(self) -> Sequence[CheckStep]:
        return ()

    def list_tables(self, limit: int) -> TableListing:
        names = sorted((*ref.namespace, ref.name) for ref in self._lake.tables)
        return TableListing(tuple(names[:limit]), len(names) > limit)

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        self._lake.answer()
        return {ref: self._lake.tables[ref].version for ref in refs if ref in self._lake.tables}

    def ping(self) -> None:
        self._lake.answer()

    def open_table(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> "OpenModelTable":
        self._lake.answer()
        if ref not in self._lake.tables:
            raise NotFound(f"no table {ref}")
        return OpenModelTable(self._lake.tables[ref])

    open_entry = open_table


class OpenModelTable(ModelUpkeep):
    """A table at one moment, as `formats.base.OpenTable`."""

    schema_id = _SCHEMA_ID
    current_spec_id = 0

    def __init__(self, table: ModelTable) -> None:
        super().__init__(table)
        self._lake = table.lake
        self._head = table.head
        self._pointer = table.version
        self._files: Mapping[str, DataFile] = table.files

    @property
    def orphan_removal(self) -> ModelOrphanRemoval:
        return ModelOrphanRemoval(self._table)

    @property
    def ref(self) -> TableRef:
        return self._table.ref

    @property
    def uuid(self) -> str:
        return self._table.uuid

    @property
    def location(self) -> str:
        return self._table.location

    @property
    def data_locations(self) -> Sequence[str]:
        return self.locations

    @property
    def locations(self) -> Sequence[str]:
        return [self._table.location]

    @property
    def pointer(self) -> str:
        return self._pointer

    @property
    def head_snapshot_id(self) -> int | None:
        return None if self._head is None else self._head.number

    def describe(self) -> Mapping[str, Any]:
        columns = [{"name": name, "type": "string"} for name in self.column_names()]
        shape = {"columns": columns, "specs": [{"spec_id": 0, "fields": []}], "default_spec_id": 0}
        return {"format": "iceberg", "uuid": self.uuid, "snapshot_count": len(self._retained), **shape}

    def policy_properties(self) -> Mapping[str, Any]:
        return {}

    def digest(self) -> pa.Table:
        number = self.head_snapshot_id or 0
        if number not in self._table.digests:
            self._table.digests[number] = _digest(list(self._files.values()))
        return self._table.digests[number]

    def figures(self) -> TableMeasures:
        snapshots, manifests = self._retained, self._retained[-1].manifests if self._retained else Manifests()
        return TableMeasures(
            snapshot_count=len(snapshots),
            manifest_count=manifests.count,
            manifest_bytes=manifests.total_bytes,
            committed_at_ms={each.number: each.at_ms for each in snapshots},
            known_since_ms=snapshots[0].at_ms if snapshots else None,
            times=self._table.times,
        )

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        raise NotEligible("the model orders no rows")

    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        return ()

    def partition_specs(self) -> Sequence[Any]:
        return ()

    def columns(self) -> Sequence[TableColumn]:
        return ()

    def column_names(self) -> Sequence[str]:
        return ["id", "day"]

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        return {path: _input(self._files[path]) for path in paths}

    @property
    def engines(self) -> Mapping[Engine, RewriteEngine]:
        return {Engine.ARROW: ModelKernel(self)}

    def read_storage(self) -> None:
        self._lake.answer()

    @property
    def commits(self) -> "ModelCommits":
        return ModelCommits(self._table, self._lake, self._head)

    def snapshots(self, limit: int) -> Sequence[SnapshotInfo]:
        newest = self._retained[::-1][:limit]
        return [SnapshotInfo(each.number, each.number - 1 or None, each.at_ms, each.kind) for each in newest]


@dataclass(frozen=True)
class ModelCommits(CommitDefaults):
    """Commits to a table of the model."""

    _table: ModelTable
    _lake: Lake
    _head: Snapshot | None

    def lost(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        base, head = self._table.by_number(base_snapshot_id), self._head
        if base is None or head is None:
            return dict.fromkeys((each.ordinal for each in groups), Loss.TABLE_CHANGED)
        asked = [WrittenGroup(each.ordinal, each.spec_id, each.partition, each.inputs, (), 0) for each in groups]
        return _surviving(base, head, asked, checks=self._lake.checks_sources)[1]

    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """As the contract says, by compare-and-swap on the head."""
        check_rows(request)
        base = self._table.by_number(request.base_snapshot_id)
        if base is None:
            raise CommitConflict("the base is not in the table's history")
        for number in range(1, MAX_TRIES + 1):
            self._lake.answer()
            head = self._table.head
            if head is None:
                raise CommitConflict("the table is empty")
            kept, dropped = _surviving(base, head, request.groups, checks=self._lake.checks_sources)
            if not kept:
                return CommitOutcome(None, (), dropped, number)
            before_try()
            self._lake.answer(most=0.2)
            staged = _staged(head, request, kept, self._table.storage, self._lake.now_ms())
            if self._lake.send(partial(self._table.swap, head, staged)):
                return CommitOutcome(staged.number, staged.groups, dropped, number)
            self._lake.lost_races += 1
            self._lake.loop.pause(self._lake.random.uniform(0.01, 0.1) * number)
        raise CommitConflict(f"lost {MAX_TRIES} races in a row")

    def find(self, run_id: str) -> Sequence[CommittedBatch]:
        self._lake.answer()
        return [
            CommittedBatch(each.number, each.groups, each.attempt)
            for each in self._table.retained()
            if each.run_id == run_id
        ]

    def prove(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        self._lake.answer()
        snapshot = self._table.by_number(snapshot_id)
        if snapshot is None:
            missing = Condition("snapshot_present", False, f"no snapshot {snapshot_id}")
            return Verification(snapshot_id, False, (missing,), 0, 0, 0, 0, 0, 0)
        removed = {each.path for each in snapshot.removed}
        added = {each.path for each in snapshot.added}
        rows = [sum(len(each.live_rows) for each in files) for files in (snapshot.removed, snapshot.added)]
        checks = (
            _held("operation_is_replace", snapshot.kind is SnapshotKind.REWRITE),
            _held("groups_as_claimed", sorted(snapshot.groups) == sorted(group.ordinal for group in groups)),
            _held("removed_files_as_planned", removed == {each.path for g in groups for each in g.inputs}),
            _held("added_files_as_written", added == {each.path for g in groups for each in g.outputs}),
            _held("rows_conserved", rows[0] == rows[1]),
        )
        sizes = [sum(each.file_bytes for each in files) for files in (snapshot.removed, snapshot.added)]
        is_ok = all(check.holds for check in checks)
        return Verification(snapshot_id, is_ok, checks, len(removed), len(added), rows[0], rows[1], sizes[0], sizes[1])

    def list_outputs(self, run_id: str) -> Sequence[str]:
        self._lake.answer()
        return sorted(path for path in self._table.storage if _attempt(path, run_id) is not None)

    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:
        self._lake.answer()
        referenced = {path for snapshot in self._table.retained() for path in snapshot.files}
        gone = [
            path
            for path in self._table.storage
            if (number := _attempt(path, run_id)) is not None
            and number <= up_to_attempt
            and path not in keep
            and path not in referenced
        ]
        for path in gone:
            del self._table.storage[path]
        return len(gone)


class ModelKernel(EngineOf):
    """The kernel on a table of the model."""

    def task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        inputs = tuple(
            TaskInput(each.path, each.file_bytes, each.record_count, tuple(ref.path for ref in each.deletes))
            for each in group.inputs
        )
        read = ReadPlan(inputs, "", BY_FIELD_ID, (self.table.location,))
        write = WriteProfile(f"{self.table.location}/data", group.predicted_outputs, settings.write)
        task = KernelTask(TaskIdentity(run_id, attempt, group.ordinal), read, write, settings.checks_rows)
        return task.named(output_prefix(run_id, group.ordinal, attempt))

    def task_storage(self) -> Mapping[str, str]:
        return {"table": str(self.table.ref)}


def _surviving(
    base: Snapshot, head: Snapshot, groups: Sequence[WrittenGroup], *, checks: bool
) -> tuple[list[WrittenGroup], dict[int, Loss]]:
    """Return the groups whose sources are live and as they were on the base; of the others why not."""
    kept: list[WrittenGroup] = []
    dropped: dict[int, Loss] = {}
    for group in groups:
        gone = [each.path for each in group.inputs if each.path not in head.files]
        touched = [each.path for each in group.inputs if head.files.get(each.path) is not base.files.get(each.path)]
        if checks and gone:
            dropped[group.ordinal] = Loss.SOURCE_GONE
        elif checks and touched:
            dropped[group.ordinal] = Loss.NEW_DELETES
        else:
            kept.append(group)
    return kept, dropped


def _staged(
    head: Snapshot,
    request: CommitRequest,
    groups: Sequence[WrittenGroup],
    storage: Mapping[str, frozenset[int]],
    now_ms: int,
) -> Snapshot:
    files = dict(head.files)
    removed, added = [], []
    for group in groups:
        inputs = [files.pop(each.path) for each in group.inputs if each.path in files]
        removed += inputs
        sequence = max((each.sequence for each in inputs), default=0)
        for output in group.outputs:
            rows = storage.get(output.path, frozenset())
            made = DataFile(output.path, group.partition, output.file_bytes, rows, sequence, now_ms)
            files[output.path] = made
            added.append(made)
    return Snapshot(
        head.number + 1,
        now_ms,
        SnapshotKind.REWRITE,
        files,
        run_id=request.run_id,
        attempt=request.attempt,
        groups=tuple(group.ordinal for group in groups),
        removed=tuple(removed),
        added=tuple(added),
    )


def _digest(files: Sequence[DataFile]) -> pa.Table:
    count = len(files)
    columns = {
        "path": [each.path for each in files],
        "spec_id": [0] * count,
        "partition": [each.partition for each in files],
        "file_format": ["parquet"] * count,
        "file_bytes": [each.file_bytes for each in files],
        "record_count": [len(each.rows) for each in files],
        "row_groups": [0] * count,
        "sequence_number": [each.sequence for each in files],
        "is_encrypted": [False] * count,
        "is_outside": [False] * count,
        "recorded_order": [None] * count,
        "delete_files": [int(bool(each.deleted)) for each in files],
        "deleted_rows": [len(each.deleted) for each in files],
        "equality_deletes": [0] * count,
        "added_at_ms": [each.added_at_ms for each in files],
        "data_at_ms": [each.added_at_ms for each in files],
        "bucket": [None] * count,
        "level": [None] * count,
        "refusal": [None] * count,
    }
    return pa.table([_column(columns[name.name], name.type) for name in FILE_DIGEST], schema=FILE_DIGEST)


def _column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode()
    return pa.array(values, kind)


def _input(file: DataFile) -> InputFile:
    deletes = (DeleteRef(file.delete_path, 100),) if file.deleted else ()
    return InputFile(file.path, file.file_bytes, len(file.rows), file.sequence, deletes)


def _attempt(path: str, run_id: str) -> int | None:
    found = re.match(rf"{re.escape(run_id)}-\d+-(\d+)-", path.rpartition("/")[2])
    return None if found is None else int(found[1])


def _held(name: str, holds: bool) -> Condition:
    return Condition(name, holds, "as it should be" if holds else "not as it should be")
