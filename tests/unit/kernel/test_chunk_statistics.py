"""Statistics are joined only where the sum is exact; footers and page headers are read as strictly as readers do."""

import io
import struct
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.chunk_statistics import joined, order_of, unordered, with_exact_floats
from engine.rewriting.kernel.parquet.footers import Chunk
from engine.rewriting.kernel.parquet.pages import walk
from engine.rewriting.kernel.parquet.thrift import BINARY, I16, I32, I64, STRUCT, TRUE, MalformedStruct, Struct

DOUBLE = order_of("DOUBLE", pa.float64())


def chunk(statistics: Struct | None, *, values: int = 10, order_is_known: bool = True, **sizes: int) -> Chunk:
    return Chunk(
        physical_type=5,
        start=4,
        stored_bytes=sizes.get("stored", 100),
        uncompressed_bytes=sizes.get("uncompressed", 100),
        values=values,
        codec=6,
        encodings=frozenset({0, 3}),
        has_dictionary=False,
        statistics=statistics,
        order_is_known=order_is_known,
    )


def bounds(low: float, high: float, nulls: int = 0, **more: Any) -> Struct:
    made: Struct = {3: (I64, nulls), 5: (BINARY, struct.pack("<d", high)), 6: (BINARY, struct.pack("<d", low))}
    return made | {int(field): value for field, value in more.items()}


def doubles(found: Struct | None) -> tuple[int, str, str]:
    assert found is not None
    return found[3][1], *(str(struct.unpack("<d", found[field][1])[0]) for field in (6, 5))  # type: ignore[return-value]


def test_nulls_add_up_and_bounds_are_the_outermost() -> None:
    chunks = [chunk(bounds(-1.5, 2.0, 3)), chunk(bounds(0.5, 7.0, 1)), chunk({3: (I64, 10)})]
    assert doubles(joined(chunks, DOUBLE)) == (14, "-1.5", "7.0")


def test_columns_without_an_order_keep_the_number_of_nulls_only() -> None:
    assert joined([chunk(bounds(1.0, 2.0, 3)), chunk({3: (I64, 10)})], unordered) == {3: (I64, 13)}
    assert joined([chunk({3: (I64, 10)}), chunk(None)], unordered) == {}


def test_a_zero_bound_covers_both_zeros() -> None:
    assert doubles(joined([chunk(bounds(0.0, 5.0)), chunk(bounds(1.0, 5.0))], DOUBLE)) == (0, "-0.0", "5.0")
    assert doubles(joined([chunk(bounds(-5.0, -0.0))], DOUBLE)) == (0, "-5.0", "0.0")


@pytest.mark.parametrize(
    ("low", "high", "nans", "has_plus_zero", "exact"),
    [
        (1.0, 2.0, 0, False, {7, 8}),
        (1.0, 2.0, 3, False, set()),
        (1.0, 2.0, None, False, set()),
        (-0.0, 2.0, 0, True, {7}),
        (-1.0, 0.0, 0, True, {7, 8}),
        (-1.0, 0.0, 0, False, {8}),
        (0.0, -0.0, 0, False, set()),
    ],
)
def test_f40_bounds_of_floats_are_called_exact_only_if_they_answer_min_and_max(
    low: float, high: float, nans: int | None, has_plus_zero: bool, exact: set[int]
) -> None:
    """F40: DuckDB answers MIN and MAX from bounds that are stated to be exact. 7: the greatest, 8: the least."""
    found = bounds(low, high) | {7: (TRUE, True), 8: (TRUE, True)}
    made = with_exact_floats(found, nans, has_plus_zero=has_plus_zero)
    assert made.keys() & {7, 8} == exact
    assert made | found == found
    assert not with_exact_floats(bounds(low, high), 0, has_plus_zero=True).keys() & {7, 8}, "nothing was stated"


