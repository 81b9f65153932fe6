"""Merges by key: the newest row of each key stays, whatever the types, the files and the memory."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import cycle, product
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel import task as kernel_task
from engine.rewriting.kernel.contract import MergeKey, RowOrder, SortColumn, TaskInput, WriteSettings
from engine.rewriting.kernel.errors import InputFault, OutputFault
from engine.rewriting.kernel.merging import newest_check
from engine.rewriting.kernel.reading.deletes import PositionDeletes
from tests.unit.kernel.building import field, left_behind, make_task, outputs_of, rewrite, write
from tests.unit.kernel.test_int96 import as_int96, instant, raw_rows

RAW = pa.binary(12)
STAMP = pa.timestamp("us", "UTC")
KEYS: dict[str, tuple[pa.DataType, Any]] = {
    "whole numbers": (pa.int64(), lambda i: i - 3),
    "texts": (pa.string(), lambda i: f"k{i}é"),
    "dates": (pa.date32(), lambda i: date(2026, 1, 1) + timedelta(days=i)),
    "timestamps": (STAMP, lambda i: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=i)),
    "decimals": (pa.decimal128(20, 2), lambda i: Decimal(i - 5) / 4),
    "bytes": (pa.binary(), lambda i: bytes([i % 256, 0, 255])),
    "booleans": (pa.bool_(), lambda i: bool(i % 2)),
    "small numbers": (pa.int16(), lambda i: -i),
}
VERSIONS: dict[str, tuple[pa.DataType, Any]] = {
    "whole numbers": (pa.int32(), lambda i: i - 4),
    "large numbers": (pa.int64(), lambda i: (i - 4) * 2**59),
    "dates": (pa.date32(), lambda i: date(1969, 12, 28) + timedelta(days=i)),
    "timestamps": (STAMP, lambda i: datetime(1969, 12, 31, 23, tzinfo=UTC) + timedelta(minutes=20 * i)),
}
FILES: dict[str, dict[str, Any]] = {
    "dictionaries": {},
    "plain": {"use_dictionary": False, "write_page_checksum": True},
    "small row groups": {"row_group_size": 7},
}


def newest(rows: Sequence[dict[str, Any]], key: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows that a merge keeps, in the order in which they came: row by row, unlike the kernel."""
    last: dict[tuple[Any, ...], int] = {}
    kept: set[int] = set()
    for place, row in enumerate(rows):
        values = tuple(row[name] for name in key)
        if None in values:
            kept.add(place)
            continue
        before = last.get(values)
        rank = (row["version"] is not None, row["version"])
        if before is None or not rank[0] or rank >= (rows[before]["version"] is not None, rows[before]["version"]):
            is_older = before is not None and not rank[0] and rows[before]["version"] is not None
            last[values] = before if is_older and before is not None else place
    kept |= {place for place in last.values() if rows[place]["deleted"] is not True}
    return [row for place, row in enumerate(rows) if place in kept]


def random_rows(random: Random, count: int, key: Any, version: Any) -> list[dict[str, Any]]:
    return [
        {
            "key": None if random.random() < 0.05 else key(random.randrange(40)),
            "part": random.choice([None, "a", "b"]),
            "version": None if random.random() < 0.1 else version(random.randrange(12)),
            "deleted": random.choice([None, False, False, True]),
            "text": f"row {number} of {count}",
        }
        for number in range(count)
    ]


def schema_of(key: pa.DataType, version: pa.DataType) -> pa.Schema:
    named = {"key": key, "part": pa.string(), "version": version, "deleted": pa.bool_(), "text": pa.string()}
    return pa.schema([field(number, name, of) for number, (name, of) in enumerate(named.items(), start=1)])


def merged(folder: Path, inputs: Sequence[TaskInput], schema: pa.Schema, **changes: Any) -> Any:
    changes = {"newest_by": MergeKey((1,), 3, 4), "match_by": "name", "checks_rows": True, **changes}
    return rewrite(make_task(folder, inputs, schema, **changes))


def written(folder: Path, rows: Sequence[dict[str, Any]], schema: pa.Schema, files: int, **options: Any) -> Any:
    """Write rows in their order to some files without field ids."""
    bare = pa.schema([pa.field(one.name, one.type) for one in schema])
    cuts = np.array_split(np.arange(len(rows)), files)
    parts = [pa.Table.from_pylist([rows[at] for at in part], schema=bare) for part in cuts]
    return [write(folder / "in" / f"{at}.parquet", part, **options) for at, part in enumerate(parts)]


