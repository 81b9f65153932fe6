"""Parquet files with false footers: an unknown codec, an encrypted column, lists that claim a million items."""

from collections.abc import Callable, Mapping

from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import COLUMNS, METADATA, ROW_GROUPS, SCHEMA, framed
from engine.rewriting.kernel.parquet.thrift import BINARY, I32, LIST, STRUCT, Struct

Edit = Callable[[Struct], None]
_ROWS = 3


def edited(body: bytes, edit: Edit) -> bytes:
    """Return a file whose footer is changed."""
    footer, start = footer_of(body)
    edit(footer)
    return body[:start] + framed(thrift.write_struct(footer))


def footer_of(body: bytes) -> tuple[Struct, int]:
    """Return the footer of a file, and where it begins."""
    start = len(body) - 8 - int.from_bytes(body[-8:-4], "little")
    return thrift.read_struct(body[start:-8])[0], start


def claiming(body: bytes, columns: int) -> bytes:
    """Return a file whose first row group claims a number of columns, and has none."""
    footer, start = footer_of(body)
    before = thrift.write_struct({number: value for number, value in footer.items() if number <= _ROWS})[:-1]
    groups = bytes([(ROW_GROUPS - _ROWS) << 4 | LIST, 1 << 4 | STRUCT])
    group = bytes([COLUMNS << 4 | LIST, 15 << 4 | STRUCT]) + thrift.varint(columns)
    return body[:start] + framed(before + groups + group + bytes(50))


def first_chunk(footer: Struct) -> Struct:
    """Return the first column chunk of a footer."""
    chunk: Struct = footer[ROW_GROUPS][1][1][0][COLUMNS][1][1][0]
    return chunk


def set_codec(footer: Struct) -> None:
    """Name a codec that does not exist."""
    first_chunk(footer)[METADATA][1][4] = (I32, 99)


def encrypt(footer: Struct) -> None:
    """State that a column has a key of its own."""
    first_chunk(footer)[8] = (STRUCT, {2: (STRUCT, {1: (LIST, (BINARY, [b"path"]))})})
    first_chunk(footer)[9] = (BINARY, b"secret")


def many_chunks(footer: Struct) -> None:
    """Add a million columns without content."""
    footer[ROW_GROUPS][1][1][0][COLUMNS] = (LIST, (STRUCT, [{}] * 1_000_000))


def other_kind(footer: Struct) -> None:
    """Give the place of a chunk in a type that Arrow skips."""
    first_chunk(footer)[METADATA][1][9] = (I32, 4)


def far_id(footer: Struct) -> None:
    """Give the place of a chunk once more, under an id that Arrow cuts to the same one."""
    first_chunk(footer)[METADATA][1][2**16 + 9] = (thrift.I64, 4)


def many_rows(footer: Struct) -> None:
    """Claim more rows than any memory has."""
    footer[ROW_GROUPS][1][1][0][3] = (thrift.I64, 2**62)


def many_children(footer: Struct) -> None:
    """Claim more fields than the schema has."""
    footer[SCHEMA][1][1][0][5] = (I32, 2**31 - 1)


EDITS: Mapping[str, tuple[Edit, str]] = {
    "unknown codec": (set_codec, "unknown codec"),
    "encrypted": (encrypt, "encrypted"),
    "a million chunks": (many_chunks, "more than 100,000 column chunks"),
    "a type that Arrow skips": (other_kind, "field 9 in its footer has another type"),
    "an id that Arrow cuts": (far_id, "field 65545 in its footer has another type"),
}
"""Edits, with what is wrong by `parquet_footers`."""
