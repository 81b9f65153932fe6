"""L6, L7: rows of a group in the order asked for, against an independent comparison; no row is lost."""

import math
import struct
import uuid
from collections import Counter
from functools import cmp_to_key
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rewriting.kernel.contract import RowOrder, SortColumn, WriteSettings
from engine.rewriting.kernel.errors import OutputFault
from engine.rewriting.kernel.ordering import arranging
from engine.rewriting.kernel.ordering.curves import bits_for, hilbert_keys, zorder_keys
from engine.rewriting.kernel.ordering.keys import order_of
from tests.unit.kernel.building import field, left_behind, make_task, outputs_of, rewrite, with_deletes, write
from tests.unit.kernel.building import write_deletes as deletes_file

VALUES = {
    pa.bool_(): st.booleans(),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1]),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats() | st.sampled_from([0.0, -0.0, math.nan, -math.nan, math.inf, -math.inf]),
    pa.date32(): st.integers(-(2**31), 2**31 - 1),
    pa.time64("us"): st.integers(0, 86_400_000_000 - 1),
    pa.timestamp("us"): st.integers(-(2**63), 2**63 - 1),
    pa.timestamp("us", tz="UTC"): st.integers(-(2**63), 2**63 - 1),
    pa.string(): st.text(max_size=6) | st.sampled_from(["a", "B", "ä", "z", "\U0001f600", "￿"]),
    pa.large_string(): st.text(max_size=6),
    pa.binary(): st.binary(max_size=5),
    pa.large_binary(): st.binary(max_size=5),
    pa.binary(4): st.binary(min_size=4, max_size=4),
    pa.decimal128(9, 2): st.decimals(-9_999_999, 9_999_999, places=2),
    pa.decimal128(38, 3): st.decimals(-(10**30), 10**30, places=3, allow_nan=False),
    pa.dictionary(pa.int32(), pa.string()): st.sampled_from(["a", "b", "B", "ä", ""]),
}


def plain_key(value: Any, of: pa.DataType) -> Any:
    """Return what Python compares as the table format does: Java's floats, unsigned bytes."""
    if isinstance(value, float):
        if math.isnan(value):
            return (1, 0)
        return (0, (value, math.copysign(1, value)))
    return value.encode() if isinstance(value, str) else value


def compare(left: tuple[Any, ...], right: tuple[Any, ...], order: RowOrder, types: list[pa.DataType]) -> int:
    for a, b, how, of in zip(left, right, order.columns, types, strict=True):
        if a is None or b is None:
            if (a is None) != (b is None):
                return -1 if (a is None) == how.nulls_first else 1
            continue
        one, other = plain_key(a, of), plain_key(b, of)
        if one != other:
            return (-1 if one < other else 1) * (-1 if how.descending else 1)
    return 0


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[pa.DataType], list[tuple[Any, ...]], RowOrder]:
    types = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(*[st.none() | VALUES[of] for of in types]), max_size=40))
    columns = tuple(SortColumn(at, draw(st.booleans()), draw(st.booleans())) for at in range(len(types)))
    return types, rows, RowOrder("sort", columns)


def chunked(rows: list[tuple[Any, ...]], at: int, of: pa.DataType, cut: int) -> pa.ChunkedArray:
    values = [row[at] for row in rows]
    return pa.chunked_array([pa.array(values[:cut], of), pa.array(values[cut:], of)], type=of)


@given(tables(), st.integers(0, 40))
@settings(max_examples=4 * settings.default.max_examples)
def test_sorting_agrees_with_an_independent_comparison(
    made: tuple[list[pa.DataType], list[tuple[Any, ...]], RowOrder], cut: int
) -> None:
    """L6: for any types, directions, nulls and cut."""
    types, rows, order = made
    found = order_of([chunked(rows, at, of, cut) for at, of in enumerate(types)], order).tolist()
    key = cmp_to_key(lambda a, b: compare(rows[a], rows[b], order, types))
    assert found == sorted(range(len(rows)), key=key)


