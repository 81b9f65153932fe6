"""Real Iceberg tables for tests: a SQL catalog on SQLite in a folder, tables, appends, hand-written delete files.

`write_group` stands in for a Spark task: it reads inputs by field id, applies position deletes and writes one Parquet
file with the schema of the task. It knows top-level columns only.
"""

import base64
import gzip
import io
import json
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, AssertRefSnapshotId, SetSnapshotRefUpdate
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record, TableVersion
from pyiceberg.types import (
    DoubleType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
)
from sqlalchemy import update
from sqlalchemy.orm import Session

from engine.domain.runs.files import OutputFile
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.table import TableRef
from engine.formats.base import CommitRequest, Engine, GroupSettings, WrittenGroup
from engine.formats.iceberg import IcebergConnection, IcebergFormat, IcebergTable
from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.kernel_task import SentKernelTask
from tests.support.kernel_tasks import received

SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "city", StringType()),
    NestedField(3, "at", TimestampType()),
    NestedField(4, "price", DoubleType()),
)
BY_CITY = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "city"))
RUN_ID = "run_0000000000000000000000test"
PATH_ID, POS_ID = 2147483546, 2147483545
EQUALITY_IDS = 135


def nothing() -> None:
    """Permit every try."""


@dataclass
class Lake:
    """A catalog that writers use through PyIceberg and Packhouse through its own connection."""

    folder: Path
    catalog: SqlCatalog
    connection: IcebergConnection

    @staticmethod
    def make(folder: Path, **store: str) -> "Lake":
        """Make an empty catalog in a folder; `store`: its `warehouse` and access, if it is elsewhere."""
        properties = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/warehouse", **store}
        catalog = SqlCatalog("lake", **properties)
        catalog.create_namespace_if_not_exists("sales")
        return Lake(folder, catalog, IcebergFormat().connect("lake", {"type": "sql", **properties}))

    def create(
        self,
        name: str = "orders",
        *,
        schema: Schema = SCHEMA,
        spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC,
        properties: Mapping[str, str] | None = None,
    ) -> Table:
        """Create a table in the namespace `sales`."""
        return self.catalog.create_table(
            ("sales", name), schema, partition_spec=spec, properties=dict(properties or {})
        )

    def load(self, name: str = "orders") -> Table:
        """Load a table as another program would."""
        return self.catalog.load_table(("sales", name))

    def open(self, name: str = "orders") -> IcebergTable:
        """Open a table as Packhouse does."""
        return self.connection.open_table(TableRef("lake", ("sales",), name))

    def close(self) -> None:
        """Let go of both connections."""
        self.connection.close()
        self.catalog.close()


@dataclass(frozen=True)
class PreparedLake:
    """A lake that is filled once and put back for each test, in one place: its metadata has absolute paths."""

    folder: Path

    @staticmethod
    def filled(folder: Path, fill: Callable[[Lake], object]) -> "PreparedLake":
        """Fill a lake and keep a copy of its files."""
        made = PreparedLake(folder)
        (folder / "lake").mkdir()
        lake = Lake.make(folder / "lake")
        fill(lake)
        lake.close()
        (folder / "lake").rename(folder / "kept")
        return made

    @contextmanager
    def restored(self) -> Iterator[Lake]:
        """Yield the lake as it was filled."""
        shutil.copytree(self.folder / "kept", self.folder / "lake")
        lake = Lake.make(self.folder / "lake")
        yield lake
        lake.close()
        shutil.rmtree(self.folder / "lake")


def orders(ids: Iterable[int], *, city: str | None = "Aachen") -> pa.Table:
    """Return rows of the table `SCHEMA`."""
    numbers = list(ids)
    columns: dict[str, Any] = {
        "id": numbers,
        "city": [city] * len(numbers),
        "at": [1_767_225_600_000_000 + number * 60_000_000 for number in numbers],
        "price": [number / 4 for number in numbers],
    }
    types = {"id": pa.int64(), "city": pa.string(), "at": pa.timestamp("us"), "price": pa.float64()}
    fields = [pa.field(name, of, nullable=name != "id") for name, of in types.items()]
    return pa.table([pa.array(columns[f.name], f.type) for f in fields], schema=pa.schema(fields))


