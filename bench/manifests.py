"""B17: rewrite the manifests of a table beside Iceberg's `rewrite_manifests`, on copies, and the time to plan by them.

The table has many manifests with few entries each, as streams leave them; its data files are not there, as neither
reads any. Ours is measured in this process: plan, commit and proof. The procedure's seconds are those of Spark's
process, after a warm-up on a small table.

    python -m bench.manifests [--manifests 1000] [--entries 100] [--rounds 3] [--json manifests.json]

With `--manifests 100000 --entries 10` it is the archive of the lesson that `artemis` follows, after a week without a
rewrite of manifests: a list of 100,000, one for each commit. `day_ms`: PyIceberg plans a scan of one of 50 days.

Goal: a tenth of the procedure's CPU seconds for 100,000 entries in 1,000 manifests.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    write_manifest,
    write_manifest_list,
)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, AssertRefSnapshotId, SetSnapshotRefUpdate
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField, StringType

from bench.facts import machine_facts, print_table, write_json
from bench.lake import CATALOG, NAMESPACE, Lake
from bench.processes import tree_cpu_seconds
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergConnection, IcebergFormat

COLUMNS = 20
DAYS = 50
RUN_ID = "run_0000000000000000000000test"


@dataclass(frozen=True, slots=True)
class Planned:
    """Seconds from a cold cache: our reading of all live files, and PyIceberg's plan of a scan of one day."""

    whole: float
    day: float


