"""Random files of one table, rewritten with the library and without it: both give the same rows, bounds and page skips.

A seed chooses columns of any type and nesting, nulls, NaN and signed zeros, and for each file codec, encodings,
dictionaries, versions and sizes of pages, row groups, checksums, statistics and page indexes; then the table format's
dialect and the settings of the outputs. About 50 files, with PACKHOUSE_DEEP 2,000; `PACKHOUSE_SEED` plays one seed.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import GroupResult, TaskInput, WriteSettings
from engine.rewriting.kernel.kernel_task import BY_NAME, SentKernelTask
from engine.rewriting.kernel.reading.projection import without_ids
from engine.rewriting.kernel.splicing import compiled, copy_plans
from tests.unit.kernel.building import make_task, outputs_of, rewrite, write
from tests.unit.kernel.spliced import NESTED, table
from tests.unit.kernel.test_compiled import (
    pytestmark,  # noqa: F401 - skipped without a library
    statistics_of,
)

FILES: Final = 2000 if os.environ.get("PACKHOUSE_DEEP") else 50
SEEDS: Final = [int(os.environ["PACKHOUSE_SEED"])] if "PACKHOUSE_SEED" in os.environ else range(FILES // 4)
CODECS: Final = ("zstd", "snappy", "gzip", "lz4", "none", "brotli")
DIALECTS: Final[dict[str, dict[str, Any]]] = {
    "iceberg": {"key_values": {"iceberg.schema": "{}"}},
    "paimon": {"bounds_beside_nan": False},
    "hive": {"match_by": BY_NAME, "bounds_beside_nan": False, "decimals_as_integers": False, "names_parquet_mr": True},
}
_DELTA: Final = {"int": "DELTA_BINARY_PACKED", "string": "DELTA_LENGTH_BYTE_ARRAY", "double": "BYTE_STREAM_SPLIT"}


@dataclass(frozen=True, slots=True)
class Case:
    """The rows of a group, their files, and how they are rewritten."""

    rows: pa.Table
    inputs: list[TaskInput]
    changes: dict[str, Any]

    def task(self, folder: Path) -> SentKernelTask:
        return make_task(folder, self.inputs, self.rows.schema, **self.changes)


def made(folder: Path, seed: int) -> Case:
    random = np.random.default_rng(seed)
    schema = _schema(random)
    name = str(random.choice(list(DIALECTS)))
    parts, inputs = [], []
    for number in range(4):
        rows = _rows(random, schema, least=int(number == 0))
        stored = rows.cast(pa.schema(without_ids(schema))) if name == "hive" else rows
        options = _options(random, schema) | {"store_decimal_as_integer": name != "hive"}
        inputs.append(write(folder / f"{number}.parquet", stored, **options))
        parts.append(rows)
    codec = str(random.choice(["zstd", "zstd", "snappy", "gzip", "lz4", "uncompressed"]))
    settings = WriteSettings(
        target_file_bytes=128 * 2**20,
        codec=codec,
        row_group_bytes=int(random.choice([2**14, 2**27])),
        page_bytes=int(2 ** random.integers(8, 20)),
        dictionary_page_bytes=int(2 ** random.integers(8, 21)),
    )
    return Case(pa.concat_tables(parts), inputs, {"settings": settings, **DIALECTS[name]})


def _schema(random: Any) -> pa.Schema:
    """Return up to eight columns, in any order."""
    fields = [NESTED.field(int(at)) for at in random.permutation(len(NESTED))[: random.integers(1, 9)]]
    return pa.schema([one.with_nullable(bool(random.random() < 0.7)) for one in fields])


def _rows(random: Any, schema: pa.Schema, *, least: int) -> pa.Table:
    count = max(least, int(random.choice([0, 1, 7, 60, 300])))
    rows = table(int(random.integers(0, 2**31)), count, schema)
    repeats, is_null = random.random() < 0.4, random.random() < 0.1
    columns = []
    for one, column in zip(schema, rows.columns, strict=True):
        found = column.combine_chunks()
        if pa.types.is_floating(one.type) and random.random() < 0.4 and len(found):
            special = pa.array([float("nan"), float("inf"), -0.0, 0.0][int(random.integers(0, 4)) :], one.type)
            found = pa.concat_arrays([special, found])[: len(found)]
        if repeats and len(found):
            found = found.take(pa.array(random.integers(0, min(5, len(found)), len(found))))
        has_required = pa.types.is_struct(one.type)  # Arrow makes no nulls of it
        columns.append(pa.nulls(len(found), one.type) if is_null and one.nullable and not has_required else found)
    return pa.Table.from_arrays(columns, schema=schema)


def _options(random: Any, schema: pa.Schema) -> dict[str, Any]:
    delta = {name: _DELTA[name] for name in schema.names if name in _DELTA and random.random() < 0.15}
    has_dictionary = not delta and random.random() < 0.6
    return {
        "compression": str(random.choice(CODECS, p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1])),
        "use_dictionary": has_dictionary and (random.random() < 0.7 or [str(random.choice(schema.names))]),
        "column_encoding": delta or None,
        "data_page_version": str(random.choice(["1.0", "1.0", "2.0"])),
        "dictionary_pagesize_limit": int(random.choice([256, 2**20])),
        "data_page_size": int(2 ** random.integers(7, 20)),
        "write_batch_size": int(2 ** random.integers(3, 10)),
        "row_group_size": int(random.choice([37, 2**20], p=[0.2, 0.8])),
        "write_page_checksum": bool(random.random() < 0.7),
        "write_statistics": bool(random.random() < 0.9),
        "write_page_index": bool(random.random() < 0.3),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_random_files_are_rewritten_alike_with_the_library_and_without_it(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", (0, 4096, 1 << 40)[seed % 3])
    monkeypatch.setattr(compiled, "PAGE_ROWS", (64, 65536)[seed % 2])
    case = made(tmp_path, seed)
    found = rewrite(case.task(tmp_path / "found"))
    peer = rewrite(replace(case.task(tmp_path / "peer"), uses_pass=False))
    assert (found.outcome, found.pass_limit, peer.merged_columns) == ("written", "", 0), found.reason
    assert as_bits(outputs_of(found)) == as_bits(outputs_of(peer)) == as_bits(case.rows)
    assert statistics_of(found) == statistics_of(peer) or _differs_by_row_groups(found, peer)
    for result in (found, peer):
        assert skips_hold(case.rows, [output.path for output in result.outputs]) == []


def as_bits(rows: pa.Table) -> str:
    """Return the rows in a form in which NaN equals itself and -0.0 is not 0.0."""
    return repr([column.to_pylist() for column in rows.columns])


def _differs_by_row_groups(found: GroupResult, peer: GroupResult) -> bool:
    """Return whether outputs have other row groups: these are cut by the bytes that were written."""
    counts = [
        [[group.row_group(at).num_rows for at in range(group.num_row_groups)] for group in groups]
        for groups in ([pq.read_metadata(output.path) for output in one.outputs] for one in (found, peer))
    ]
    return counts[0] != counts[1]


def skips_hold(rows: pa.Table, paths: list[str]) -> list[str]:
    """Return the predicates for which a reader, which skips by bounds, finds other rows than are there."""
    wrong: list[str] = []
    dataset, connection = ds.dataset(paths, schema=rows.schema), duckdb.connect()
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        kind = column.type
        if pa.types.is_nested(kind):
            continue
        has_nan = pa.types.is_floating(kind) and pc.any(pc.is_nan(column)).as_py()
        values = column.filter(pc.invert(pc.is_nan(column))) if has_nan else column.drop_null()
        if not len(values):
            continue
        value = values[len(values) // 2]
        for text, compare in (("=", pc.equal), ("<", pc.less), (">=", pc.greater_equal)):
            expected = pc.sum(compare(column, value)).as_py() or 0
            counted = dataset.count_rows(filter=_expression(text, ds.field(name), value))
            holds = counted >= expected if has_nan else counted == expected  # Arrow takes NaN to be within bounds
            wrong += [] if holds else [f"arrow: {name} {text} {value}: {counted}, not {expected}"]
            if has_nan:
                continue  # DuckDB orders NaN above all numbers
            query = f'SELECT count(*) FROM read_parquet(?) WHERE "{name}" {text} ?'
            [counted] = connection.execute(query, [paths, value.as_py()]).fetchone() or [None]
            wrong += [] if counted == expected else [f"duckdb: {name} {text} {value}: {counted}, not {expected}"]
    return wrong


def _expression(text: str, column: Any, value: Any) -> Any:
    return {"=": column == value, "<": column < value, ">=": column >= value}[text]
