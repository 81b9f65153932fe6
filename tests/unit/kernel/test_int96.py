"""INT96 timestamps of Hive and Spark: the kernel keeps their 12 bytes, whatever the year."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import RowOrder, SortColumn, TaskInput, WriteSettings
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import ROW_GROUPS, SCHEMA, STATISTICS, framed
from engine.rewriting.kernel.splicing import copy_plans
from tests.unit.kernel.building import MIB, field, make_task, rewrite, write
from tests.unit.kernel.test_columns_by_name import footer_of

RAW = pa.binary(12)
TARGET = pa.schema(
    [
        field(1, "id", pa.int64()),
        field(2, "at", RAW),
        field(3, "seen", pa.list_(field(4, "element", RAW))),
        field(5, "span", pa.struct([field(6, "from", RAW), field(7, "words", pa.string())])),
        field(8, "marks", pa.map_(field(9, "key", pa.string(), required=True), field(10, "value", RAW))),
    ]
)
BARE = pa.schema(
    [
        ("id", pa.int64()),
        ("at", RAW),
        ("seen", pa.list_(RAW)),
        ("span", pa.struct([("from", RAW), ("words", pa.string())])),
        ("marks", pa.map_(pa.string(), RAW)),
    ]
)
IDS = (2, 4, 6, 10)
LEAVES = (1, 2, 3, 6)
"""The Parquet columns of `IDS`."""

WRITERS: dict[str, dict[str, Any]] = {
    "plain": {"use_dictionary": False, "write_page_checksum": True},
    "plain, no checksums": {"use_dictionary": False},
    "plain, no statistics": {"use_dictionary": False, "write_statistics": False},
    "version 2 pages": {"use_dictionary": False, "data_page_version": "2.0"},
    "dictionaries": {},
    "dictionaries given up half-way": {"dictionary_pagesize_limit": 128, "data_page_size": 256, "write_batch_size": 16},
    "small row groups": {"row_group_size": 7},
    "another codec": {"compression": "snappy"},
}


def instant(year: int, micros: int = 0) -> bytes:
    """Return the INT96 value of the first of January, proleptic: nanoseconds of the day, then the Julian day."""
    days = int((np.datetime64(f"{year:04}-01-01", "D") - np.datetime64("1970-01-01", "D")).astype(int))
    return (micros * 1000).to_bytes(8, "little") + (days + 2_440_588).to_bytes(4, "little", signed=True)


YEARS = (1, 1000, 1582, 1677, 1900, 1969, 1970, 2026, 2262, 9999)
ODD = (b"\xff" * 12, b"\0" * 12, bytes(range(12)))
"""Bytes that no writer should write: days before 4713 BC, more nanoseconds than a day has."""


def rows(start: int, count: int) -> pa.Table:
    def value(i: int) -> bytes | None:
        return None if i % 7 == 0 else instant(YEARS[i % len(YEARS)], i)

    made = [
        {
            "id": i,
            "at": value(i),
            "seen": None if i % 5 == 0 else [value(i + j) for j in range(i % 4)],
            "span": None if i % 11 == 0 else {"from": value(i + 1), "words": f"w{i % 3}"},
            "marks": [(f"k{i % 3}", value(i + 2))],
        }
        for i in range(start, start + count)
    ]
    return pa.Table.from_pylist(made, schema=BARE)


def as_int96(one: TaskInput, leaves: tuple[int, ...] = LEAVES) -> TaskInput:
    """Make columns of 12 bytes INT96 timestamps, with the bounds that they have as bytes: old writers left such."""
    path = Path(one.path)
    path.write_bytes(retyped(path, leaves, {1: (thrift.I32, 3)}))
    return replace(one, file_bytes=path.stat().st_size)


def retyped(path: Path, leaves: tuple[int, ...], physical: thrift.Struct) -> bytes:
    """Return a file whose columns with these numbers have another physical type."""
    footer = footer_of(path)
    found, _ = thrift.read_struct(footer)
    elements = [one for one in found[SCHEMA][1][1] if 5 not in one]
    for leaf in leaves:
        elements[leaf].pop(2, None)
        elements[leaf].update(physical)
        for group in found[ROW_GROUPS][1][1]:
            group[1][1][1][leaf][3][1][1] = physical[1]
    return path.read_bytes()[: -8 - len(footer)] + framed(thrift.write_struct(found))


def merged(folder: Path, inputs: list[TaskInput], schema: pa.Schema = TARGET, **changes: Any) -> Any:
    changes = {"match_by": "name", "checks_rows": True, "int96_ids": IDS, **changes}
    return rewrite(make_task(folder, inputs, schema, **changes))


def raw_rows(path: str, folder: Path, leaves: tuple[int, ...] = LEAVES) -> list[dict[str, Any]]:
    """Return the rows of a file with the bytes of INT96 timestamps."""
    copy = folder / "raw.parquet"
    copy.write_bytes(retyped(Path(path), leaves, {1: (thrift.I32, 7), 2: (thrift.I32, 12)}))
    return pq.read_table(copy).to_pylist()


def duck(paths: list[str]) -> dict[str, list[Any]]:
    """Return the rows that each predicate selects in files, where DuckDB skips row groups by their bounds."""
    with duckdb.connect() as database:
        query = "SELECT * FROM read_parquet($1) WHERE {} ORDER BY id"
        return {where: database.execute(query.format(where), [paths]).fetchall() for where in WHERE}


def duck_scan(paths: list[str]) -> dict[str, list[Any]]:
    """Return the same from a copy of all rows."""
    with duckdb.connect() as database:
        database.execute("CREATE TABLE copied AS SELECT * FROM read_parquet($1)", [paths])
        return {
            where: database.execute(f"SELECT * FROM copied WHERE {where} ORDER BY id").fetchall() for where in WHERE
        }


WHERE = (
    "true",
    '"at" IS NULL',
    """"at" >= '1970-01-01'""",
    """"at" < '1677-01-01'""",
    """"at" >= '9999-01-01'""",
    """"at" = '0001-01-01 00:00:00.000020'""",
)


@pytest.mark.parametrize("writer", WRITERS)
def test_values_of_any_year_stay_bit_for_bit(tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    inputs = [as_int96(write(tmp_path / f"{i}.parquet", rows(i * 100, 100), **WRITERS[writer])) for i in range(3)]
    assert pq.read_metadata(inputs[0].path).row_group(0).column(1).physical_type == "INT96"
    result = merged(tmp_path, inputs)
    assert (result.outcome, result.reason) == ("written", None)
    assert result.row_digest
    (output,) = result.outputs
    assert raw_rows(output.path, tmp_path) == rows(0, 300).to_pylist()
    found = duck([output.path])
    assert found == duck_scan([one.path for one in inputs])
    assert all(found.values())


@pytest.mark.parametrize("writer", WRITERS)
def test_outputs_have_int96_columns_without_bounds_and_can_be_rewritten(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    inputs = [as_int96(write(tmp_path / f"{i}.parquet", rows(i * 50, 50), **WRITERS[writer])) for i in range(2)]
    for again in ("first", "second"):
        (output,) = merged(tmp_path / again, inputs).outputs
        metadata = pq.read_metadata(output.path)
        types = [metadata.schema.column(leaf).physical_type for leaf in range(metadata.num_columns)]
        assert [leaf for leaf, of in enumerate(types) if of == "INT96"] == list(LEAVES)
        found, _ = thrift.read_struct(footer_of(Path(output.path)))
        for leaf in LEAVES:
            chunk = found[ROW_GROUPS][1][1][0][1][1][1][leaf][3][1]
            assert chunk[1][1] == 3
            assert STATISTICS not in chunk or chunk[STATISTICS][1].keys() == {3}  # the number of nulls
        inputs = [TaskInput(output.path, output.file_bytes, output.record_count)]
    assert raw_rows(output.path, tmp_path) == rows(0, 100).to_pylist()


def test_bytes_that_are_no_time_of_a_day_stay(tmp_path: Path) -> None:
    table = pa.table({"at": list(ODD)}, schema=pa.schema([("at", RAW)]))
    file = as_int96(write(tmp_path / "odd.parquet", table), (0,))
    (output,) = merged(tmp_path, [file], pa.schema([TARGET.field("at")]), int96_ids=(2,)).outputs
    assert raw_rows(output.path, tmp_path, (0,)) == table.to_pylist()


def test_plain_pages_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    inputs = [as_int96(write(tmp_path / f"{i}.parquet", rows(i * 50, 50), use_dictionary=False)) for i in range(2)]
    (output,) = merged(tmp_path, inputs).outputs
    data = Path(output.path).read_bytes()
    for one in inputs:
        column = pq.read_metadata(one.path).row_group(0).column(1)
        start = column.data_page_offset
        assert Path(one.path).read_bytes()[start : start + column.total_compressed_size] in data
    column = pq.read_metadata(output.path).row_group(0).column(1)
    assert column.statistics is None or not column.statistics.has_min_max


def test_files_that_lack_the_column_have_nulls_in_it(tmp_path: Path) -> None:
    whole, fewer = rows(0, 20), rows(20, 20).select(["id"])
    inputs = [as_int96(write(tmp_path / "a.parquet", whole)), write(tmp_path / "b.parquet", fewer)]
    (output,) = merged(tmp_path, inputs).outputs
    nulls = [{"id": i, "at": None, "seen": None, "span": None, "marks": None} for i in range(20, 40)]
    assert raw_rows(output.path, tmp_path) == [*whole.to_pylist(), *nulls]


@pytest.mark.parametrize("later", [{"use_dictionary": False}, {}], ids=["copied", "encoded"])
def test_required_columns_become_optional(tmp_path: Path, later: dict[str, Any]) -> None:
    one = pa.schema([pa.field("at", RAW, nullable=False)])
    inputs = [
        as_int96(write(tmp_path / f"{i}.parquet", pa.table({"at": [instant(y)] * 900}, schema=one), **how), (0,))
        for i, (y, how) in enumerate([(1, {"use_dictionary": False}), (9999, later)])
    ]
    (output,) = merged(tmp_path, inputs, pa.schema([TARGET.field("at")]), int96_ids=(2,)).outputs
    expected = [{"at": instant(1)}] * 900 + [{"at": instant(9999)}] * 900
    assert raw_rows(output.path, tmp_path, (0,)) == expected


def test_files_of_arrow_are_read_by_their_parquet_schema(tmp_path: Path) -> None:
    """Only Arrow knows durations, by its own schema in the footer: other readers find numbers."""
    times = [datetime.fromisoformat("2026-11-01T12:30:00.000005"), None, datetime.fromisoformat("1900-01-01")]
    table = pa.table({"at": pa.array(times, pa.timestamp("us")), "id": pa.array([1, 2, 3], pa.duration("us"))})
    file = write(tmp_path / "a.parquet", table, use_deprecated_int96_timestamps=True, store_schema=True)
    assert pq.read_schema(file.path).field("id").type == pa.duration("us")
    result = merged(tmp_path, [file], pa.schema([TARGET.field("id"), TARGET.field("at")]), int96_ids=(2,))
    assert (result.outcome, result.reason) == ("written", None)
    found = pq.read_table(result.outputs[0].path, coerce_int96_timestamp_unit="us")
    assert found.to_pydict() == {"id": [1, 2, 3], "at": times}


def test_another_type_in_one_of_the_files_is_refused(tmp_path: Path) -> None:
    inputs = [
        as_int96(write(tmp_path / "a.parquet", rows(0, 20))),
        as_int96(write(tmp_path / "b.parquet", rows(20, 20)), LEAVES[1:]),
    ]
    result = merged(tmp_path, inputs)
    assert (result.outcome, str(result.reason).split(":", maxsplit=1)[0]) == ("refused", "int96_timestamps")
    assert "'at'" in str(result.reason)


def test_int96_columns_that_the_task_does_not_name_are_refused(tmp_path: Path) -> None:
    result = merged(tmp_path, [as_int96(write(tmp_path / "a.parquet", rows(0, 20)))], int96_ids=IDS[1:])
    assert (result.outcome, str(result.reason).split(":", maxsplit=1)[0]) == ("refused", "int96_timestamps")


def test_tasks_by_field_id_are_refused(tmp_path: Path) -> None:
    result = merged(tmp_path, [as_int96(write(tmp_path / "a.parquet", rows(0, 20)))], match_by="field_id")
    assert (result.outcome, str(result.reason).split(":", maxsplit=1)[0]) == ("refused", "int96_timestamps")


def test_a_chunk_of_another_type_than_its_column_is_the_inputs_fault(tmp_path: Path) -> None:
    one = as_int96(write(tmp_path / "a.parquet", rows(0, 20)))
    path = Path(one.path)
    footer = footer_of(path)
    found, _ = thrift.read_struct(footer)
    found[ROW_GROUPS][1][1][0][1][1][1][1][3][1][1] = (thrift.I32, 2)
    path.write_bytes(path.read_bytes()[: -8 - len(footer)] + framed(thrift.write_struct(found)))
    with pytest.raises(InputFault):
        merged(tmp_path, [replace(one, file_bytes=path.stat().st_size)])


@pytest.mark.parametrize("is_named", [True, False])
def test_outputs_name_parquet_mr_where_inputs_did(tmp_path: Path, is_named: bool) -> None:
    (output,) = merged(
        tmp_path, [as_int96(write(tmp_path / "a.parquet", rows(0, 20)))], names_parquet_mr=is_named
    ).outputs
    assert pq.read_metadata(output.path).created_by.startswith("parquet-mr version 1.") is is_named


@pytest.mark.parametrize("as_integers", [True, False])
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("codec", ["zstd", "snappy"])
def test_decimals_are_stored_as_the_task_says(tmp_path: Path, as_integers: bool, stored: bool, codec: str) -> None:
    types = [pa.decimal128(9, 2), pa.decimal128(18, 4), pa.decimal128(38, 10)]
    target = pa.schema([field(1 + i, f"d{i}", of) for i, of in enumerate(types)])
    bare = pa.schema([(f"d{i}", of) for i, of in enumerate(types)])
    table = pa.Table.from_pylist([{f"d{i}": None if n % 5 == 0 else n - 10 for i in range(3)} for n in range(99)], bare)
    file = write(tmp_path / "a.parquet", table, store_decimal_as_integer=stored, compression=codec)
    (output,) = merged(tmp_path, [file], target, int96_ids=(), decimals_as_integers=as_integers).outputs
    schema = pq.read_metadata(output.path).schema
    physical = [schema.column(i).physical_type for i in range(3)]
    fixed = "FIXED_LEN_BYTE_ARRAY"
    assert physical == (["INT32", "INT64", fixed] if as_integers else [fixed] * 3)
    assert pq.read_table(output.path).equals(table)


def test_pages_that_are_encoded_again_have_no_bounds(tmp_path: Path) -> None:
    """By Arrow, which gives other pages bounds; the compiled pass gives none to any."""
    file = as_int96(write(tmp_path / "a.parquet", rows(0, 50), compression="snappy"))
    (output,) = merged(tmp_path, [file], uses_pass=False).outputs
    group = pq.read_metadata(output.path).row_group(0)
    data = Path(output.path).read_bytes()
    has_bounds = []
    for leaf in range(group.num_columns):
        header, _ = thrift.read_struct(data, group.column(leaf).data_page_offset)
        has_bounds.append(bool(header[5][1].get(5, (0, {}))[1].keys() & {1, 2, 5, 6}))
    assert not any(has_bounds[leaf] for leaf in LEAVES)
    assert has_bounds[5]  # the keys of the map


STAMPED = pa.schema([field(1, "id", pa.int64()), field(2, "at", RAW), field(3, "text", pa.string())])
PLAIN = pa.schema([("id", pa.int64()), ("at", RAW), ("text", pa.string())])


def stamped(folder: Path) -> tuple[list[TaskInput], list[dict[str, Any]]]:
    """Write files with timestamps in any order; return them and their rows."""
    years = [YEARS[at * 7 % len(YEARS)] for at in range(90)]
    found = [
        {"id": at, "at": None if at % 11 == 0 else instant(year, at), "text": f"t{at % 3}"}
        for at, year in enumerate(years)
    ]
    parts = [pa.Table.from_pylist(found[at::3], schema=PLAIN) for at in range(3)]
    return [as_int96(write(folder / f"{at}.parquet", part), (1,)) for at, part in enumerate(parts)], found


def moment(value: bytes | None) -> tuple[int, int]:
    """Return a key that orders timestamps, nulls first."""
    return (-1, 0) if value is None else (int.from_bytes(value[8:], "little"), int.from_bytes(value[:8], "little"))


@pytest.mark.parametrize("memory_bytes", [500, 2**20])
@pytest.mark.parametrize("strategy", ["sort", "zorder", "hilbert"])
def test_rows_are_put_into_an_order_by_timestamps_of_any_year(strategy: str, memory_bytes: int, tmp_path: Path) -> None:
    """Bytes of INT96 begin with the time of the day: they are ordered by the moment, not as bytes."""
    inputs, rows_in = stamped(tmp_path)
    order = RowOrder(strategy, (SortColumn(2, is_int96=True), SortColumn(1)), memory_bytes=memory_bytes)
    result = merged(tmp_path, inputs, STAMPED, int96_ids=(2,), order=order)
    (output,) = result.outputs
    metadata = pq.read_metadata(output.path)
    assert metadata.schema.column(1).physical_type == "INT96"
    assert metadata.row_group(0).column(1).statistics is None
    assert metadata.row_group(0).column(0).statistics.max == 89
    assert metadata.row_group(0).sorting_columns == ()
    found = raw_rows(output.path, tmp_path, (1,))
    if strategy == "sort":
        assert found == sorted(rows_in, key=lambda row: (moment(row["at"]), row["id"]))
    else:
        assert sorted(found, key=lambda row: row["id"]) == rows_in
        assert found != rows_in
    assert duckdb.sql(f"SELECT count(*), max(id) FROM '{output.path}' WHERE id >= 40").fetchone() == (50, 89)


def test_nested_timestamps_of_ordered_rows_stay_as_they_are(tmp_path: Path) -> None:
    order = RowOrder("sort", (SortColumn(1, descending=True),))
    result = merged(tmp_path, [as_int96(write(tmp_path / "a.parquet", rows(0, 20)))], order=order)
    (output,) = result.outputs
    assert raw_rows(output.path, tmp_path) == rows(0, 20).to_pylist()[::-1]


@pytest.mark.parametrize("page_bytes", [64, 2**20])
def test_timestamps_beside_the_order_stay_as_they_are(page_bytes: int, tmp_path: Path) -> None:
    inputs, rows_in = stamped(tmp_path)
    order = RowOrder("sort", (SortColumn(3), SortColumn(1, descending=True)))
    settings = WriteSettings(target_file_bytes=MIB, page_bytes=page_bytes)
    changes = {"int96_ids": (2,), "names_parquet_mr": True, "order": order, "settings": settings}
    result = merged(tmp_path, inputs, STAMPED, **changes)
    (output,) = result.outputs
    metadata = pq.read_metadata(output.path)
    assert metadata.created_by.startswith("parquet-mr")
    assert [each.column_index for each in metadata.row_group(0).sorting_columns] == [2, 0]
    assert raw_rows(output.path, tmp_path, (1,)) == sorted(rows_in, key=lambda row: (row["text"], -row["id"]))
    query = f"SELECT count(*) FROM '{output.path}' WHERE text = 't1'"
    assert duckdb.sql(query).fetchone() == (30,)
