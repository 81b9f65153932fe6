"""Write a demo Iceberg table that needs compaction: hundreds of small files, committed as a streaming writer does.

Every commit appends one file to each day that it touches. The rows are deterministic by seed; file names and commit
times are not. For one machine: the catalog is a SQLite file, the data is in a local folder.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import TableAlreadyExistsError
from pyiceberg.table import Table
from pyiceberg.transforms import DayTransform

from engine.domain.errors import InvalidInput, StateConflict
from engine.embedded.demo_rows import ROWS, make_rows

TABLE_PROPERTIES: Final = {
    "format-version": "2",
    "write.parquet.compression-codec": "zstd",
    # more commit retries: with two writers, the default of 4 is too few against a fast stream
    "commit.retry.num-retries": "20",
    "commit.retry.min-wait-ms": "20",
    "commit.retry.max-wait-ms": "500",
}


@dataclass(frozen=True, slots=True)
class DemoTable:
    """A written table. `name` is `catalog.namespace.table`; sizes are those of the final data files."""

    name: str
    catalog_properties: Mapping[str, str] = field(repr=False)
    location: str
    data_files: int
    partitions: int
    commits: int
    rows: int
    total_bytes: int


def write_demo_table(
    *,
    catalog_properties: Mapping[str, str],
    name: str,
    files: int = 400,
    partitions: int = 8,
    total_bytes: int = 160 * 2**20,
    seed: int = 1,
    on_progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> DemoTable:
    """Write the demo table; blocks for about a second per 8 MB on two cores.

    Args:
        catalog_properties: PyIceberg properties (`type`, `uri`, `warehouse`, …) to open the catalog with.
        name: `catalog.namespace.table`; the namespace is created if it is missing.
        files: number of data files in the finished table.
        partitions: number of days; every commit adds one file to each, the last commit possibly to fewer.
        total_bytes: stored size of the finished table in bytes, met within a few percent.
        seed: the same seed gives the same rows.
        on_progress: called after each commit with commits done and commits to do.

    Raises:
        InvalidInput: fewer files than partitions, or a name that does not have three parts.
        StateConflict: the table already exists.
    """
    if not 1 <= partitions <= files:
        raise InvalidInput(f"files ({files}) must be at least partitions ({partitions}), and those at least 1")
    rows_per_file = _rows_for(total_bytes // files, seed)
    commits = -(-files // partitions)
    rows = 0
    with closing(load_catalog(name.partition(".")[0], **catalog_properties)) as catalog:
        table = _create(catalog, name)
        for done in range(commits):
            days = min(partitions, files - done * partitions)
            table.append(make_rows(first_id=rows, days=days, rows_per_day=rows_per_file, seed=seed))
            rows += days * rows_per_file
            on_progress(done + 1, commits)
        return _described(table, name, catalog_properties, partitions, commits)


def _identifier(name: str) -> tuple[str, ...]:
    _catalog, *namespace, table = name.split(".") if "." in name else ("", name)
    if not namespace or not all(name.split(".")):
        raise InvalidInput(f"{name!r} is not a table's name: write catalog.namespace.table")
    return (*namespace, table)


def _create(catalog: Catalog, name: str) -> Table:
    identifier = _identifier(name)
    catalog.create_namespace_if_not_exists(identifier[:-1])
    try:
        table = catalog.create_table(identifier, schema=ROWS, properties=TABLE_PROPERTIES)
    except TableAlreadyExistsError as error:
        raise StateConflict(f"table {name} exists already: choose another name or drop it first") from error
    with table.update_spec() as spec:
        spec.add_field("at", DayTransform(), "day")
    return table


def _rows_for(file_bytes: int, seed: int) -> int:
    """Return the number of rows in a file of `file_bytes` bytes, estimated from a file written in memory."""
    rows = max(1, file_bytes // 64)
    for _ in range(2):
        rows = max(1, rows * file_bytes // _stored_bytes(make_rows(first_id=0, days=1, rows_per_day=rows, seed=seed)))
    return rows


def _stored_bytes(rows: pa.Table) -> int:
    buffer = BytesIO()
    pq.write_table(rows, buffer, compression="zstd")
    return buffer.tell()


def _described(
    table: Table, name: str, catalog_properties: Mapping[str, str], partitions: int, commits: int
) -> DemoTable:
    return DemoTable(
        name=name,
        catalog_properties=dict(catalog_properties),
        location=table.location(),
        data_files=_summary(table, "total-data-files"),
        partitions=partitions,
        commits=commits,
        rows=_summary(table, "total-records"),
        total_bytes=_summary(table, "total-files-size"),
    )


def _summary(table: Table, key: str) -> int:
    snapshot = table.current_snapshot()
    if snapshot is None or snapshot.summary is None:
        return 0
    return int(snapshot.summary[key] or 0)
