"""Digests for tests: from plain tuples, or large and random by seed."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from engine.domain.runs.files import InputFile
from engine.planning.measures.digest import FILE_DIGEST


@dataclass(frozen=True, slots=True)
class DigestFile:
    """One data file of a digest; the path is made from its place in the list."""

    file_bytes: int
    partition: str = "{}"
    spec_id: int = 0
    record_count: int = 1000
    row_groups: int = 0
    sequence_number: int = 1
    delete_files: int = 0
    deleted_rows: int = 0
    equality_deletes: int = 0
    file_format: str = "parquet"
    is_encrypted: bool = False
    is_outside: bool = False
    recorded_order: str | None = None
    added_at_ms: int | None = None
    data_at_ms: int = 0
    bucket: int | None = None
    level: int | None = None
    refusal: str | None = None
    path: str | None = None


def digest_of(files: Sequence[DigestFile]) -> pa.Table:
    """Return the digest of files; a file without a path is named by its place."""
    columns: dict[str, Any] = {
        name: [getattr(file, name) for file in files] for name in FILE_DIGEST.names if name != "path"
    }
    columns["path"] = [file.path or f"s3://lake/{at:08d}.parquet" for at, file in enumerate(files)]
    return pa.table({field.name: _array(columns[field.name], field.type) for field in FILE_DIGEST}, schema=FILE_DIGEST)


def random_digest(*, files: int, partitions: int, mean_bytes: float, seed: int) -> pa.Table:
    """Return a large digest of log-normal file sizes, spread evenly over day-like partitions, without deletes."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, partitions, files, dtype=np.int32)
    names = pa.array([json.dumps({"bucket": at}, separators=(",", ":")) for at in range(partitions)])
    sizes = random.lognormal(mean=np.log(mean_bytes), sigma=0.8, size=files).astype(np.int64) + 1
    zeros = np.zeros(files, dtype=np.int32)
    return pa.table(
        {
            "path": [f"s3://lake/data/{at:09d}.parquet" for at in range(files)],
            "spec_id": zeros,
            "partition": pa.DictionaryArray.from_arrays(pa.array(codes), names),
            "file_format": pa.DictionaryArray.from_arrays(pa.array(zeros), pa.array(["parquet"])),
            "file_bytes": sizes,
            "record_count": sizes // 100 + 1,
            "row_groups": zeros,
            "sequence_number": np.arange(files, dtype=np.int64) // 10,
            "is_encrypted": pa.array(np.zeros(files, dtype=np.bool_)),
            "is_outside": pa.array(np.zeros(files, dtype=np.bool_)),
            "delete_files": zeros,
            "deleted_rows": zeros.astype(np.int64),
            "equality_deletes": zeros,
            "recorded_order": pa.nulls(files, FILE_DIGEST.field("recorded_order").type),
            "added_at_ms": np.arange(files, dtype=np.int64) * 1000,
            "data_at_ms": np.arange(files, dtype=np.int64) * 1000,
            "bucket": pa.nulls(files, pa.int32()),
            "level": pa.nulls(files, pa.int32()),
            "refusal": pa.nulls(files, FILE_DIGEST.field("refusal").type),
        },
        schema=FILE_DIGEST,
    )


def inputs_of(digest: pa.Table) -> Callable[[Sequence[str]], Mapping[str, InputFile]]:
    """Return a lookup of a digest's inputs, as a table format gives it."""
    places = {path: at for at, path in enumerate(digest["path"].to_pylist())}

    def lookup(paths: Sequence[str]) -> Mapping[str, InputFile]:
        rows = digest.take(pa.array([places[path] for path in paths], type=pa.int64()))
        names = ("path", "file_bytes", "record_count", "sequence_number", "row_groups")
        columns = (rows[name].to_pylist() for name in names)
        return {
            path: InputFile(path, size, records, seq, row_groups=row_groups)
            for path, size, records, seq, row_groups in zip(*columns, strict=True)
        }

    return lookup


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(values, type=kind.value_type).dictionary_encode()
    return pa.array(values, type=kind)
