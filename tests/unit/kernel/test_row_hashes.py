"""Rows hash by what they hold: the same through any change of schema, encoding or order, another for any other row."""

import ctypes
import os
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.library.loading import load
from engine.rewriting.kernel.reading.projection import child_fields, field_id
from engine.rewriting.kernel.reading.row_hashes import RowDigest, RowHasher, hashed_by
from tests.support.broken_library import broken_library
from tests.unit.kernel.building import field
from tests.unit.kernel.evolving import project, tables

SLOW = settings(suppress_health_check=list(HealthCheck))


def hashes(table: pa.Table, target: pa.Schema) -> list[int]:
    hasher = RowHasher(table.num_rows)
    names = {field_id(one): one.name for one in table.schema}
    for wanted in target:
        if field_id(wanted) in names:
            hasher.add(table.column(names[field_id(wanted)]), wanted)
    return [int(one) for one in hasher.finish()]


def digest(table: pa.Table, target: pa.Schema) -> RowDigest:
    made = RowDigest()
    made.add(np.array(hashes(table, target), np.uint64))
    return made


def library() -> ctypes.CDLL:
    found, limit = load()
    if found is None and "CI" not in os.environ:
        pytest.skip(limit)
    assert found is not None, limit
    return found


def one_column(items: list[Any], data_type: pa.DataType) -> list[int]:
    schema = pa.schema([field(1, "a", data_type)])
    return hashes(pa.table([pa.array(items, data_type)], schema=schema), schema)


def same(value: Any, data_type: pa.DataType) -> Any:
    """Return a value that is equal to itself as SQL has it: NaN is NaN, 0.0 is -0.0, entries of maps have no order."""
    if value is None:
        return None
    if pt.is_floating(data_type):
        return "NaN" if value != value else value + 0.0  # noqa: PLR0124
    if pt.is_struct(data_type):
        return {one.name: same(value[one.name], one.type) for one in child_fields(data_type)}
    if pt.is_map(data_type):
        return sorted(((repr(key), repr(same(item, data_type.item_type))) for key, item in value), key=str)
    if pt.is_list(data_type) or pt.is_large_list(data_type):
        return [same(one, data_type.value_type) for one in value]
    return value


def known(table: pa.Table) -> list[str]:
    whole = pa.struct(list(table.schema))
    return [repr(same(row, whole)) for row in table.to_pylist()]


@given(tables())
@SLOW
def test_rows_hash_as_their_projection_does(case: tuple[pa.Table, pa.Schema]) -> None:
    table, target = case
    assert hashes(table, target) == hashes(project(table, target), target)


@given(tables())
@SLOW
def test_the_compiled_library_returns_the_same_hashes(case: tuple[pa.Table, pa.Schema]) -> None:
    table, target = case
    with hashed_by(library()):
        found = hashes(table, target)
    assert found == hashes(table, target)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["", "a", None, "é" * 3, "12345678", "123456789", "x" * 100_000]).slice(1),
        pa.array([b"", b"\0", b"\0" * 8, b"\0" * 9], pa.large_binary()),
        pa.array([b"ab", b"cd", b"ef"], pa.binary(2)).slice(1),
        pa.array([], pa.string()),
        pa.array(["", ""]),
        pa.array([[1, None], None, [], [3]]).slice(1),
        pa.array([0, -1, None, 2**63 - 1]),
        pa.array([0.0, -0.0, float("nan"), None], pa.float32()),
        pa.array([Decimal("-1.5"), None], pa.decimal128(38, 2)),
        pa.array(["a", None, "b", "a"]).dictionary_encode().slice(1),
    ],
    ids=str,
)
def test_the_compiled_library_returns_the_same_for(column: pa.Array) -> None:
    wanted = field(7, "a", pa.list_(field(8, "element", pa.int64())) if pt.is_list(column.type) else column.type)
    table = pa.table([column], schema=pa.schema([wanted.with_type(column.type)]))
    with hashed_by(library()):
        found = hashes(table, pa.schema([wanted]))
    assert found == hashes(table, pa.schema([wanted]))