CASES = sorted(
    {(key, *rest) for key, rest in zip(KEYS, cycle(product(VERSIONS, FILES)), strict=False)}
    | {(key, *rest) for key, rest in zip(cycle(KEYS), product(VERSIONS, FILES), strict=False)}
)
"""Every key, and every pair of a version and a form of files."""


@pytest.mark.parametrize(("key", "version", "options"), CASES)
def test_the_newest_row_of_each_key_stays_unless_it_deletes(
    key: str, version: str, options: str, tmp_path: Path
) -> None:
    """U17: rows of equal keys and versions keep the last; nulls in the key keep the row; a null version is oldest."""
    (key_type, key_of), (version_type, version_of) = KEYS[key], VERSIONS[version]
    schema = schema_of(key_type, version_type)
    rows = random_rows(Random(f"{key} {version} {options}"), 300, key_of, version_of)
    result = merged(tmp_path, written(tmp_path, rows, schema, 7, **FILES[options]), schema)
    wanted = newest(rows, ["key"])
    assert 0 < len(wanted) < 200
    assert outputs_of(result).to_pylist() == wanted
    assert (result.rows_read, result.rows_written, result.rows_deleted) == (300, len(wanted), 300 - len(wanted))
    assert result.row_digest


@pytest.mark.parametrize(("memory_bytes", "count"), [(1, 400), (2000, 4000), (2**20, 4000)])
def test_keys_of_several_columns_are_merged_within_any_memory(memory_bytes: int, count: int, tmp_path: Path) -> None:
    """With the least memory each row is sorted on disk."""
    random, schema = Random(memory_bytes), schema_of(pa.int64(), pa.int64())
    rows = random_rows(random, count, lambda i: i * 7 % 40, lambda i: i)
    key = MergeKey((2, 1), 3, 4, memory_bytes=memory_bytes)
    result = merged(tmp_path, written(tmp_path, rows, schema, 5), schema, newest_by=key)
    assert outputs_of(result).to_pylist() == newest(rows, ["part", "key"])


def test_without_a_column_of_deletions_each_key_stays(tmp_path: Path) -> None:
    """Without `deleted` a newest row is kept, whatever its columns say."""
    schema = schema_of(pa.int64(), pa.int64())
    rows = random_rows(Random(1), 200, lambda i: i, lambda i: i)
    result = merged(tmp_path, written(tmp_path, rows, schema, 3), schema, newest_by=MergeKey((1,), 3))
    bare = newest([{**row, "deleted": None} for row in rows], ["key"])
    assert [row["text"] for row in outputs_of(result).to_pylist()] == [row["text"] for row in bare]


def test_files_from_before_a_column_of_the_rule_have_nulls_there(tmp_path: Path) -> None:
    """Rows without a version are older than all others, and without a key they stay."""
    schema = schema_of(pa.int64(), pa.int64())
    no_version = pa.table({"key": pa.array([1, 2, 2], pa.int64()), "text": ["old 1", "old 2", "older 2 is last"]})
    no_key = pa.table({"version": pa.array([9], pa.int64()), "text": ["no key"]})
    newer = pa.table({"key": pa.array([1], pa.int64()), "version": pa.array([-5], pa.int64()), "text": ["new 1"]})
    tables = [newer, no_version, no_key]
    inputs = [write(tmp_path / f"{at}.parquet", table) for at, table in enumerate(tables)]
    result = merged(tmp_path, inputs, schema)
    assert outputs_of(result)["text"].to_pylist() == ["new 1", "older 2 is last", "no key"]


def test_int96_timestamps_are_versions_in_any_year_and_kept(tmp_path: Path) -> None:
    """INT96 timestamps compare by day and time, also if a writer stored more than a day of nanoseconds."""
    over = (86_400_000_000_000 + 5).to_bytes(8, "little") + instant(2026)[8:]
    cases: list[tuple[int, bytes | None, str]] = [
        (1, instant(1600), "1600"),
        (1, instant(9999), "9999"),
        (1, instant(2262, 5), "2262"),
        (2, instant(2026, 86_399_999_999), "end of the day"),
        (2, over, "the next day"),
        (3, None, "null"),
        (3, instant(1), "year 1"),
        (4, instant(1969, 2), "later on the day"),
        (4, instant(1969, 1), "earlier on the day"),
    ]
    schema = pa.schema([field(1, "id", pa.int64()), field(2, "at", RAW), field(3, "words", pa.string())])
    bare = pa.schema([("id", pa.int64()), ("at", RAW), ("words", pa.string())])
    tables = [pa.Table.from_pylist([dict(zip(bare.names, case, strict=True))], schema=bare) for case in cases]
    inputs = [as_int96(write(tmp_path / f"{at}.parquet", table), (1,)) for at, table in enumerate(tables)]
    result = merged(tmp_path, inputs, schema, newest_by=MergeKey((1,), 2), int96_ids=(2,))
    (output,) = result.outputs
    assert pq.ParquetFile(output.path).metadata.schema.column(1).physical_type == "INT96"
    found = {row["words"]: row["at"] for row in raw_rows(output.path, tmp_path, (1,))}
    kept = ("9999", "the next day", "year 1", "later on the day")
    assert found == {words: at for _, at, words in cases if words in kept}


