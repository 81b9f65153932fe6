"""An Iceberg table of millions of small files that exists in metadata only: real manifests, no data files.

One file is appended by PyIceberg; its manifest entry is the pattern of all others. So the headers, schemas and
statistics of the manifests are those that a real writer made.
"""

import copy
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import fastavro
import numpy as np
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType, TimestampType

NAME: Final = ("lake", "large")
FILES_PER_MANIFEST: Final = 20_000
MEDIAN_BYTES: Final = 18_000_000
"""What the table of the lesson that this one is like has on average."""
_COLUMNS: Final = {"id": LongType(), "at": TimestampType(), "value": DoubleType(), "note": StringType()}


def make_catalog(folder: Path, *, name: str = "lake") -> tuple[SqlCatalog, Mapping[str, str]]:
    """Return a new catalog and its properties; another name is for a record that has a catalog `lake` already."""
    folder.mkdir(parents=True, exist_ok=True)
    properties = {"type": "sql", "uri": f"sqlite:///{folder / 'catalog.db'}", "warehouse": (folder / "lake").as_uri()}
    catalog = SqlCatalog(name, **properties)
    catalog.create_namespace(NAME[0])
    return catalog, properties


def make_large_table(catalog: SqlCatalog, *, files: int, partitions: int) -> Table:
    """Create the table; files lie in random partitions, so that every manifest has entries of many."""
    fields = [NestedField(1, "part", StringType(), required=True)]
    fields += [NestedField(number, name, of) for number, (name, of) in enumerate(_COLUMNS.items(), 2)]
    spec = PartitionSpec(PartitionField(source_id=1, field_id=1000, transform=IdentityTransform(), name="part"))
    table = catalog.create_table(NAME, Schema(*fields), partition_spec=spec)
    append_file(table, _partition(0))
    snapshot = table.current_snapshot()
    if snapshot is None:
        raise SystemExit("the append made no snapshot")
    listed, list_schema, list_metadata = _read(snapshot.manifest_list)
    entries, schema, metadata = _read(listed[0]["manifest_path"])
    random = np.random.default_rng(6)
    manifests = []
    for first in range(0, files, FILES_PER_MANIFEST):
        count = min(FILES_PER_MANIFEST, files - first)
        path = listed[0]["manifest_path"].replace(".avro", f"-{first}.avro")
        _write(path, schema, metadata, _entries(entries[0], random, count, partitions, table.location()))
        counts = {"added_files_count": count, "added_rows_count": count * 1000}
        manifests.append({**listed[0], "manifest_path": path, "manifest_length": _local(path).stat().st_size, **counts})
    _write(snapshot.manifest_list, list_schema, list_metadata, iter(manifests))
    return catalog.load_table(NAME)


def append_file(table: Table, partition: str) -> None:
    """Commit one small file, as a streaming writer does."""
    rows = {"part": [partition], "id": [1], "at": [None], "value": [1.5], "note": ["x"]}
    table.append(pa.table(rows, schema=table.schema().as_arrow()))


def _entries(
    pattern: Mapping[str, Any], random: np.random.Generator, count: int, partitions: int, location: str
) -> Iterator[Mapping[str, Any]]:
    parts = random.integers(0, partitions, count)
    sizes = random.lognormal(np.log(MEDIAN_BYTES), 0.4, count).astype(np.int64)
    for part, size in zip(parts.tolist(), sizes.tolist(), strict=True):
        entry = copy.copy(pattern)
        name = _partition(part)
        path = f"{location}/data/part={name}/00000-0-{uuid.UUID(bytes=random.bytes(16))}.parquet"
        known = {"file_path": path, "partition": {"part": name}, "file_size_in_bytes": size, "record_count": 1000}
        yield {**entry, "data_file": {**pattern["data_file"], **known}}


def _partition(number: int) -> str:
    return f"day-{number // 50:04}-{number % 50:02}"


def _read(location: str) -> tuple[list[Any], Any, dict[str, str]]:
    with _local(location).open("rb") as stream:
        reader = fastavro.reader(stream)
        records: list[Any] = list(reader)
        metadata = {key: value for key, value in reader.metadata.items() if not key.startswith("avro.")}
        return records, reader.writer_schema, metadata


def _write(location: str, schema: Any, metadata: dict[str, str], records: Iterator[Any]) -> None:
    with _local(location).open("wb") as stream:
        fastavro.writer(stream, schema, records, codec="deflate", metadata=metadata, sync_interval=65536)


def _local(location: str) -> Path:
    return Path(location.removeprefix("file://"))
