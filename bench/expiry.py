"""B18: expiry of 500 snapshots over 100,000 files with their files, beside Iceberg's procedure on the same table.

Each snapshot adds files and removes those of an earlier one, so that a window of files is live: a table whose
partitions are overwritten. Manifests and lists are written by PyIceberg; data files are empty, as neither contender
opens them. For each contender the table is put back. CPU seconds are those of all processes: Packhouse's own for
`ours`, with Spark's for `procedure`, after a warm-up on a small table. With `--store`, the table is in
`tests/support/store_server.py`, which counts requests; Spark reaches it through Iceberg's S3FileIO. Only metadata is
stored there: to delete an object that is not there costs the same.

    python -m bench.expiry [--snapshots 500] [--files 100000] [--live 10000] [--store] [--json expiry.json]

Goals: at least 5 times less CPU than the procedure; at most 1.1 requests for a thousand deleted files.
"""

import argparse
import json
import shutil
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    write_manifest,
    write_manifest_list,
)
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField

from bench.facts import machine_facts, print_table, write_json
from bench.lake import ICEBERG_AWS, _s3_file_io
from bench.processes import tree_cpu_seconds
from engine.domain.runs.expiry import Expiry, ExpiryRule
from engine.domain.tables.table import TableRef
from engine.embedded.iceberg import SQL_EXTENSIONS, catalog_confs
from engine.embedded.jars import CACHE_FOLDER, ICEBERG_RUNTIME, SQLITE_JDBC, fetch_all
from engine.embedded.spark import EmbeddedSpark
from engine.formats.base import Engine
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.commits.expiry import expire, plan_expiry
from engine.formats.iceberg.removal.expired_files import IcebergExpired
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.expired_files import ExpiredFiles
from engine.formats.removal.scopes import Scope
from engine.spark.sessions import SparkSessions
from tests.support.store_server import BUCKET, StoreServer, store_server

