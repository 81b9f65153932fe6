"""Measures an Iceberg table from outside, with PyIceberg and DuckDB: what a reader pays, and which rows it sees.

The fingerprint is the sum of a 64-bit hash over all rows: it depends neither on their order nor on how they lie in
files, and two fingerprints add up when their rows do. Reads the table into memory (a demo table has some hundred MB).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlparse

import duckdb
import pyarrow as pa
import pyarrow.fs as pafs
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.table import Table

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rows:
    """A multiset of rows: how many, and the sum of their hashes."""

    count: int
    fingerprint: int

    def __add__(self, other: "Rows") -> "Rows":
        """Return the union of two multisets."""
        return Rows(self.count + other.count, self.fingerprint + other.fingerprint)

    def short(self) -> str:
        """Return the fingerprint's last 64 bits, for people."""
        return f"{self.fingerprint % 2**64:016x}"


@dataclass(frozen=True, slots=True)
class Measurement:
    """A table at one moment, as a reader finds it. Seconds are wall-clock."""

    snapshot_id: int
    files: int
    total_bytes: int
    partitions: int
    plan_seconds: float
    scan_seconds: float
    rows: Rows

    @property
    def average_bytes(self) -> float:
        """Mean size of a data file."""
        return self.total_bytes / max(1, self.files)


@dataclass(frozen=True, slots=True)
class Storage:
    """What a table takes: its snapshots, and the files below its location."""

    snapshots: int
    files: int
    stored_bytes: int


class TableProbe:
    """Opens the table anew for each measurement, so that it sees what any other reader would."""

    def __init__(self, *, catalog: str, properties: Mapping[str, str], identifier: tuple[str, ...]) -> None:
        self._catalog: Catalog = load_catalog(catalog, **properties)
        self._identifier = identifier

    def load(self) -> Table:
        """Return the table as it is now."""
        return self._catalog.load_table(self._identifier)

    def measure(self) -> Measurement:
        """Plan a scan of everything, read everything, and take the fingerprint of what was read.

        Planning is short, so its time is the best of three: neither cold caches nor a busy moment speaks for one side.
        """
        table = self.load()
        plan_seconds, tasks = _best(3, lambda: list(table.scan().plan_files()))
        scan_seconds, read = _best(1, lambda: table.scan().to_arrow())
        head = table.current_snapshot()
        return Measurement(
            snapshot_id=head.snapshot_id if head is not None else 0,
            files=len(tasks),
            total_bytes=sum(task.file.file_size_in_bytes for task in tasks),
            partitions=len({str(task.file.partition) for task in tasks}),
            plan_seconds=plan_seconds,
            scan_seconds=scan_seconds,
            rows=rows_of(read),
        )

    def count_files(self) -> int:
        """Return how many data files the head has."""
        return len(list(self.load().scan().plan_files()))

    def append(self, rows: pa.Table) -> Rows:
        """Append rows in one commit, as any writer would; lost races are tried again. Returns what was appended."""
        self.load().append(rows)
        return rows_of(rows)

    def parent_of(self, snapshot_id: int) -> int | None:
        """Return the snapshot that a snapshot was committed on."""
        snapshot = self.load().snapshot_by_id(snapshot_id)
        return None if snapshot is None else snapshot.parent_snapshot_id

    def storage(self) -> Storage:
        """Count snapshots, and the files below the table's location by listing them."""
        table = self.load()
        found = _files_below(table.location())
        return Storage(len(table.snapshots()), len(found), sum(info.size for info in found))

    def rows_of_newest(self, count: int) -> Sequence[Rows]:
        """Read each of the newest snapshots, as time travel does."""
        table = self.load()
        newest = sorted(table.snapshots(), key=lambda each: each.timestamp_ms)[-count:]
        return [rows_of(table.scan(snapshot_id=each.snapshot_id).to_arrow()) for each in newest]

    def unreferenced_files(self, part_of_name: str) -> list[str]:
        """Return files under the table's location with this in their name that no retained snapshot references."""
        table = self.load()
        known = _referenced_paths(table)
        found = _files_below(table.location())
        return [info.path for info in found if part_of_name in info.base_name and info.path not in known]


def rows_of(table: pa.Table) -> Rows:
    """Return count and fingerprint of an Arrow table's rows."""
    with duckdb.connect() as connection:
        connection.register("given", table)
        ((count, fingerprint),) = connection.sql("select count(*), coalesce(sum(hash(given)), 0) from given").fetchall()
    return Rows(int(count), int(fingerprint))


def _best(repeats: int, work: Callable[[], T]) -> tuple[float, T]:
    """Return the shortest wall time of several calls, and the last result."""
    shortest = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        result = work()
        shortest = min(shortest, time.perf_counter() - started)
    return shortest, result


def _files_below(location: str) -> list[pafs.FileInfo]:
    """List all files below a location, without Packhouse's own lists of deleted files."""
    at = urlparse(location)
    filesystem, root = pafs.FileSystem.from_uri(f"{at.scheme or 'file'}://{at.netloc}{at.path}")
    found = filesystem.get_file_info(pafs.FileSelector(root, recursive=True))
    return [info for info in found if info.is_file and "/packhouse-deletions/" not in info.path]


def _referenced_paths(table: Table) -> set[str]:
    """Return the paths of all data files that any retained snapshot names; every manifest is read once."""
    manifests = {each.manifest_path: each for snapshot in table.snapshots() for each in snapshot.manifests(table.io)}
    entries = (e for each in manifests.values() for e in each.fetch_manifest_entry(table.io, discard_deleted=False))
    return {urlparse(entry.data_file.file_path).path for entry in entries}