@pytest.mark.parametrize(
    "other",
    [
        chunk(None),
        chunk({5: (BINARY, bytes(8)), 6: (BINARY, bytes(8))}),
        chunk({3: (I64, 0)}),
        chunk({1: (BINARY, bytes(8)), 2: (BINARY, bytes(8)), 3: (I64, 0)}),
        chunk(bounds(float("nan"), 1.0)),
        chunk(bounds(0.0, float("nan"))),
        chunk(bounds(0.0, 1.0) | {7: (TRUE, False)}),
        chunk(bounds(0.0, 1.0) | {5: (BINARY, b"short")}),
        chunk(bounds(0.0, 1.0), order_is_known=False),
    ],
    ids=["none", "no null count", "no bounds", "old bounds", "NaN", "NaN above", "cut short", "length", "order"],
)
def test_what_is_not_exact_is_not_joined(other: Chunk) -> None:
    assert joined([chunk(bounds(0.0, 1.0)), other], DOUBLE) is None


def test_orders_are_those_of_the_types() -> None:
    fixed = order_of("FIXED_LEN_BYTE_ARRAY", pa.decimal128(38, 2))
    assert fixed is not None
    assert fixed(b"\xff\xff") < fixed(b"\x00\x01") < fixed(b"\x7f\x00")
    text = order_of("BYTE_ARRAY", pa.string())
    assert text is not None
    assert text(b"z") < text("é".encode())
    assert order_of("INT32", pa.uint32()) is None
    assert order_of("INT96", pa.timestamp("ns")) is None


COLUMNS = {"a": [1, None, 3], "b": ["x", "y", None], "c": [[1.5], [], None], "d": [True, False, None]}


def footer_of(columns: dict[str, Any], **settings: Any) -> bytes:
    made = io.BytesIO()
    pq.write_table(pa.table(columns), made, **settings)
    data = made.getvalue()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def test_footers_come_back_byte_for_byte() -> None:
    footer = footer_of(COLUMNS, write_page_index=True)
    found, end = thrift.read_struct(footer)
    assert (end, thrift.write_struct(found)) == (len(footer), footer)


@pytest.mark.parametrize(
    "data", [b"", b"\x15", b"\x18\xff\x01a", b"\x19\xf5\xff\xff\xff\xff\x0f", b"\x10\x00", b"\x1c" * 50]
)
def test_what_is_no_struct_is_told(data: bytes) -> None:
    for read in (thrift.read_struct, thrift.Recall().read_struct):
        with pytest.raises(MalformedStruct):
            read(data)


def test_recalled_lists_are_those_of_the_bytes() -> None:
    first, other = footer_of(COLUMNS), footer_of({"b": [7, 8], "c": ["y", "z"], "e": [1, 1]}, row_group_size=1)
    recall = thrift.Recall((2, 5, 7))
    flipped = [first[:at] + bytes([first[at] ^ bit]) + first[at + 1 :] for at in range(len(first)) for bit in (1, 16)]
    for data in (first, other, first, first, *flipped, *(first[:at] for at in range(len(first)))):
        try:
            expected = thrift.read_struct(data)[0]
        except MalformedStruct:
            with pytest.raises(MalformedStruct):
                recall.read_struct(data)
        else:
            assert recall.read_struct(data) == expected
    known, again = (recall.read_struct(first) for _ in range(2))
    assert known[2] is again[2]


def page_v2(*, statistics: Struct | None = None, levels: bytes = b"\x14\x01", **changes: Any) -> tuple[bytes, Chunk]:
    """Return a chunk of one page: ten values of a flat optional column, none of them null unless changed."""
    details: Struct = {1: (I32, 10), 2: (I32, 0), 3: (I32, 10), 4: (I32, 0), 5: (I32, len(levels)), 6: (I32, 0)}
    details |= changes.get("details", {})
    body = levels + bytes(8)
    header: Struct = {1: (I32, 3), 2: (I32, len(body)), 3: (I32, len(body)), 8: (STRUCT, details)}
    data = thrift.write_struct(header | changes.get("header", {})) + body
    return data, chunk(statistics, stored=len(data), uncompressed=len(data))