def test_int96_timestamps_beside_the_key_are_kept_in_row_groups_of_any_size(tmp_path: Path) -> None:
    """INT96 columns of rows that stay are the same bytes, with several outputs and row groups."""
    schema = pa.schema([field(1, "id", pa.int64()), field(2, "at", RAW), field(3, "version", pa.int64())])
    bare = pa.schema([("id", pa.int64()), ("at", RAW), ("version", pa.int64())])
    random = Random(3)
    rows = [
        {"id": random.randrange(300), "at": instant(random.randrange(1, 9999), at), "version": at} for at in range(3000)
    ]
    parts = [pa.Table.from_pylist(rows[at : at + 600], schema=bare) for at in range(0, 3000, 600)]
    inputs = [
        as_int96(write(tmp_path / f"{at}.parquet", part, row_group_size=90), (1,)) for at, part in enumerate(parts)
    ]
    settings = WriteSettings(target_file_bytes=1500, row_group_bytes=400)
    result = merged(
        tmp_path, inputs, schema, newest_by=MergeKey((1,), 3), int96_ids=(2,), settings=settings, file_count=3
    )
    assert len(result.outputs) > 1
    found = [row for output in result.outputs for row in raw_rows(output.path, tmp_path, (1,))]
    last = {row["id"]: row for row in rows}
    assert sorted(found, key=lambda row: row["version"]) == sorted(last.values(), key=lambda row: row["version"])
    assert all(output.record_count for output in result.outputs)


def test_rows_without_a_key_only_are_kept(tmp_path: Path) -> None:
    schema = schema_of(pa.int64(), pa.int64())
    rows = [{"key": None, "part": "a", "version": at, "deleted": True, "text": f"row {at}"} for at in range(5)]
    result = merged(tmp_path, written(tmp_path, rows, schema, 2), schema)
    assert outputs_of(result).to_pylist() == rows