def test_uuids_go_by_unsigned_bytes() -> None:
    values = [uuid.UUID(int=n) for n in (2**127, 1, 2**128 - 1, 0)]
    column = pa.chunked_array([pa.array([v.bytes for v in values], pa.uuid())])
    assert order_of([column], RowOrder("sort", (SortColumn(1),))).tolist() == [3, 1, 0, 2]


def test_sixteen_wide_columns_are_packed_by_ranks() -> None:
    rows = np.random.default_rng(5).integers(-(2**63), 2**63 - 1, (500, 16))
    rows[:250, :15] = rows[250:, :15]
    columns = [pa.chunked_array([pa.array(rows[:, at])]) for at in range(16)]
    found = order_of(columns, RowOrder("sort", tuple(SortColumn(at) for at in range(16))))
    assert found.tolist() == sorted(range(500), key=lambda at: tuple(rows[at].tolist()))


@pytest.mark.parametrize("constant", [0, 1])
def test_a_column_of_one_value_beside_one_that_takes_the_whole_word(constant: int) -> None:
    wide = [5, 2**63 - 1, -(2**63), 0]
    columns = [[7] * 4, wide] if constant == 0 else [wide, [7] * 4]
    order = RowOrder("sort", (SortColumn(0), SortColumn(1)))
    assert order_of([pa.chunked_array([pa.array(one)]) for one in columns], order).tolist() == [2, 3, 0, 1]


@pytest.mark.parametrize(("columns", "bits"), [(1, 6), (2, 5), (3, 3), (4, 2)])
def test_the_hilbert_curve_visits_every_cell_once_and_goes_from_neighbour_to_neighbour(columns: int, bits: int) -> None:
    grid = np.meshgrid(*[np.arange(1 << bits, dtype=np.uint16)] * columns, indexing="ij")
    cells = [axis.ravel() for axis in grid]
    keys = hilbert_keys(cells, bits)
    assert sorted(keys.tolist()) == list(range(1 << (bits * columns)))
    path = np.argsort(keys)
    assert (sum(np.abs(np.diff(cell[path].astype(int))) for cell in cells) == 1).all()


@pytest.mark.parametrize("columns", range(1, 17))
def test_the_z_order_curve_interleaves_bits(columns: int) -> None:
    bits = bits_for(columns)
    cells = np.random.default_rng(columns).integers(0, 1 << bits, (columns, 200)).astype(np.uint16)

    def by_hand(row: list[int]) -> int:
        text = "".join(str((value >> bit) & 1) for bit in range(bits - 1, -1, -1) for value in row)
        return int(text, 2)

    assert zorder_keys(list(cells), bits).tolist() == [by_hand(row) for row in cells.T.tolist()]