def append_files(table: Table, files: int, *, rows: int = 10, first: int = 0, city: str | None = "Aachen") -> None:
    """Append so many files, one snapshot each, with ids that count up."""
    for number in range(files):
        start = first + number * rows
        table.append(orders(range(start, start + rows), city=city))


def ids_of(table: Table) -> list[int]:
    """Return the sorted ids that a PyIceberg scan gives."""
    column: list[int] = table.scan(selected_fields=("id",)).to_arrow()["id"].to_pylist()
    return sorted(column)


def live_paths(table: Table) -> list[str]:
    """Return the paths of live data files, sorted."""
    return sorted(task.file.file_path for task in table.scan().plan_files())


def group_of(opened: IcebergTable, paths: Sequence[str] | None = None, *, ordinal: int = 0) -> FileGroup:
    """Return a group of the given live files (all of one partition); by default of all."""
    digest = opened.digest()
    chosen = list(paths) if paths is not None else digest["path"].to_pylist()
    rows = digest.filter(pc.is_in(digest["path"], value_set=pa.array(chosen, pa.string()))).to_pylist()
    assert len({(row["spec_id"], row["partition"]) for row in rows}) == 1
    inputs = opened.group_inputs(chosen)
    return FileGroup(ordinal, rows[0]["spec_id"], rows[0]["partition"], tuple(inputs[path] for path in chosen), 1)


def groups_by_partition(opened: IcebergTable) -> list[FileGroup]:
    """Return one group for each partition, in order of spec and partition."""
    rows = opened.digest().select(["spec_id", "partition", "path"]).to_pylist()
    keys = sorted({(row["spec_id"], row["partition"]) for row in rows})
    return [
        group_of(opened, [r["path"] for r in rows if (r["spec_id"], r["partition"]) == key], ordinal=ordinal)
        for ordinal, key in enumerate(keys)
    ]


def task_of(opened: IcebergTable, group: FileGroup, *, attempt: int = 1) -> SentKernelTask:
    """Return the task of a group."""
    settings = GroupSettings(WriteSettings(target_file_bytes=2**27))
    task = opened.engines[Engine.ARROW].task(group, run_id=RUN_ID, attempt=attempt, settings=settings)
    return received(task, opened.engines[Engine.ARROW].task_storage())


def write_group(opened: IcebergTable, group: FileGroup, *, attempt: int = 1) -> WrittenGroup:
    """Do a task's work for one group: one output with the rows that are not deleted."""
    task = task_of(opened, group, attempt=attempt)
    schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(task.task.read.schema)))
    parts = [_projected(_undeleted(each.path, each.delete_paths), schema) for each in task.task.read.files]
    rows = pa.concat_tables(parts)
    path = f"{task.stem}0.parquet"
    output = write_parquet(path, rows, key_values=task.task.write.dialect.key_values)
    deleted = group.input_rows - rows.num_rows
    return WrittenGroup(group.ordinal, group.spec_id, group.partition, group.inputs, (output,), deleted)


def write_parquet(path: str, rows: pa.Table, *, key_values: Mapping[str, str] | None = None) -> OutputFile:
    """Write a local Parquet file and return what a task would say about it."""
    local = Path(path.removeprefix("file://"))
    local.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(local, rows.schema, store_schema=False, compression="zstd") as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata(dict(key_values or {}))
    body = local.read_bytes()
    length = int.from_bytes(body[-8:-4], "little") + 8
    return OutputFile(path, len(body), rows.num_rows, base64.b64encode(body[-length:]).decode())


def request_of(opened: IcebergTable, *groups: WrittenGroup, attempt: int = 1) -> CommitRequest:
    """Return the request to commit groups that were planned on this view."""
    assert opened.head_snapshot_id is not None
    return CommitRequest(RUN_ID, attempt, opened.head_snapshot_id, opened.schema_id, groups)