def test_a_library_with_other_hashes_is_not_used(tmp_path: Path) -> None:
    built = tmp_path / "other.so"
    built.write_bytes(broken_library(tmp_path, None, 0, 0))
    with hashed_by(ctypes.CDLL(str(built))):
        assert one_column([1, 2], pa.int64()) == one_column([1, 2], pa.int64())
        assert len(set(one_column([1, 2], pa.int64()))) == 2


@given(tables())
@SLOW
def test_two_rows_have_one_hash_exactly_when_they_are_equal(case: tuple[pa.Table, pa.Schema]) -> None:
    table, _ = case
    found, rows = hashes(table, table.schema), known(table)
    for one in range(len(rows)):
        for other in range(len(rows)):
            assert (found[one] == found[other]) == (rows[one] == rows[other]), (rows[one], rows[other])


@given(tables(), st.integers(0, 6), st.integers(0, 6))
@SLOW
def test_slices_hash_as_the_whole_does(case: tuple[pa.Table, pa.Schema], start: int, count: int) -> None:
    table, target = case
    assert hashes(table.slice(start, count), target) == hashes(table, target)[start : start + count]


@given(tables(), st.randoms())
@SLOW
def test_a_digest_has_no_order(case: tuple[pa.Table, pa.Schema], random: Any) -> None:
    table, target = case
    places = list(range(table.num_rows))
    random.shuffle(places)
    assert digest(table.take(pa.array(places, pa.int64())), target) == digest(table, target)


PAIR = pa.schema([field(1, "a", pa.int64()), field(2, "b", pa.string())])


def pairs(*rows: tuple[int | None, str | None]) -> RowDigest:
    return digest(pa.table([[a for a, _ in rows], [b for _, b in rows]], schema=PAIR), PAIR)


def test_values_that_change_places_between_rows_are_seen() -> None:
    before, after = pairs((1, "x"), (2, "y")), pairs((1, "y"), (2, "x"))
    assert before.total != after.total
    assert before.folded != after.folded


def test_a_row_lost_and_another_doubled_is_seen() -> None:
    assert pairs((1, "x"), (2, "y"), (3, "z")) != pairs((1, "x"), (2, "y"), (2, "y"))


def test_rows_that_come_in_pairs_do_not_cancel_out() -> None:
    assert pairs((1, "x"), (1, "x")) != pairs((2, "y"), (2, "y"))


def test_values_that_change_columns_are_seen() -> None:
    schema = pa.schema([field(1, "a", pa.int64()), field(2, "b", pa.int64())])
    rows = [digest(pa.table([[a], [b]], schema=schema), schema) for a, b in ((1, 2), (2, 1), (1, None), (None, 1))]
    assert len({str(one) for one in rows}) == 4


def test_texts_of_every_length_differ_from_their_neighbours() -> None:
    texts = ["", "\0", "\0\0", *("abcdefgh" * 9)[:70], *(("abcdefgh" * 9)[:n] for n in range(2, 70)), "a\0", "\0a"]
    found = one_column(texts, pa.string())
    assert len(set(found)) == len(set(texts))
    assert one_column([text.encode() for text in texts], pa.large_binary()) == found


def test_words_of_a_text_that_change_places_are_seen() -> None:
    assert len(set(one_column(["abcdefgh12345678", "12345678abcdefgh"], pa.string()))) == 2


def test_a_block_of_texts_ends_where_it_may() -> None:
    texts = ["x" * 3_000_000, "", *(f"text {i}" for i in range(70_000)), "y" * 1_500_000, None, "z"]
    found = one_column(texts, pa.string())
    assert found[2:100] == one_column(texts[2:100], pa.string())
    assert found[-3:] == one_column(texts[-3:], pa.string())