@pytest.mark.parametrize("strategy", ["zorder", "hilbert"])
@given(data=st.data())
def test_curves_are_permutations_of_any_rows(strategy: str, data: st.DataObject) -> None:
    """L7: no row is lost, and none is doubled."""
    types, rows, order = data.draw(tables())
    curve = RowOrder(strategy, order.columns)
    found = order_of([chunked(rows, at, of, len(rows) // 2) for at, of in enumerate(types)], curve)
    assert sorted(found.tolist()) == list(range(len(rows)))


@pytest.mark.parametrize("strategy", ["zorder", "hilbert"])
def test_curves_go_by_ranks_so_that_units_and_skew_change_nothing(strategy: str) -> None:
    """L7: the same ranks give the same order, whatever the values; nulls are below all of them."""
    random = np.random.default_rng(3)
    ranks = [random.permutation(4096), random.permutation(4096)]
    order = RowOrder(strategy, (SortColumn(1), SortColumn(2)))
    plain = order_of([pa.chunked_array([pa.array(column)]) for column in ranks], order)
    skewed = [pa.array(np.exp(ranks[0] / 10.0)), pa.array([f"{value:012}" for value in ranks[1]])]
    with_null = pa.array([None if value == 0 else int(value) for value in ranks[0]], pa.int64())
    assert order_of([pa.chunked_array([column]) for column in skewed], order).tolist() == plain.tolist()
    assert order_of([pa.chunked_array([with_null]), pa.chunked_array([skewed[1]])], order).tolist() == plain.tolist()


SCHEMA = pa.schema(
    [
        field(1, "id", pa.int64(), required=True),
        field(2, "name", pa.string()),
        field(3, "at", pa.float64()),
        pa.field("tags", pa.list_(field(5, "element", pa.string())), metadata={"PARQUET:field_id": "4"}),
    ]
)


def table(count: int, seed: int) -> pa.Table:
    random = np.random.default_rng(seed)
    ids = random.integers(0, count, count)
    names = [None if i % 9 == 0 else f"name {i % 37}" for i in random.integers(0, 10**6, count).tolist()]
    ats = [math.nan if i % 11 == 0 else (-0.0 if i % 7 == 0 else i / 3) for i in range(count)]
    tags = [None if i % 5 == 0 else [f"t{i}"] * (i % 3) for i in range(count)]
    arrays = [pa.array(v, f.type) for v, f in zip((ids, names, ats, tags), SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def multiset(rows: pa.Table) -> Counter[str]:
    return Counter(map(repr, rows.to_pylist()))


ORDERS = [
    RowOrder("sort", (SortColumn(2, descending=True, nulls_first=False), SortColumn(3), SortColumn(1))),
    RowOrder("zorder", (SortColumn(1), SortColumn(3))),
    RowOrder("hilbert", (SortColumn(1), SortColumn(2), SortColumn(3))),
]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.strategy)
def test_a_group_loses_no_row_within_any_memory_and_sorts_the_same(
    tmp_path: Path, order: RowOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held in memory, or spilled in a few or in very many parts and ranges: the same rows, sorted in the same order."""
    monkeypatch.setattr(arranging, "SLICE_BYTES", 4096)
    parts = [table(700 + i, i) for i in range(5)]
    inputs = [write(tmp_path / f"{i}.parquet", rows, row_group_size=300) for i, rows in enumerate(parts)]
    found = []
    for number, memory in enumerate((2**29, 60_000, 4_000)):
        bounded = RowOrder(order.strategy, order.columns, memory_bytes=memory)
        result = rewrite(make_task(tmp_path / str(number), inputs, SCHEMA, order=bounded))
        assert (result.outcome, result.rows_written) == ("written", 3510)
        found.append(outputs_of(result))
    for one in found:
        assert multiset(one) == multiset(pa.concat_tables(parts))
        assert order.strategy != "sort" or repr(one.to_pylist()) == repr(found[0].to_pylist())


def test_outputs_of_a_sorted_group_follow_one_another(tmp_path: Path) -> None:
    """L6: the order of a group goes on from one output file to the next."""
    rows = table(40_000, 1)
    inputs = [write(tmp_path / "a.parquet", rows)]
    order = RowOrder("sort", (SortColumn(1),))
    target = inputs[0].file_bytes // 5
    result = rewrite(
        make_task(tmp_path, inputs, SCHEMA, order=order, file_count=5, settings=WriteSettings(target_file_bytes=target))
    )
    assert len(result.outputs) > 2
    ranges = [pq.read_table(one.path)["id"].to_pylist() for one in result.outputs]
    assert all(ids == sorted(ids) for ids in ranges)
    assert all(before[-1] <= after[0] for before, after in pairwise(ranges))


def test_position_deletes_are_applied_before_the_sort(tmp_path: Path) -> None:
    ids = pa.array([5, 3, 9, 1, 7], pa.int64())
    rows = pa.Table.from_arrays([ids, *(pa.nulls(5, f.type) for f in list(SCHEMA)[1:])], schema=SCHEMA)
    one = write(tmp_path / "a.parquet", rows)
    deleted = deletes_file(tmp_path / "d.parquet", [(one.path, 1), (one.path, 4)])
    task = make_task(tmp_path, [with_deletes(one, deleted)], SCHEMA, order=RowOrder("sort", (SortColumn(1),)))
    assert outputs_of(rewrite(task))["id"].to_pylist() == [1, 5, 9]


def test_a_group_whose_rows_are_all_deleted_leaves_nothing(tmp_path: Path) -> None:
    one = write(tmp_path / "a.parquet", table(3, 1))
    deleted = deletes_file(tmp_path / "d.parquet", [(one.path, at) for at in range(3)])
    task = make_task(tmp_path, [with_deletes(one, deleted)], SCHEMA, order=RowOrder("hilbert", (SortColumn(1),)))
    result = rewrite(task)
    assert (result.outcome, result.outputs, result.rows_deleted) == ("written", (), 3)


def test_huge_strings_sort_and_spill(tmp_path: Path) -> None:
    names = ["b" * 300_000 + str(i % 7) for i in range(40)]
    rows = pa.Table.from_arrays(
        [pa.array(range(40), pa.int64()), pa.array(names), *(pa.nulls(40, f.type) for f in list(SCHEMA)[2:])],
        schema=SCHEMA,
    )
    order = RowOrder("sort", (SortColumn(2), SortColumn(1, descending=True)), memory_bytes=2**20)
    inputs = [write(tmp_path / "a.parquet", rows, row_group_size=9)]
    found = outputs_of(rewrite(make_task(tmp_path, inputs, SCHEMA, order=order)))
    expected = sorted(zip(names, range(40), strict=True), key=lambda row: (row[0], -row[1]))
    assert list(zip(found["name"].to_pylist(), found["id"].to_pylist(), strict=True)) == expected


def test_the_footer_says_the_order_of_a_sorted_file_and_of_no_other(tmp_path: Path) -> None:
    inputs = [write(tmp_path / "a.parquet", table(50, 1))]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA, order=ORDERS[0]))
    group = pq.read_metadata(result.outputs[0].path).row_group(0)
    said = [(s.column_index, s.descending, s.nulls_first) for s in group.sorting_columns]
    assert said == [(1, True, False), (2, False, True), (0, False, True)]
    result = rewrite(make_task(tmp_path / "z", inputs, SCHEMA, order=ORDERS[1]))
    assert not pq.read_metadata(result.outputs[0].path).row_group(0).sorting_columns


def test_pages_of_ordered_rows_can_be_skipped(tmp_path: Path) -> None:
    """In a row group of 128 MiB the order would serve no reader without bounds of pages."""
    inputs = [write(tmp_path / "a.parquet", table(50, 1))]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA, order=ORDERS[0]))
    group = pq.read_metadata(result.outputs[0].path).row_group(0)
    columns = [group.column(i) for i in range(group.num_columns)]
    assert all(column.has_offset_index and column.has_column_index for column in columns)


def test_a_column_without_an_order_refuses_the_group(tmp_path: Path) -> None:
    task = make_task(
        tmp_path, [write(tmp_path / "a.parquet", table(5, 1))], SCHEMA, order=RowOrder("sort", (SortColumn(4),))
    )
    result = rewrite(task)
    assert (result.outcome, (result.reason or "").split(":")[0]) == ("refused", "unsortable_column")
    assert not left_behind(tmp_path)


def test_a_full_temporary_folder_fails_the_group_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    order = RowOrder("sort", (SortColumn(1),), memory_bytes=100)
    task = make_task(tmp_path, [write(tmp_path / "a.parquet", table(50, 1))], SCHEMA, order=order)
    with pytest.raises(OutputFault, match="TMPDIR"):
        rewrite(task)
    assert not left_behind(tmp_path)


def test_every_nan_is_one_value_whatever_its_bits() -> None:
    bits = (0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF)
    values = np.array([*(struct.unpack("<d", struct.pack("<Q", b))[0] for b in bits), math.inf])
    found = order_of([pa.chunked_array([pa.array(values)])], RowOrder("sort", (SortColumn(1),)))
    assert found.tolist() == [4, 0, 1, 2, 3]