def _undeleted(path: str, delete_paths: Sequence[str]) -> pa.Table:
    rows = pq.read_table(path.removeprefix("file://"))
    gone: set[int] = set()
    for each in delete_paths:
        pairs = pq.read_table(each.removeprefix("file://")).to_pylist()
        gone |= {pair["pos"] for pair in pairs if pair["file_path"] == path}
    return rows.filter(pa.array([at not in gone for at in range(rows.num_rows)]))


def _projected(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    by_id = {f.metadata[b"PARQUET:field_id"]: f.name for f in rows.schema}
    columns = []
    for f in schema:
        name = by_id.get(f.metadata[b"PARQUET:field_id"])
        columns.append(pa.nulls(rows.num_rows, f.type) if name is None else rows[name].cast(f.type))
    return pa.table(columns, schema=schema)


def delete_file(
    table: Table,
    pairs: Sequence[tuple[str, int]],
    *,
    spec_id: int = 0,
    partition: Record | None = None,
    aimed: bool = False,
    equality_id: int | None = None,
) -> DataFile:
    """Write a delete file: positions of `pairs`, or with an `equality_id` the numbers in them; `aimed` gives bounds."""
    path = f"{table.location()}/data/00000-0-{uuid.uuid4()}-deletes.parquet"
    ids = (PATH_ID, POS_ID) if equality_id is None else (PATH_ID, equality_id)
    names = ("file_path", "pos") if equality_id is None else ("file_path", "id")
    fields = [
        pa.field(name, of, nullable=False, metadata={"PARQUET:field_id": str(field_id)})
        for name, of, field_id in zip(names, (pa.string(), pa.int64()), ids, strict=True)
    ]
    rows = pa.table([pa.array([p[0] for p in pairs]), pa.array([p[1] for p in pairs])], schema=pa.schema(fields))
    body = io.BytesIO()
    pq.write_table(rows if equality_id is None else rows.select(["id"]), body)
    with table.io.new_output(path).create() as output:
        output.write(body.getvalue())
    bounds = {PATH_ID: pairs[0][0].encode()} if aimed else {}
    made = DataFile.from_args(
        content=DataFileContent.POSITION_DELETES if equality_id is None else DataFileContent.EQUALITY_DELETES,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=partition or Record(),
        record_count=len(pairs),
        file_size_in_bytes=len(body.getvalue()),
        lower_bounds=bounds,
        upper_bounds=bounds,
        equality_ids=None if equality_id is None else [equality_id],
    )
    made.spec_id = spec_id
    return made


class _DeleteManifestWriter(ManifestWriterV2):
    """PyIceberg writes data manifests only."""

    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}

    def _with_partition(self, format_version: TableVersion) -> Schema:
        """PyIceberg declares equality ids as longs, and Java fails on every read of such a manifest."""
        whole = super()._with_partition(format_version)
        entry = whole.find_field("data_file")
        ids = ListType(element_id=136, element_type=IntegerType(), element_required=True)
        assert isinstance(entry.field_type, StructType)
        inner = [
            NestedField(each.field_id, each.name, ids, required=False) if each.field_id == EQUALITY_IDS else each
            for each in entry.field_type.fields
        ]
        file = NestedField(entry.field_id, entry.name, StructType(*inner), required=True)
        return Schema(*(file if each.field_id == entry.field_id else each for each in whole.fields))


