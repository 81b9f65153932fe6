"""Four writers of data files, and those of deletes: Spark, PyIceberg, and files of Arrow and DuckDB put in by hand."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import _determine_partitions, schema_to_pyarrow
from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.table import Table
from pyiceberg.typedef import Record
from pyspark.sql import SparkSession

from tests.differential.schemas import sources
from tests.differential.values import random_rows

_FIELD_ID = b"PARQUET:field_id"


@dataclass(frozen=True, slots=True)
class Pens:
    """What the writers write with: a Spark session and where its catalog has the table."""

    spark: SparkSession
    name: str


def write(table: Table, pens: Pens, *, ids: range, random: Random, only_spark: bool = False) -> str:
    """Append rows of these ids by a random writer; return which. Only Spark writes to branches and to version 3."""
    rows = random_rows(schema_to_pyarrow(table.schema()), ids=ids, narrow=sources(table), random=random)
    writers: tuple[Callable[..., None], ...] = (_by_spark, _by_pyiceberg, by_arrow, by_duckdb)
    weights = (1, 0, 0, 0) if only_spark or table.metadata.format_version > 2 else (3, 3, 3, 2)
    writer = random.choices(writers, weights)[0]
    writer(table, pens, rows, random)
    return f"{len(ids)} rows {writer.__name__.strip('_').replace('_', ' ')}"


def _by_spark(_table: Table, pens: Pens, rows: pa.Table, random: Random) -> None:
    pens.spark.createDataFrame(rows).coalesce(random.choice((1, 2))).writeTo(pens.name).append()


def _by_pyiceberg(table: Table, _pens: Pens, rows: pa.Table, _random: Random) -> None:
    table.append(rows)


def by_arrow(table: Table, _pens: Pens | None, rows: pa.Table, random: Random) -> None:
    options: dict[str, Any] = {
        "compression": random.choice(("zstd", "snappy", "gzip", "none", "lz4")),
        "use_dictionary": random.choice((True, False)),
        "data_page_version": random.choice(("1.0", _newest_pages(rows))),
        "row_group_size": random.choice((1, 7, 1000)),
        "data_page_size": random.choice((64, 2**20)),
        "dictionary_pagesize_limit": random.choice((16, 2**20)),  # 16: dictionary pages, then plain ones
        "write_statistics": random.random() < 0.8,
        "store_schema": random.random() < 0.5,
        "write_page_index": random.random() < 0.3,
        "use_compliant_nested_type": True,
    }
    _put_in(table, rows, lambda part, path: pq.write_table(part, path, **options))


def by_duckdb(table: Table, _pens: Pens | None, rows: pa.Table, random: Random) -> None:
    codec = random.choice(("zstd", "snappy", "uncompressed"))
    version = random.choice(("v1", "v2" if _newest_pages(rows) == "2.0" else "v1"))

    def copy(part: pa.Table, path: Path) -> None:
        ids = ", ".join(f"{_quoted(field.name)}: {_ids(field)}" for field in part.schema)
        options = f"FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {version}, FIELD_IDS {{{ids}}}"
        with duckdb.connect() as connection:
            connection.register("part", part)
            connection.execute(f"COPY (SELECT * FROM part) TO '{path}' ({options})")

    _put_in(table, rows, copy)


def _newest_pages(rows: pa.Table) -> str:
    """Return the newest version of pages that Spark reads: it takes no booleans from version 2 (they are RLE there)."""
    return "1.0" if "bool" in str(rows.schema) else "2.0"


def _ids(field: pa.Field) -> str:
    """Return DuckDB's notation of a field's id and its children's."""
    own = field.metadata[_FIELD_ID].decode()
    children: dict[str, pa.Field] = {}
    if pa.types.is_struct(field.type):
        children = {each.name: each for each in field.type}
    elif pa.types.is_list(field.type) or pa.types.is_large_list(field.type):
        children = {"element": field.type.value_field}
    elif pa.types.is_map(field.type):
        children = {"key": field.type.key_field, "value": field.type.item_field}
    if not children:
        return own
    inner = ", ".join(f"{_quoted(name)}: {_ids(each)}" for name, each in children.items())
    return f"{{__duckdb_field_id: {own}, {inner}}}"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _put_in(table: Table, rows: pa.Table, store: Callable[[pa.Table, Path], None]) -> None:
    """Store one file a partition and append them by their paths, without column statistics."""
    spec, files = table.spec(), []
    parts = (
        [("", Record(), rows)]
        if spec.is_unpartitioned()
        else [
            (each.partition_key.to_path() + "/", each.partition_key.partition, each.arrow_table_partition)
            for each in _determine_partitions(spec, table.schema(), rows)
        ]
    )
    for folder, partition, part in parts:
        uri = f"{table.location()}/data/{folder}00000-0-{uuid.uuid4()}.parquet"
        path = Path("/" + uri.removeprefix("file:").lstrip("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        store(part, path)
        files.append(_data_file(table, path, partition, part.num_rows))
    _append(table, files)


def put_file(table: Table, path: Path, *, rows: int, partition: Record | None = None, key: bytes | None = None) -> None:
    """Append a file by its path as it is; `key`: metadata of an encryption key."""
    _append(table, [_data_file(table, path, partition or Record(), rows, key)])


def _data_file(table: Table, path: Path, partition: Record, rows: int, key: bytes | None = None) -> DataFile:
    made = DataFile.from_args(
        file_path=f"file://{path}",
        file_format=FileFormat.PARQUET,
        partition=partition,
        record_count=rows,
        file_size_in_bytes=path.stat().st_size,
        key_metadata=key,
    )
    made.spec_id = table.spec().spec_id
    return made


def _append(table: Table, files: list[DataFile]) -> None:
    with table.transaction() as change, change.update_snapshot().fast_append() as append:
        for made in files:
            append.append_data_file(made)