NAMESPACE: Final = "lake"
SCHEMA: Final = Schema(NestedField(1, "id", LongType()))


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a table is: snapshots, files that were ever added, files that are live at the end."""

    snapshots: int
    files: int
    live: int

    @property
    def each(self) -> int:
        """The number of files that a snapshot adds."""
        return self.files // self.snapshots

    @property
    def window(self) -> int:
        """The number of snapshots whose files are live."""
        return max(1, self.live // self.each)


class Lake:
    """A catalog whose tables are written by their metadata, in a folder or in a store."""

    def __init__(self, folder: Path, store: StoreServer | None) -> None:
        self.folder, self.store = folder, store
        self.warehouse = (folder / "warehouse").as_uri() if store is None else f"s3://{BUCKET}/warehouse"
        self.properties = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": self.warehouse}
        self.properties |= {} if store is None else store.properties()
        self.catalog = SqlCatalog("bench", **self.properties)
        self.catalog.create_namespace(NAMESPACE)
        self._saved: dict[str, list[str]] = {}

    def write(self, name: str, shape: Shape) -> None:
        """Write a table; `put_back` makes it again."""
        table = self.catalog.create_table((NAMESPACE, name), SCHEMA)
        writer = _Writer(table, shape)
        writer.write()
        self._saved[name] = writer.data
        saved = self.folder / f"saved-{name}"
        if self.store is None:
            shutil.copytree(_local(table.location()) / "metadata", saved)
            return
        saved.mkdir()
        for key in self.store.control(keys=True)["keys"]:
            if f"/{name}/metadata/" in f"/{key}":
                with table.io.new_input(f"s3://{BUCKET}/{key}").open() as stream:
                    (saved / key.rpartition("/")[2]).write_bytes(stream.read())

    def put_back(self, name: str, contender: str) -> str:
        """Make a table with all its files again, under a new name that is returned."""
        table = self.catalog.load_table((NAMESPACE, name))
        if self.store is None:
            where = _local(table.location())
            shutil.rmtree(where, ignore_errors=True)
            shutil.copytree(self.folder / f"saved-{name}", where / "metadata")
            (where / "data").mkdir()
            for path in self._saved[name]:
                _local(path).touch()
        else:
            folder = table.location().removeprefix(f"s3://{BUCKET}/")
            for file in (self.folder / f"saved-{name}").iterdir():
                self.store.put(f"{folder}/metadata/{file.name}", file.read_bytes())
        copied = f"{name}_{contender}"
        self.catalog.register_table((NAMESPACE, copied), table.metadata_location)
        return copied

    def stored(self, name: str) -> int:
        """Return the number of files of a table."""
        table = self.catalog.load_table((NAMESPACE, name))
        if self.store is None:
            return sum(1 for path in _local(table.location()).rglob("*") if path.is_file() and path.suffix != ".crc")
        return len(self.store.control(keys=True)["keys"])


class _Writer:
    """Writes the history of a table."""

    def __init__(self, table: Table, shape: Shape) -> None:
        self._table, self._shape = table, shape
        self.data: list[str] = []
        self._snapshots: list[dict[str, Any]] = []

    def write(self) -> None:
        window: list[tuple[ManifestFile, list[DataFile]]] = []
        begun = int(time.time() * 1000) - 1000 * 3600 * 24
        for number in range(1, self._shape.snapshots + 2):
            files = [self._file() for _ in range(self._shape.each)]
            manifests = [self._manifest(number, files, ManifestEntryStatus.ADDED)]
            if len(window) == self._shape.window:
                manifests.append(self._manifest(number, window.pop(0)[1], ManifestEntryStatus.DELETED))
            path = f"{self._table.location()}/metadata/snap-{number}-1-{uuid.uuid4()}.avro"
            output = self._table.io.new_output(path)
            with write_manifest_list(2, output, number, number - 1 or None, number, "deflate") as listing:
                listing.add_manifests([*manifests, *(each for each, _ in reversed(window))])
            window.append((manifests[0], files))
            self._snapshots.append(_snapshot(number, path, begun + number))
        self._commit()

    def _file(self) -> DataFile:
        path = f"{self._table.location()}/data/00000-0-{uuid.uuid4()}.parquet"
        self.data.append(path)
        made = DataFile.from_args(
            content=DataFileContent.DATA, file_path=path, file_format=FileFormat.PARQUET, partition=Record(),
            record_count=1000, file_size_in_bytes=18_000_000, column_sizes={1: 4000}, value_counts={1: 1000},
            null_value_counts={1: 0}, lower_bounds={1: b"\0" * 8}, upper_bounds={1: b"\1" * 8}, split_offsets=[4],
        )  # fmt: skip
        made.spec_id = 0
        return made

    def _manifest(self, number: int, files: list[DataFile], status: ManifestEntryStatus) -> ManifestFile:
        path = f"{self._table.location()}/metadata/{uuid.uuid4()}-m0.avro"
        added = number if status == ManifestEntryStatus.ADDED else number - self._shape.window
        output = self._table.io.new_output(path)
        with write_manifest(2, self._table.spec(), SCHEMA, output, number, "deflate") as writer:
            for file in files:
                entry = ManifestEntry.from_args(
                    status=status, snapshot_id=number, sequence_number=added, file_sequence_number=added, data_file=file
                )
                writer.add(entry) if status == ManifestEntryStatus.ADDED else writer.delete(entry)
        listed = writer.to_manifest_file()
        listed._data[4] = number  # noqa: SLF001 - the sequence number, which a commit gives
        listed._data[5] = added  # noqa: SLF001 - the least of its files
        return listed

    def _commit(self) -> None:
        body = json.loads(self._table.metadata.model_dump_json())
        last = self._snapshots[-1]
        log = [{name: each[name] for name in ("snapshot-id", "timestamp-ms")} for each in self._snapshots]
        body |= {
            "snapshots": self._snapshots,
            "current-snapshot-id": last["snapshot-id"],
            "last-sequence-number": last["sequence-number"],
            "refs": {"main": {"snapshot-id": last["snapshot-id"], "type": "branch"}},
            "snapshot-log": log,
        }
        path = f"{self._table.location()}/metadata/00001-{uuid.uuid4()}.metadata.json"
        with self._table.io.new_output(path).create() as stream:
            stream.write(json.dumps(body).encode())
        identifier = self._table.name()
        self._table.catalog.drop_table(identifier)
        self._table.catalog.register_table(identifier, path)


def _snapshot(number: int, path: str, at_ms: int) -> dict[str, Any]:
    summary = {"operation": "overwrite", "added-data-files": "200", "total-data-files": "10000"}
    made = {"snapshot-id": number, "sequence-number": number, "timestamp-ms": at_ms, "manifest-list": path}
    return made | {"summary": summary, "schema-id": 0} | ({"parent-snapshot-id": number - 1} if number > 1 else {})


def _local(location: str) -> Path:
    return Path("/" + location.removeprefix("file:").lstrip("/"))


def ours(lake: Lake, name: str) -> dict[str, Any]:
    """Expire all but one snapshot and delete their files, as a worker does."""
    connection = IcebergFormat().connect("bench", {"type": "sql", **lake.properties})
    table = connection.open_table(TableRef("bench", (NAMESPACE,), name))
    rule = Expiry(ExpiryRule(timedelta(0), 1), datetime.now(UTC))
    fresh = table._fresh  # noqa: SLF001 - what the attempt of a run will be given
    plan = plan_expiry(fresh().metadata, rule)
    source = IcebergExpired(load=fresh, run_id="run_bench", scope=Scope.of(table.location))
    source.announce(fresh(), list(plan.expired))
    expire(table._catalog, fresh, list(plan.expired), rule, before_try=lambda: None)  # noqa: SLF001
    files = ExpiredFiles(source)
    recorded = files.record()
    removal = BulkDelete(table.engines[Engine.ARROW].task_storage(), before_batch=lambda _: None)
    removal.remove(recorded.files.batches())
    tally = removal.tally
    assert all(each.holds for each in recorded.files.prove())
    files.close()
    connection.close()
    assert not tally.failed, tally.samples
    return {"deleted": sum(each.files for each in tally.deleted.values()), "deletes": recorded.plan.total.files}


def procedure(spark: Any) -> Callable[[Lake, str], dict[str, Any]]:
    """Return the contender that is Iceberg's `expire_snapshots`."""

    def call(lake: Lake, name: str) -> dict[str, Any]:
        del lake
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        row = spark.sql(
            f"CALL bench.system.expire_snapshots(table => 'bench.{NAMESPACE}.{name}', older_than => TIMESTAMP '{now}', "
            "retain_last => 1, max_concurrent_deletes => 8)"
        ).collect()[0]
        deleted = sum(value for key, value in row.asDict().items() if key.startswith("deleted_"))
        return {"deleted": deleted, "deletes": deleted}

    return call