@pytest.mark.parametrize("keys", [1, 3, 500])
def test_a_check_in_several_slices_finds_nothing_wrong(
    keys: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few keys most slices are empty; a key with very many rows has few records."""
    monkeypatch.setattr(newest_check, "SLICE_ROWS", 100)
    schema = schema_of(pa.int64(), pa.int64())
    rows = random_rows(Random(keys), 2000, lambda i: i % keys, lambda i: i)
    result = merged(tmp_path, written(tmp_path, rows, schema, 3, row_group_size=200), schema)
    assert outputs_of(result).to_pylist() == newest(rows, ["key"])


@pytest.mark.parametrize(("unit", "least"), [("ns", 1), ("ms", 2**61), ("us", -(2**61))])
def test_timestamps_of_any_unit_are_versions(unit: str, least: int, tmp_path: Path) -> None:
    schema = schema_of(pa.int64(), pa.timestamp(unit))
    bare = pa.schema([pa.field(one.name, one.type) for one in schema])
    versions = pa.array([least + 1, least, least + 2], pa.int64()).cast(pa.timestamp(unit))
    columns = [
        pa.array([7, 7, 8]),
        pa.array(["a"] * 3),
        versions,
        pa.nulls(3, pa.bool_()),
        pa.array(["new", "old", "8"]),
    ]
    one = write(tmp_path / "a.parquet", pa.Table.from_arrays(columns, schema=bare), version="2.6")
    result = merged(tmp_path, [one], schema)
    assert outputs_of(result)["text"].to_pylist() == ["new", "8"]


def test_merged_rows_are_put_into_an_order(tmp_path: Path) -> None:
    schema = schema_of(pa.int64(), pa.int64())
    rows = random_rows(Random(5), 400, lambda i: i, lambda i: i)
    order = RowOrder("sort", (SortColumn(5, descending=True),))
    result = merged(tmp_path, written(tmp_path, rows, schema, 4), schema, order=order)
    wanted = sorted(newest(rows, ["key"]), key=lambda row: row["text"], reverse=True)
    assert outputs_of(result).to_pylist() == wanted


@pytest.mark.parametrize("order", [None, RowOrder("sort", (SortColumn(1),))])
@pytest.mark.parametrize("stamps", [False, True])
def test_a_group_whose_keys_are_all_deleted_has_a_file_without_rows(
    stamps: bool, order: RowOrder | None, tmp_path: Path
) -> None:
    """Without a file there would be nothing to put in place of the inputs."""
    schema = schema_of(pa.int64(), pa.int64())
    rows = [{"key": at, "part": "a", "version": 1, "deleted": True, "text": "gone"} for at in range(9)]
    result = merged(tmp_path, written(tmp_path, rows, schema, 2), schema, names_parquet_mr=stamps, order=order)
    (output,) = result.outputs
    assert (result.rows_deleted, result.rows_written, output.record_count) == (9, 0, 0)
    assert outputs_of(result).schema.names == schema.names
    assert duckdb.sql(f"SELECT count(*) FROM '{output.path}'").fetchone() == (0,)


@pytest.mark.parametrize(
    ("key", "named"),
    [
        (MergeKey((6,), 3), "'real'"),
        (MergeKey((7,), 3), "'list'"),
        (MergeKey((1,), 5), "'text'"),
        (MergeKey((1,), 6), "'real'"),
        (MergeKey((1,), 3, 5), "'text'"),
    ],
)
def test_a_column_that_can_t_be_compared_is_refused_by_name(key: MergeKey, named: str, tmp_path: Path) -> None:
    """Floats are no key, as readers differ on NaN; texts are no version, as their order says nothing."""
    schema = schema_of(pa.int64(), pa.int64())
    schema = schema.append(field(6, "real", pa.float64())).append(
        field(7, "list", pa.list_(field(8, "element", pa.int64())))
    )
    rows = [{"key": 1, "part": "a", "version": 1, "deleted": False, "text": "x", "real": 0.5, "list": [1]}]
    result = merged(tmp_path, written(tmp_path, rows, schema, 1), schema, newest_by=key)
    assert (result.outcome, result.reason.split(":")[0]) == ("refused", "unsupported_key")
    assert named in result.reason
    assert not left_behind(tmp_path)


def _with(positions: PositionDeletes, inputs: Sequence[TaskInput], change: Any) -> PositionDeletes:
    found = [
        [at for at in range(one.record_count) if positions.deleted_within(number, at, 1)]
        for number, one in enumerate(inputs)
    ]
    change(found)
    return PositionDeletes(positions=[np.array(sorted(each), dtype=np.int64) for each in found])


WRONG: dict[str, Any] = {
    "a row more is left out": lambda found: found[0].append(min(set(range(100)) - set(found[0]))),
    "a row less is left out": lambda found: found[0].pop(),
    "an older row stays, and the newest not": lambda found: found.__setitem__(
        0, [*found[0][1:], max(set(range(100)) - set(found[0]))]
    ),
    "nothing is left out": lambda found: [each.clear() for each in found],
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_a_wrong_choice_of_rows_fails_the_group(change: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """U17: the content check does not use the code that chose the rows."""
    schema = schema_of(pa.int64(), pa.int64())
    rows = [
        {"key": at // 3, "part": "a", "version": at, "deleted": at % 30 == 29, "text": f"row {at}"} for at in range(200)
    ]
    inputs = written(tmp_path, rows, schema, 2)
    right = kernel_task.left_out_rows
    monkeypatch.setattr(kernel_task, "left_out_rows", lambda **given: _with(right(**given), inputs, change))
    with pytest.raises(OutputFault, match="not the newest of their key"):
        merged(tmp_path, inputs, schema)
    assert not left_behind(tmp_path)


def test_an_input_that_changes_during_the_merge_fails_the_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs are read three times; another file in between is noticed by its size, or by its rows."""
    schema = schema_of(pa.int64(), pa.int64())
    rows = random_rows(Random(2), 200, lambda i: i, lambda i: i)
    inputs = written(tmp_path, rows, schema, 2)
    right = kernel_task.left_out_rows

    def changing(**given: Any) -> PositionDeletes:
        found = right(**given)
        written(tmp_path, rows[:180], schema, 2)
        return found

    monkeypatch.setattr(kernel_task, "left_out_rows", changing)
    with pytest.raises(InputFault):
        merged(tmp_path, inputs, schema)
    assert not left_behind(tmp_path)