def commit_deletes(table: Table, *files: DataFile, sequence_number: int | None = None) -> int:
    """Commit delete files of one spec as a writer with merge-on-read would; return the snapshot id."""
    metadata, head = table.metadata, table.current_snapshot()
    assert head is not None
    assert head.summary is not None
    snapshot_id, number = metadata.new_snapshot_id(), metadata.next_sequence_number()
    folder = f"{table.location()}/metadata"
    with _DeleteManifestWriter(
        metadata.specs()[files[0].spec_id],
        metadata.schema(),
        table.io.new_output(f"{folder}/{uuid.uuid4()}-m0.avro"),
        snapshot_id,
        "deflate",
    ) as writer:
        for file in files:
            writer.add(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED,
                    snapshot_id=snapshot_id,
                    sequence_number=sequence_number,
                    data_file=file,
                )
            )
    path = f"{folder}/snap-{snapshot_id}-0-{uuid.uuid4()}.avro"
    totals = {k: v for k, v in head.summary.additional_properties.items() if k.startswith("total-")}
    output = table.io.new_output(path)
    with write_manifest_list(2, output, snapshot_id, head.snapshot_id, number, "deflate") as listing:
        listing.add_manifests([writer.to_manifest_file(), *head.manifests(table.io)])
    snapshot = Snapshot.model_validate(
        {
            "snapshot-id": snapshot_id,
            "parent-snapshot-id": head.snapshot_id,
            "sequence-number": number,
            "manifest-list": path,
            "summary": Summary(Operation.OVERWRITE, **totals),
            "schema-id": metadata.current_schema_id,
        }
    )
    table.catalog.commit_table(
        table,
        (AssertRefSnapshotId(ref="main", snapshot_id=head.snapshot_id),),
        (
            AddSnapshotUpdate(snapshot=snapshot),
            SetSnapshotRefUpdate(
                ref_name="main",
                type=SnapshotRefType.BRANCH,
                snapshot_id=snapshot_id,
                max_ref_age_ms=None,
                max_snapshot_age_ms=None,
                min_snapshots_to_keep=None,
            ),
        ),
    )
    return snapshot_id


def delete_positions(table: Table, *positions: int) -> None:
    """Delete rows of the first file by a position-delete file, as a writer with merge-on-read does."""
    task = next(iter(table.refresh().scan().plan_files()))
    partition = Record(*(task.file.partition[0],))
    pairs = [(task.file.file_path, each) for each in positions]
    commit_deletes(table, delete_file(table, pairs, spec_id=task.file.spec_id, partition=partition, aimed=True))


def intercept_commits(opened: IcebergTable, answer: Callable[[Callable[[], Any]], Any]) -> None:
    """Put `answer` between a table and its catalog: it gets the real commit and may call it, fail before or after."""
    real = opened._catalog.commit_table
    opened._catalog.commit_table = lambda *args: answer(lambda: real(*args))  # type: ignore[method-assign]


def edit_metadata(table: Table, change: Callable[[dict[str, Any]], None], *, folder: str | None = None) -> None:
    """Replace a table's metadata by a changed copy: for changes that PyIceberg can't write or would act on."""
    with table.io.new_input(table.metadata_location).open() as file:
        stored = file.read()
    body = json.loads(gzip.decompress(stored) if stored.startswith(b"\x1f\x8b") else stored)
    change(body)
    replace_metadata(table, json.dumps(body).encode(), folder=folder)


def replace_metadata(table: Table, body: bytes, *, folder: str | None = None) -> str:
    """Write a new metadata file with this content and point the SQL catalog to it; return its location."""
    old = table.metadata_location
    beside, _, name = old.rpartition("/")
    new = f"{folder or beside}/{name.partition('-')[0]}-{uuid.uuid4()}.metadata.json"
    with table.io.new_output(new).create() as file:
        file.write(body)
    assert isinstance(table.catalog, SqlCatalog)
    moved = update(IcebergTables).where(IcebergTables.metadata_location == old).values(metadata_location=new)
    with Session(table.catalog.engine) as session:
        session.execute(moved)
        session.commit()
    return new


def _local(location: str) -> Path:
    """Return the file of a location, as PyIceberg (`file:///…`) and Spark (`file:/…`) write it."""
    return Path("/" + location.removeprefix("file:").lstrip("/"))


def local_files(folder: Path) -> set[str]:
    """Return the names of all files below a folder."""
    return {path.name for path in folder.rglob("*") if path.is_file()}