@pytest.mark.parametrize(
    ("items", "narrow", "wide"),
    [
        ([-1, 2**31 - 1, None], pa.int32(), pa.int64()),
        ([1.5, float("nan"), None, -0.0], pa.float32(), pa.float64()),
        ([Decimal("-1.25"), Decimal("9.99"), None], pa.decimal128(5, 2), pa.decimal128(38, 2)),
        ([0, 86_399_000, None], pa.time32("ms"), pa.time64("us")),
        ([-1, 10**12, None], pa.timestamp("ms"), pa.timestamp("us")),
        ([-1, 10**12, None], pa.timestamp("us"), pa.timestamp("ns")),
        ([date(1, 1, 1), date(9999, 12, 31), None], pa.date32(), pa.timestamp("us")),
        ([date(1677, 9, 22), date(2262, 4, 11), None], pa.date32(), pa.timestamp("ns")),
        (["a", "", None], pa.string(), pa.string_view()),
        ([[1, None], [], None], pa.list_(field(2, "e", pa.int32())), pa.large_list(field(2, "e", pa.int64()))),
        ([[1, 2], None, [3, 4]], pa.list_(field(2, "e", pa.int32()), 2), pa.list_(field(2, "e", pa.int64()))),
    ],
)
def test_a_promoted_value_hashes_as_before(items: list[Any], narrow: pa.DataType, wide: pa.DataType) -> None:
    before = pa.array(items, narrow)
    schema = pa.schema([field(1, "a", wide)])
    held = pa.table([before], schema=pa.schema([field(1, "a", narrow)]))
    assert hashes(held, schema) == hashes(pa.table([before.cast(wide)], schema=schema), schema)


def test_dictionaries_hash_as_their_values() -> None:
    plain = pa.array(["a", None, "b", "a"])
    assert hashes(pa.table([plain.dictionary_encode()], schema=pa.schema([field(1, "a", pa.dictionary(pa.int32(), pa.string()))])), PAIR) == one_column(plain.to_pylist(), pa.string())  # fmt: skip # noqa: E501
    nothing = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int32()), pa.array([], pa.string()))
    schema = pa.schema([field(1, "a", nothing.type)])
    assert hashes(pa.table([nothing], schema=schema), PAIR) == one_column([None, None], pa.string())


def test_nothing_empty_and_null_are_three_things() -> None:
    lists = pa.list_(field(2, "e", pa.struct([field(3, "s", pa.int64())])))
    items = [None, [], [None], [{"s": None}], [{"s": None}, None], [None, {"s": None}], [{"s": 0}]]
    assert len(set(one_column(items, lists))) == len(items)


def test_entries_of_a_map_have_no_order_and_elements_of_a_list_do() -> None:
    maps = pa.map_(field(2, "key", pa.string(), required=True), field(3, "value", pa.int64()))
    swapped = one_column([[("a", 1), ("b", 2)], [("b", 2), ("a", 1)], [("a", 2), ("b", 1)], [("a", 1)]], maps)
    assert swapped[0] == swapped[1]
    assert len(set(swapped)) == 3
    assert len(set(one_column([[1, 2], [2, 1], [1, 2, 2]], pa.list_(field(2, "e", pa.int64()))))) == 3


def test_a_struct_where_a_number_is_wanted_is_refused() -> None:
    table = pa.table([[{"x": 1}]], schema=pa.schema([field(1, "a", pa.struct([field(2, "x", pa.int64())]))]))
    with pytest.raises(Refused, match="unreadable_layout"):
        hashes(table, PAIR)
    with pytest.raises(Refused, match="can't be compared"):
        one_column([1], pa.duration("s"))


def test_a_million_rows_have_a_million_hashes() -> None:
    assert len(set(one_column(list(range(1_000_000)), pa.int64()))) == 1_000_000


@pytest.mark.parametrize(("kind", "bits"), [(pa.float64(), 0x7FF0000000000001), (pa.float32(), 0x7F800001)])
def test_the_memory_of_a_null_may_have_any_bits(kind: pa.DataType, bits: int) -> None:
    """Those of a signalling NaN, with which numpy's additions warn, as a reader of ORC left them once."""
    width = kind.bit_width // 8
    memory = pa.py_buffer(bits.to_bytes(width, "little") + bytes(width))
    column = pa.Array.from_buffers(kind, 2, [pa.py_buffer(b"\x02"), memory])
    plain = pa.array([None, 0.0], kind)
    wanted = pa.schema([field(1, "x", kind)])
    assert hashes(pa.table([column], schema=wanted), wanted) == hashes(pa.table([plain], schema=wanted), wanted)
