"""Open a foreign Parquet file by a footer that was checked and written again, so that Arrow reads what was checked.

Arrow makes as many structs of 300 to 1,000 bytes as a list in a footer claims, before it reads one. It ends the whole
process when some values of a damaged footer are looked at, such as an unknown codec or an encrypted column.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.formats.intake.errors import decoding_bytes
from engine.formats.intake.limits import Malformed
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import (
    CODECS,
    COLUMNS,
    MAGIC,
    METADATA,
    ROW_GROUPS,
    SCHEMA,
    Chunk,
    InputFooter,
    framed,
)
from engine.rewriting.kernel.parquet.thrift import I32, I64, LIST, STRUCT, Struct

FOOTER_BYTES: Final = 2**21
"""Limit of the footer: 1,000 row groups of 10 columns take 1.5 MB. Parsed it takes 60 times as much memory."""

_MOST_CHUNKS: Final = 100_000  # Arrow takes 1 KB for each
_MOST_FIELDS: Final = 20_000
_MOST_FIELD_ID: Final = 100  # thrift's own ids have 16 bits: a larger one would be another field for Arrow
_END_BYTES: Final = 8
_OF_FILE: Final = {1: I32, SCHEMA: LIST, 3: I64, ROW_GROUPS: LIST}
_OF_GROUP: Final = {COLUMNS: LIST, 2: I64, 3: I64}
_OF_CHUNK: Final = {2: I64, METADATA: STRUCT}
_OF_METADATA: Final = {1: I32, 2: LIST, 3: LIST, 4: I32, 5: I64, 6: I64, 7: I64, 9: I64, 11: I64}
_OTHER_PLACE: Final = 1  # a column chunk in another file
_ENCRYPTED: Final = (8, 9)
_LZ4: Final = 5  # of old files
_KNOWN_CODECS: Final = frozenset({*CODECS.values(), _LZ4})


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A Parquet file, and the footer by which Arrow reads it."""

    parquet: pq.ParquetFile
    footer: InputFooter

    def chunks(self, row_group: int, leaves: Sequence[int]) -> Iterator[Chunk]:
        """Yield column chunks that have values, which are somewhere in the file or after its end. Raises Malformed."""
        for leaf in leaves:
            chunk = self.footer.chunk(row_group, leaf)
            if chunk is None or min(chunk.start, chunk.stored_bytes) < 0:
                raise Malformed("a column chunk has no place in the file")
            if chunk.values > 0:
                yield chunk


def checked_file(body: bytes, **options: Any) -> CheckedFile:
    """Open a file in memory; `options` are those of `ParquetFile`. Raises as `opened_by`."""
    footer = footer_in(body)
    written, checked = _checked(footer)
    if written != framed(footer):
        return _opened(written, checked, pa.BufferReader(body), options)
    with decoding_bytes():  # Arrow reads the same bytes at the end of the file, which takes half the time
        return CheckedFile(pq.ParquetFile(pa.BufferReader(body), **options), checked)


def footer_in(end: bytes, size: int | None = None) -> bytes:
    """Return the footer in the end of a file.

    Args:
        end: the last bytes, with the whole footer.
        size: of the file; without it, `end` is the whole file.

    Raises:
        Malformed: it does not end as a Parquet file does, or the footer is too large.
    """
    length = int.from_bytes(end[-_END_BYTES : -len(MAGIC)], "little")
    if not end.endswith(MAGIC) or length + _END_BYTES > (len(end) if size is None else size):
        raise Malformed("it is damaged: it does not end as a Parquet file does")
    if length > FOOTER_BYTES:
        raise Malformed(f"its footer has {length:,} bytes; {FOOTER_BYTES:,} is the limit")
    return end[-_END_BYTES - length : -_END_BYTES]


def opened_by(footer: bytes, source: Any, **options: Any) -> CheckedFile:
    """Open a file.

    Args:
        footer: its metadata, without length and magic.
        source: the file.
        options: those of `ParquetFile`.

    Raises:
        Malformed: the footer is damaged, or has more structs than a file needs, encrypted columns or unknown codecs.
    """
    return _opened(*_checked(footer), source, options)


def _checked(footer: bytes) -> tuple[bytes, InputFooter]:
    """Check a footer; return it as written again, with length and magic, and parsed."""
    try:
        found, _ = thrift.read_struct(footer)
        _check(found)
        written = framed(thrift.write_struct(found))
        return written, InputFooter(written)
    except (thrift.MalformedStruct, LookupError, TypeError, AttributeError) as error:
        raise Malformed(f"its footer is damaged ({error})") from error


def _opened(written: bytes, checked: InputFooter, source: Any, options: Mapping[str, Any]) -> CheckedFile:
    with decoding_bytes():
        metadata = pq.read_metadata(pa.BufferReader(MAGIC + written))
    return CheckedFile(pq.ParquetFile(source, metadata=metadata, **options), checked)


def _check(file: Struct) -> None:
    _check_kinds(file, _OF_FILE)
    if len(_structs(file[SCHEMA])) > _MOST_FIELDS:
        raise Malformed(f"its schema has more than {_MOST_FIELDS:,} fields, which is the limit")
    chunks = 0
    for group in _structs(file[ROW_GROUPS]):
        _check_kinds(group, _OF_GROUP)
        chunks += 1 + len(_structs(group[COLUMNS]))
        if chunks > _MOST_CHUNKS:
            raise Malformed(f"its footer has more than {_MOST_CHUNKS:,} column chunks, which is the limit")
        for chunk in _structs(group[COLUMNS]):
            _check_kinds(chunk, _OF_CHUNK)
            if _OTHER_PLACE in chunk or any(each in chunk for each in _ENCRYPTED):
                raise Malformed("a column is encrypted or in another file")
            _check_kinds(chunk[METADATA][1], _OF_METADATA)
            if chunk[METADATA][1][4][1] not in _KNOWN_CODECS:
                raise Malformed("a column is compressed by an unknown codec")


def _structs(field: tuple[int, Any]) -> list[Struct]:
    kind, values = field[1]
    if values and kind != STRUCT:
        raise Malformed("a list in its footer has other values")
    return list(values)


def _check_kinds(found: Struct, kinds: Mapping[int, int]) -> None:
    """Check that fields have the types by which Arrow reads them: it skips others."""
    for number, (kind, _) in found.items():
        if not 0 < number <= _MOST_FIELD_ID or kinds.get(number, kind) != kind:
            raise Malformed(f"field {number} in its footer has another type")
