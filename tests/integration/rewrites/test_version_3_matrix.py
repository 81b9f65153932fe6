"""What each operation does on tables of version 3 with each feature: the matrix of docs/reference/iceberg-v3.md.

Each plan is compared with its run: nothing that is planned fails later, and what is refused is refused by name. The
features are written into the metadata of one table with history, old position deletes and deletion vectors; files with
data of such types are rewritten in `tests/integration/iceberg/test_newer_types.py` and `tests/spark`.
"""

import io
import os
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import fastavro
import pyarrow as pa
import pytest
from pyarrow import orc
from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.typedef import Record

from engine.domain.errors import Rejected
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat, IcebergTable
from tests.integration.rewrites.test_snapshot_rewrites import delete_rows
from tests.support.expired_files import needed, stored
from tests.support.iceberg_tables import commit_deletes, delete_file, edit_metadata
from tests.support.moved_clock import MovedClock
from tests.support.plan_and_run import check_kept, promise_of
from tests.support.removal_runs import COMPACTIONS, EXPIRY, LONG_AGO, ORPHANS, RECLAIM, confirmed_purge
from tests.support.version_3 import commit_vectors, row_ids, touch
from tests.support.world import NAME, World
from tests.upkeep.orphans import pass_quarantine

POLICY: Final = {
    "rewrite": {"min_input_files": 2},
    "maintenance": {
        "rewrite_deletes": {"interval": "1h", "at_least_files": 1},
        "expire_snapshots": EXPIRY,
        "delete_old_compactions": COMPACTIONS,
        "reclaim": RECLAIM,
        "remove_orphans": ORPHANS | {"quarantine": "1h"},
    },
}
REMOVALS: Final = (
    *(Operation.DELETE_OLD_COMPACTIONS, Operation.EXPIRE_SNAPSHOTS, Operation.RECLAIM, Operation.PURGE),
    Operation.REMOVE_ORPHANS,
)
EVERY: Final = (Operation.REWRITE_DELETES, Operation.REWRITE_MANIFESTS, *REMOVALS, Operation.REWRITE)
WRITING: Final = (Operation.REWRITE, Operation.REWRITE_DELETES)
ORPHAN: Final = "data/00000-0-00000000-0000-0000-0000-000000000000.parquet"

Body = dict[str, Any]


@dataclass(frozen=True)
class Feature:
    """A kind of table: how it comes about, and the clause of the refusal of each operation that is refused.

    `before`: written by PyIceberg, before the upgrade; `change`: of the metadata, after it; `idle`: operations that
    find nothing to do.
    """

    before: Callable[[World], None] = lambda _: None
    change: Callable[[Body], None] = lambda _: None
    refused: Mapping[Operation, str] = field(default_factory=dict)
    idle: Collection[Operation] = ()


def column(of: Any, **more: Any) -> Feature:
    """Return the feature of a column that no file has."""
    added = {"id": 50, "name": "added", "required": False, "type": of, **more}

    def change(body: Body) -> None:
        body["schemas"][-1]["fields"].append(added)
        body["last-column-id"] = 50

    return Feature(change=change)


def transform(*, is_only: bool = True, **of: Any) -> Feature:
    """Return the feature of a partition field that no library knows, in the only spec or in one without files."""

    def change(body: Body) -> None:
        fields = [{"field-id": 1000, "name": "day", **of}]
        if is_only:
            body["partition-specs"][0]["fields"] = fields
        else:
            body["partition-specs"].append({"spec-id": 1, "fields": fields})
            body["default-spec-id"] = 1

    idle = (Operation.REWRITE_MANIFESTS,) if is_only else ()  # manifests of such a spec stay as they are
    return Feature(change=change, refused=dict.fromkeys(WRITING, "partition field day has the transform"), idle=idle)


def order(body: Body) -> None:
    """Give the table a sort order of several columns."""
    several = {"source-ids": [1, 3], "transform": "hilbert", "direction": "asc", "null-order": "nulls-first"}
    body["sort-orders"].append({"order-id": 7, "fields": [several]})
    body["default-sort-order-id"] = 7


def delete_by_equality(world: World) -> None:
    """Commit an equality delete of two ids that are in one partition."""
    task = min(world.lake.table.scan().plan_files(), key=lambda task: task.file.file_path)
    deleted = delete_file(world.lake.table, [("", 3), ("", 5)], partition=task.file.partition, equality_id=1)
    commit_deletes(world.lake.table, deleted)


def append_as(of: FileFormat, world: World) -> None:
    """Append a file of another format."""
    rows = [{"id": 9000 + at, "day": "2026-11-01", "value": None, "note": "x"} for at in range(5)]
    body, path = io.BytesIO(), f"{world.lake.table.location()}/data/day=2026-11-01/other.{of.lower()}"
    if of is FileFormat.ORC:
        orc.write_table(pa.Table.from_pylist(rows).cast(pa.schema([(n, t) for n, t in TYPES.items()])), body)
    else:
        fields = [{"name": name, "type": ["null", AVRO[name]]} for name in TYPES]
        fastavro.writer(body, {"type": "record", "name": "row", "fields": fields}, rows)
    with world.lake.table.io.new_output(path).create() as output:
        output.write(body.getvalue())
    made = DataFile.from_args(
        file_path=path,
        file_format=of,
        partition=Record("2026-11-01"),
        record_count=len(rows),
        file_size_in_bytes=len(body.getvalue()),
    )
    made.spec_id = 0
    with world.lake.table.transaction() as change, change.update_snapshot().fast_append() as append:
        append.append_data_file(made)


