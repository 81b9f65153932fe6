"""Live files of a Paimon table by their paths, as tasks and commits look them up for each group."""

import time

import numpy as np
import pyarrow as pa

from engine.formats.paimon.manifests.entries import ENTRIES
from engine.formats.paimon.manifests.live_files import LiveFiles
from engine.formats.paimon.metadata.options import options_of
from engine.formats.paimon.metadata.partitions import PartitionCodec
from engine.formats.paimon.metadata.schemas import TableSchema

LOCATION = "/lake/db.db/events"
EMPTY_ROW = b"\x00" * 12  # no fields, and the header of a row
SCHEMA = TableSchema(0, (), (), (), {}, 0, 0)


def live(names: pa.Array, buckets: pa.Array, external: pa.Array | None = None) -> LiveFiles:
    rows = len(names)
    columns = {
        "kind": pa.repeat(pa.scalar(0, pa.int32()), rows),
        "partition": pa.repeat(EMPTY_ROW, rows),
        "bucket": buckets.cast(pa.int32()),
        "name": names,
        "level": pa.repeat(pa.scalar(0, pa.int32()), rows),
        **{name: pa.repeat(pa.scalar(1, pa.int64()), rows) for name in ("file_bytes", "record_count")},
        "delete_row_count": pa.nulls(rows, pa.int64()),
        **{name: pa.repeat(pa.scalar(0, pa.int64()), rows) for name in ("min_sequence", "max_sequence", "schema_id")},
        "external_path": external if external is not None else pa.nulls(rows, pa.string()),
    }
    return LiveFiles(
        pa.table(columns, schema=ENTRIES), pa.table({}), PartitionCodec.of(SCHEMA, options_of(SCHEMA)), LOCATION
    )


def test_a_name_that_two_buckets_have_is_found_in_the_bucket_of_the_path() -> None:
    files = live(pa.array(["a.parquet", "a.parquet", "b.parquet"]), pa.array([0, 1, 1]))
    found = files.at([f"{LOCATION}/bucket-1/a.parquet"]).files
    assert found.select(["name", "bucket"]).to_pylist() == [{"name": "a.parquet", "bucket": 1}]


def test_a_file_at_an_external_path_is_found_there_only() -> None:
    files = live(pa.array(["a.parquet"]), pa.array([0]), pa.array(["/other/a.parquet"]))
    assert files.at(["/other/a.parquet"]).files.num_rows == 1
    assert files.at([f"{LOCATION}/bucket-0/a.parquet"]).files.num_rows == 0


def test_the_files_of_a_group_are_found_among_a_million_without_a_path_for_each() -> None:
    rows = 1_000_000
    names = pa.array([f"data-{number:012d}.parquet" for number in range(rows)])
    files = live(names, pa.array(np.arange(rows) % 1000))
    started = time.process_time()
    found = files.at([f"{LOCATION}/bucket-{number % 1000}/data-{number:012d}.parquet" for number in range(7, 107)])
    assert found.files.num_rows == 100
    assert time.process_time() - started < 2