def main() -> None:
    """Measure and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifests", type=int, default=1000)
    parser.add_argument("--entries", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory(prefix="bench-manifests-") as folder, Lake(folder=Path(folder), cores=2) as lake:
        catalog = SqlCatalog(CATALOG, **lake.properties)
        try:
            fill(catalog, "small", manifests=20, entries=5)
            fill(catalog, "large", manifests=given.manifests, entries=given.entries)
            by_procedure(lake, lake.copy("small"))
            for number in range(given.rounds):
                for name, contender in CONTENDERS.items():
                    copied = lake.copy("large")
                    rows.append({"round": number, "contender": name, **contender(lake, copied)})
        finally:
            catalog.close()
    print_table(rows)
    write_json(given.json, {"benchmark": "B17", "machine": machine_facts(), "rows": rows})


def ours(lake: Lake, name: str) -> dict[str, Any]:
    """Return what Packhouse measured: plans, commits and proofs of as many runs as it takes, from a cold cache."""
    connection = _connection(lake)
    runs = 0
    try:
        before = _planned(lake, connection, name)
        cpu, wall = time.process_time(), time.monotonic()
        while _rewritten(connection, name):
            runs += 1
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    finally:
        connection.close()
    return {"runs": runs, **_row(lake, name, cpu=cpu, wall=wall, before=before)}


def _rewritten(connection: IcebergConnection, name: str) -> bool:
    """Rewrite as many manifests as one run does, and prove it; return whether there were any."""
    opened = connection.open_table(TableRef(CATALOG, (NAMESPACE,), name))
    if not opened.manifest_rewrite.plan().rewritten:
        return False
    snapshot_id = opened.manifest_rewrite.commit(RUN_ID, 1, before_try=lambda: None).snapshot_id
    assert snapshot_id is not None
    proof = opened.manifest_rewrite.prove(snapshot_id)
    if proof.figures is None or not all(each.holds for each in proof.checks):
        raise SystemExit(f"not proven: {proof.checks}")
    return True


def by_procedure(lake: Lake, name: str) -> dict[str, Any]:
    """Return the same of Iceberg's procedure, measured on Spark's process."""
    connection = _connection(lake)
    try:
        before = _planned(lake, connection, name)
    finally:
        connection.close()
    cpu, wall, own = tree_cpu_seconds(), time.monotonic(), time.process_time()
    lake.spark.sql(f"CALL {CATALOG}.system.rewrite_manifests(table => '{NAMESPACE}.{name}')").collect()
    wall = time.monotonic() - wall
    cpu = tree_cpu_seconds() - cpu - (time.process_time() - own)
    return {"runs": 1, **_row(lake, name, cpu=cpu, wall=wall, before=before)}


CONTENDERS: dict[str, Callable[[Lake, str], dict[str, Any]]] = {"ours": ours, "procedure": by_procedure}


def _row(lake: Lake, name: str, *, cpu: float, wall: float, before: Planned) -> dict[str, Any]:
    listed = f"{CATALOG}.{NAMESPACE}.{name}.manifests"
    count, stored = lake.spark.sql(f"SELECT count(*), sum(length) FROM {listed}").collect()[0]
    connection = _connection(lake)
    try:
        after = _planned(lake, connection, name)
    finally:
        connection.close()
    return {
        "manifests": count,
        "manifest_bytes": stored,
        "cpu_seconds": round(cpu, 2),
        "wall_seconds": round(wall, 2),
        "planning_ms_before": round(before.whole * 1000),
        "planning_ms_after": round(after.whole * 1000),
        "day_ms_before": round(before.day * 1000),
        "day_ms_after": round(after.day * 1000),
    }


def _connection(lake: Lake) -> IcebergConnection:
    return IcebergFormat().connect(CATALOG, lake.properties)


def _planned(lake: Lake, connection: IcebergConnection, name: str) -> Planned:
    started = time.monotonic()
    connection.open_table(TableRef(CATALOG, (NAMESPACE,), name)).digest()
    whole = time.monotonic() - started
    catalog = SqlCatalog(CATALOG, **lake.properties)
    try:
        table = catalog.load_table((NAMESPACE, name))
        started = time.monotonic()
        planned = sum(1 for _ in table.scan(row_filter="day == 7").plan_files())
        day = time.monotonic() - started
    finally:
        catalog.close()
    if not planned:
        raise SystemExit("no file of the day was planned")
    return Planned(whole, day)


def fill(catalog: SqlCatalog, name: str, *, manifests: int, entries: int) -> None:
    """Make a table with one snapshot of so many manifests, each of one append to one day."""
    fields = [NestedField(at, f"c{at}", LongType() if at % 2 else StringType()) for at in range(2, COLUMNS + 1)]
    schema = Schema(NestedField(1, "day", LongType()), *fields)
    spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "day"))
    table = catalog.create_table((NAMESPACE, name), schema, partition_spec=spec)
    snapshot_id, folder = table.metadata.new_snapshot_id(), f"{table.location()}/metadata"
    listed = []
    for number in range(manifests):
        output = table.io.new_output(f"{folder}/{number}-m0.avro")
        with write_manifest(2, table.spec(), table.schema(), output, snapshot_id, "deflate") as writer:
            for at in range(entries):
                file = _file(table, number, at, day=number * DAYS // manifests)
                writer.add(
                    ManifestEntry.from_args(
                        status=ManifestEntryStatus.ADDED, snapshot_id=snapshot_id, sequence_number=None, data_file=file
                    )
                )
        listed.append(writer.to_manifest_file())
    path = f"{folder}/snap-{snapshot_id}.avro"
    with write_manifest_list(2, table.io.new_output(path), snapshot_id, None, 1, "deflate") as listing:
        listing.add_manifests(listed)
    _commit(table, snapshot_id, path, manifests * entries)


def _commit(table: Table, snapshot_id: int, path: str, files: int) -> None:
    snapshot = Snapshot.model_validate(
        {
            "snapshot-id": snapshot_id,
            "sequence-number": 1,
            "timestamp-ms": int(time.time() * 1000),
            "manifest-list": path,
            "summary": Summary(Operation.APPEND, **{"total-data-files": str(files)}),
            "schema-id": 0,
        }
    )
    ref = SetSnapshotRefUpdate(
        ref_name="main",
        type=SnapshotRefType.BRANCH,
        snapshot_id=snapshot_id,
        max_ref_age_ms=None,
        max_snapshot_age_ms=None,
        min_snapshots_to_keep=None,
    )
    requirement = AssertRefSnapshotId(ref="main", snapshot_id=None)
    table.catalog.commit_table(table, (requirement,), (AddSnapshotUpdate(snapshot=snapshot), ref))


def _file(table: Table, number: int, at: int, *, day: int) -> DataFile:
    """Return a data file with statistics of every column."""
    ids, of_day = range(1, COLUMNS + 1), day.to_bytes(8, "little")
    made = DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=f"{table.location()}/data/day={day}/{number:05}-{at:05}-4c2f1c0e-8f0b-4d53-9d8e.parquet",
        file_format=FileFormat.PARQUET,
        partition=Record(day),
        record_count=1000 + at,
        file_size_in_bytes=100_000 + number,
        column_sizes={each: 1000 * each + at for each in ids},
        value_counts=dict.fromkeys(ids, 1000 + at),
        null_value_counts=dict.fromkeys(ids, 0),
        nan_value_counts={},
        lower_bounds={1: of_day, **{each: (number * each).to_bytes(8, "little") for each in ids[1:]}},
        upper_bounds={1: of_day, **{each: (number * each + at).to_bytes(8, "little") for each in ids[1:]}},
        split_offsets=[4],
        sort_order_id=0,
    )
    made.spec_id = 0
    return made


if __name__ == "__main__":
    main()
