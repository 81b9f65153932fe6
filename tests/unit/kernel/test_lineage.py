"""Rows keep their ids and the sequence number of their last change, however they are moved (Iceberg, format 3)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import PartitionField, RowOrder, SortColumn, TaskInput, WriteSettings
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.reading.lineage import ROW_ID, SEQUENCE_NUMBER
from engine.rewriting.kernel.splicing import copy_plans
from tests.unit.kernel.building import field, left_behind, make_task, outputs_of, rewrite, with_deletes, write
from tests.unit.kernel.building import write_deletes as deletes_file
from tests.unit.kernel.test_row_check import damaged

TABLE = [field(1, "id", pa.int64(), required=True), field(2, "city", pa.string())]
LINEAGE = [field(ROW_ID, "_row_id", pa.int64()), field(SEQUENCE_NUMBER, "_last_updated_sequence_number", pa.int64())]
TARGET = pa.schema([*TABLE, *LINEAGE])
ROWS = 90
Lineage = dict[int, tuple[int | None, int | None]]

KINDS: dict[str, tuple[bool, list[int] | None, list[int] | None]] = {
    # whether the entry has row ids; which positions have a stored id, and a stored sequence number
    "without columns": (True, None, None),
    "updated by Spark": (True, list(range(0, ROWS, 3)), []),
    "rewritten": (True, list(range(ROWS)), list(range(ROWS))),
    "stores both in part": (True, list(range(10, 40)), list(range(20, 60))),
    "upgraded without ids": (False, None, None),
    "stored, in an entry without ids": (False, list(range(ROWS)), list(range(ROWS))),
}


def inputs(folder: Path) -> tuple[list[TaskInput], Lineage]:
    """Write a file of each kind; return them with the lineage of each row by its value of `id`."""
    files, expected = [], Lineage()
    for at, (has_ids, ids, numbers) in enumerate(KINDS.values()):
        keys = list(range(at * ROWS, (at + 1) * ROWS))
        first, number = 1000 * at, 10 + at
        stored = [7_000_000_000 - 3 * key if place in (ids or ()) else None for place, key in enumerate(keys)]
        changed = [key % 4 if place in (numbers or ()) else None for place, key in enumerate(keys)]
        columns = [pa.array(keys), pa.array([f"city {key % 3}" for key in keys]), pa.array(stored), pa.array(changed)]
        columns = [*columns[:2], *(each.cast(pa.int64()) for each in columns[2:])]
        table = pa.Table.from_arrays(columns, schema=TARGET)
        table = table if ids is not None else table.select(["id", "city"])
        one = write(folder / f"{at}.parquet", table, row_group_size=37, use_dictionary=["city"])
        files.append(replace(one, first_row_id=first if has_ids else None, sequence_number=number))
        for place, key in enumerate(keys):
            row_id = first + place if stored[place] is None else stored[place]
            change = number if changed[place] is None else changed[place]
            expected[key] = (row_id, change) if has_ids else (None, None)
    return files, expected


def found(rows: pa.Table) -> Lineage:
    names = (each.name for each in LINEAGE)
    columns = (rows[name].to_pylist() for name in ("id", *names))
    return {key: (row_id, number) for key, row_id, number in zip(*columns, strict=True)}


def ordered(strategy: str) -> RowOrder:
    return RowOrder(strategy, (SortColumn(2, descending=True), SortColumn(1, descending=True)), memory_bytes=2**12)


SMALL = WriteSettings(target_file_bytes=3000, page_bytes=512)
WAYS: dict[str, dict[str, Any]] = {
    "in order": {},
    "in several outputs": {"settings": SMALL, "file_count": 4},
    "sorted on disk": {"order": ordered("sort")},
    "sorted in memory": {"order": replace(ordered("sort"), memory_bytes=2**28)},
    "along a z-order": {"order": ordered("zorder")},
    "along a Hilbert curve": {"order": ordered("hilbert")},
    "divided by city": {"partition_by": (PartitionField(2, "identity"),)},
    "divided and sorted": {"partition_by": (PartitionField(1, "bucket", 3),), "order": ordered("sort")},
    "without compression": {"settings": WriteSettings(10**6, codec="uncompressed")},
}


@pytest.mark.parametrize("deleted", [(), (0, 1, 40, 89), tuple(range(74))], ids=["none", "some", "whole row groups"])
@pytest.mark.parametrize("way", WAYS)
def test_rows_keep_their_lineage(
    way: str, deleted: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    files, expected = inputs(tmp_path / "in")
    if deleted:
        deletes = deletes_file(tmp_path / "in/d.parquet", [(one.path, at) for one in files for at in deleted])
        files = [with_deletes(one, deletes) for one in files]
    result = rewrite(make_task(tmp_path, files, TARGET, checks_rows=True, **WAYS[way]))
    assert result.outcome == "written", result.reason
    kept = {key: value for key, value in expected.items() if key % ROWS not in deleted}
    assert found(outputs_of(result)) == kept
    again = [
        replace(write(Path(one.path), pq.read_table(one.path)), first_row_id=10**6, sequence_number=99)
        for one in result.outputs
    ]
    second = rewrite(make_task(tmp_path / "second", again, TARGET, checks_rows=True))
    wanted = {key: value for key, value in kept.items() if value[0] is not None}
    moved = found(outputs_of(second))
    assert {key: value for key, value in moved.items() if key in wanted} == wanted
    assert {number for key, (_, number) in moved.items() if key not in wanted} <= {99}


def test_other_columns_are_copied_and_only_lineage_is_encoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    table = pa.table({"id": pa.array(np.random.default_rng(1).permutation(50_000))}, pa.schema(TABLE[:1]))
    first = write(tmp_path / "a.parquet", table, use_dictionary=False, write_page_checksum=True)
    file = replace(first, first_row_id=2**62, sequence_number=3)
    result = rewrite(make_task(tmp_path, [file], pa.schema([TABLE[0], *LINEAGE]), checks_rows=True))
    chunks = pq.read_metadata(result.outputs[0].path).row_group(0)
    own = pq.read_metadata(file.path).row_group(0).column(0)
    assert chunks.column(0).total_compressed_size == own.total_compressed_size
    assert "DELTA_BINARY_PACKED" in chunks.column(1).encodings
    assert "RLE_DICTIONARY" in chunks.column(2).encodings
    assert [chunks.column(at).total_compressed_size < 2000 for at in (1, 2)] == [True, True]
    statistics = [chunks.column(at).statistics for at in (1, 2)]
    assert [(each.min, each.max, each.null_count) for each in statistics] == [(2**62, 2**62 + 49_999, 0), (3, 3, 0)]


def test_outputs_without_lineage_columns_are_those_of_older_formats(tmp_path: Path) -> None:
    files, _ = inputs(tmp_path / "in")
    result = rewrite(make_task(tmp_path, files, pa.schema(TABLE), checks_rows=True))
    assert outputs_of(result).column_names == ["id", "city"]


@pytest.mark.parametrize("first", [-1, 2**63 - ROWS, 2**63])
def test_ids_beyond_64_bits_fail_the_group(first: int, tmp_path: Path) -> None:
    (one, *_), _ = inputs(tmp_path / "in")
    with pytest.raises(InputFault, match="can't have ids from"):
        rewrite(make_task(tmp_path, [replace(one, first_row_id=first)], TARGET))
    assert not left_behind(tmp_path)


@pytest.mark.parametrize("name", [each.name for each in LINEAGE])
def test_a_changed_value_of_lineage_fails_the_check(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(path: Path) -> None:
        table = pq.read_table(path)
        values = table[name].to_pylist()
        at = table.schema.get_field_index(name)
        other = pa.array([*values[1:], values[0]], pa.int64())
        pq.write_table(table.set_column(at, table.schema.field(at), other), path, store_schema=False)

    damaged(monkeypatch, swapped)
    files, _ = inputs(tmp_path / "in")
    with pytest.raises(Exception, match="other rows than the inputs'"):
        rewrite(make_task(tmp_path, files[1:4], TARGET, checks_rows=True))
    assert not left_behind(tmp_path)