TYPES: Final = {"id": pa.int64(), "day": pa.string(), "value": pa.float64(), "note": pa.string()}
AVRO: Final = {"id": "long", "day": "string", "value": "double", "note": "string"}
ENCRYPTED: Final = "metadata: encryption-keys is"
FEATURES: Final = {
    "nothing else": Feature(),
    "timestamp_ns": column("timestamp_ns"),
    "unknown": column("unknown"),
    "default": column("long", **{"initial-default": 7, "write-default": 7}),
    "variant": column("variant"),
    "geometry": column("geometry(EPSG:4326)"),
    "geography": column("geography(OGC:CRS84, vincenty)"),
    "unknown transform": transform(**{"source-id": 2, "transform": "geohash[6]"}),
    "unknown transform of a later spec": transform(is_only=False, **{"source-id": 2, "transform": "geohash[6]"}),
    "transform of several columns": transform(**{"source-ids": [2, 1], "transform": "bucket[4]"}),
    "order by several columns": Feature(change=order, refused=dict.fromkeys(WRITING, "sort order 7 has the transform")),
    "equality deletes": Feature(delete_by_equality, refused={Operation.REWRITE: "no_equality_deletes"}),
    "ORC": Feature(partial(append_as, FileFormat.ORC), refused={Operation.REWRITE: "native_row_ids (1 live"}),
    "Avro": Feature(partial(append_as, FileFormat.AVRO), refused={Operation.REWRITE: "parquet_only"}),
    "encryption": Feature(
        change=lambda body: body.update({"encryption-keys": [{"key-id": "1", "encrypted-key-metadata": "eA=="}]}),
        refused=dict.fromkeys(EVERY, ENCRYPTED),
    ),
}
NOT_DEEP: Final = ("unknown transform", "order by several columns", "equality deletes", "ORC", "encryption")


@dataclass
class Site:
    """A world whose table Packhouse's own reader opens: PyIceberg can't load most of these tables."""

    world: World
    clock: MovedClock
    open: Callable[[], IcebergTable]
    folder: Path

    async def run(self, operation: Operation) -> Run:
        """Plan and run an operation, compare the two, and check that no needed file is missing."""
        request = RunRequest(operation)
        promise = await promise_of(self.world, self.world.table_id, request)
        if operation is Operation.PURGE and not promise.code:
            request = await confirmed_purge(self.world)
        run = await self.world.finish((await self.world.submit(request)).id)
        await check_kept(self.world, promise, run)
        table = self.open()._view.table
        assert {each for each in needed(table) if not each.endswith(".metadata.json")} <= stored(table)
        return run

    async def prepare(self, operation: Operation) -> None:
        """Give an operation something to do."""
        touch(self.open())
        await self.clock.pass_by(hours=3)
        if operation is Operation.REMOVE_ORPHANS:
            (self.folder / ORPHAN).write_bytes(b"orphan")
            for path in self.folder.rglob("*"):
                if path.is_file() and "packhouse-deletions" not in str(path):
                    os.utime(path, (LONG_AGO, LONG_AGO))
            assert (await self.run(operation)).reason in ("nothing_to_do", "not_eligible")
            if list(self.folder.rglob("look-*")):
                pass_quarantine(self.folder, timedelta(days=2))


@pytest.fixture
async def site(world: World, clock: MovedClock) -> AsyncIterator[Site]:
    """A rewritten table with more files, of which some have position deletes."""
    await world.set_policy(POLICY)
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    world.lake.fill(days=3, files=3)
    delete_rows(world.lake.table, times=2)
    folder = Path(world.lake.table.location().removeprefix("file://"))
    with closing(IcebergFormat().connect("lake", dict(world.lake.properties))) as connection:
        yield Site(world, clock, partial(connection.open_table, TableRef("lake", NAME[:1], NAME[1])), folder)


def give(site: Site, feature: Feature) -> None:
    """Upgrade the table, commit deletion vectors of two files, and give it a feature."""
    feature.before(site.world)
    edit_metadata(site.world.lake.table, lambda body: body.update({"format-version": 3, "next-row-id": 0}))
    touch(site.open())
    live = site.open().digest().to_pylist()
    bare = [each["path"] for each in live if not each["delete_files"] and each["file_format"] == "parquet"]
    commit_vectors(site.open(), {each: [0, 2] for each in bare[:2]})
    edit_metadata(site.world.lake.table, feature.change)


@pytest.mark.parametrize(
    "name", [each if each in NOT_DEEP else pytest.param(each, marks=pytest.mark.deep) for each in FEATURES]
)
async def test_each_operation_does_what_the_matrix_says(site: Site, name: str) -> None:
    feature = FEATURES[name]
    give(site, feature)
    for operation in EVERY:
        await site.prepare(operation)
        before, snapshots = row_ids(site.open()), len(site.open()._view.metadata.snapshots)
        if operation is Operation.PURGE and operation in feature.refused:
            with pytest.raises(Rejected, match=feature.refused[operation]):
                await confirmed_purge(site.world)
            continue
        run = await site.run(operation)
        if operation in feature.refused:
            assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible"), (operation, run.detail)
            assert feature.refused[operation] in str(run.detail), (operation, run.detail)
            assert len(site.open()._view.metadata.snapshots) == snapshots
        else:
            assert run.reason == ("nothing_to_do" if operation in feature.idle else "committed"), (
                operation,
                run.detail,
            )
            assert run.state is (RunState.SKIPPED if operation in feature.idle else RunState.SUCCEEDED)
        assert operation is Operation.REWRITE or row_ids(site.open()) == before