def main() -> None:
    """Measure both contenders and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--snapshots", type=int, default=500)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--live", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=2, help="rounds; the best of each contender counts")
    parser.add_argument("--store", action="store_true", help="in an object store")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-expiry-") as folder, store_server() as store:
        rows = _measure(given, Path(folder), store if given.store else None)
    print_table(rows)
    write_json(given.json, {"benchmark": "B18", "machine": machine_facts(), "rows": rows})


def _measure(given: argparse.Namespace, folder: Path, store: StoreServer | None) -> list[dict[str, Any]]:
    lake = Lake(folder, store)
    confs = {**SQL_EXTENSIONS, **catalog_confs("bench", folder / "catalog.db", warehouse=lake.warehouse)}
    wanted = [ICEBERG_RUNTIME, SQLITE_JDBC]
    if store is not None:
        wanted.append(ICEBERG_AWS)
        confs |= {f"spark.sql.catalog.bench.{name}": value for name, value in _s3_file_io(store).items()}
    server = EmbeddedSpark(data_dir=folder / "spark", cores=2, jars=fetch_all(wanted, CACHE_FOLDER), confs=confs)
    sessions = SparkSessions(url=server.start(), user_id="bench")
    try:
        sessions.get().conf.set("spark.sql.session.timeZone", "UTC")
        theirs = procedure(sessions.get())
        lake.write("small", Shape(20, 200, 50))
        for contender in (ours, theirs):
            contender(lake, lake.put_back("small", contender.__name__))
        lake.write("large", Shape(given.snapshots, given.files, given.live))
        taken: dict[str, list[dict[str, Any]]] = {"ours": [], "procedure": []}
        for number in range(given.repeats):
            for name, contender in (("ours", ours), ("procedure", theirs)):
                taken[name].append(_taken(lake, name, number, contender))
    finally:
        sessions.close()
        server.stop()
    best = [min(some, key=lambda row: row["cpu_s"]) for some in taken.values()]
    return [row | {"cpu_vs_procedure": best[1]["cpu_s"] / row["cpu_s"]} for row in best]


def _taken(lake: Lake, name: str, number: int, contender: Callable[[Lake, str], dict[str, Any]]) -> dict[str, Any]:
    copied = lake.put_back("large", f"{name}{number}")
    before = lake.stored(copied)
    if lake.store is not None:
        lake.store.control(forget=True)
    begun, cpu = time.perf_counter(), tree_cpu_seconds()
    done = contender(lake, copied)
    wall, spent = time.perf_counter() - begun, tree_cpu_seconds() - cpu
    asked = {} if lake.store is None else lake.store.control()["asked"]
    row = {"contender": name, "wall_s": wall, "cpu_s": spent, "deleted": done["deleted"]}
    row["left"] = lake.stored(copied) if lake.store is None else 0
    if lake.store is None:
        print(f"{name}: {before} files before, {row['left']} after")
    deletes = asked.get("POST delete", 0) + asked.get("DELETE", 0)
    return row | {
        "reads": asked.get("GET", 0) + asked.get("HEAD", 0),
        "delete requests": deletes,
        "requests per deleted 1000": 1000 * deletes / max(1, done["deletes"]),
    }


if __name__ == "__main__":
    main()