def test_a_plain_page_of_version_2_may_be_copied() -> None:
    data, own = page_v2()
    assert walk(data, own, (1, 0), 10).counts == {(3, 0): 1}


def test_counts_of_version_2_are_taken_as_the_footer_has_them() -> None:
    nulls: dict[str, Any] = {"levels": b"\x03\xfe\x03", "details": {2: (I32, 1)}}
    data, own = page_v2(statistics={3: (I64, 1)}, **nulls)
    assert walk(data, own, (1, 0), 10).counts == {(3, 0): 1}
    for statistics, rows in (({3: (I64, 2)}, 10), (None, 10), ({3: (I64, 1)}, 11)):
        data, own = page_v2(statistics=statistics, **nulls)
        with pytest.raises(MalformedStruct, match="footer"):
            walk(data, own, (1, 0), rows)


@pytest.mark.parametrize(
    "changes",
    [
        {"details": {1: (I32, 9)}},
        {"details": {2: (I32, 1)}},
        {"details": {2: (I32, -1)}},
        {"details": {3: (I32, 9)}},
        {"details": {4: (I32, 8)}},
        {"details": {5: (I32, 0)}},
        {"details": {5: (I32, 11)}},
        {"details": {6: (I32, 1)}},
        {"details": {7: (I32, 1)}},
        {"details": {7: (TRUE, False)}, "header": {2: (I32, 90)}},
        {"details": {9: (I32, 4)}},
        {"header": {1: (I32, 0)}},
        {"header": {5: (STRUCT, {})}},
        {"levels": b"\x14\x00"},
        {"levels": b"\x12\x01"},
    ],
    ids=[
        *(
            "values",
            "nulls",
            "less than none",
            "rows",
            "coded",
            "no levels",
            "long levels",
            "repeated",
            "flag",
            "sizes",
        ),
        *("unknown", "version 1", "both headers", "nulls in levels", "fewer levels"),
    ],
)
def test_any_doubt_about_a_page_of_version_2_keeps_it_from_being_copied(changes: dict[str, Any]) -> None:
    data, own = page_v2(**changes)
    with pytest.raises(MalformedStruct):
        walk(data, own, (1, 0), 10)


def page(**changes: Any) -> tuple[bytes, Chunk]:
    details: Struct = {1: (I32, 10), 2: (I32, 0), 3: (I32, 3), 4: (I32, 3)} | changes.get("details", {})
    header: Struct = {1: (I32, 0), 2: (I32, 8), 3: (I32, 8), 5: (STRUCT, details)} | changes.get("header", {})
    data = thrift.write_struct(header) + bytes(8)
    return data, chunk(None, stored=len(data), uncompressed=len(data))


def test_a_plain_page_of_version_1_may_be_copied() -> None:
    data, own = page()
    assert walk(data, own, (1, 0), 10).counts == {(0, 0): 1}


@pytest.mark.parametrize(
    "changes",
    [
        {"header": {1: (I32, 2)}},
        {"header": {1: (I32, 3)}},
        {"header": {2: (I16, 8)}},
        {"header": {3: (I32, 9)}},
        {"header": {8: (STRUCT, {})}},
        {"details": {1: (I32, 9)}},
        {"details": {2: (I32, 8)}},
        {"details": {2: (I32, 9)}},
        {"details": {2: (I64, 0)}},
        {"details": {3: (I32, 4)}},
        {"details": {9: (I32, 4)}},
    ],
    ids=["dictionary", "v2", "type", "size", "v2 header", "values", "coded", "split", "wide", "levels", "unknown"],
)
def test_any_doubt_about_a_page_keeps_it_from_being_copied(changes: dict[str, Struct]) -> None:
    data, own = page(**changes)
    with pytest.raises(MalformedStruct):
        walk(data, own, (1, 0), 10)
