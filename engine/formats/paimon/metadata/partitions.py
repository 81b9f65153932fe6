"""Partitions of a table: from the binary rows in manifests to canonical JSON and to directories.

A partition is stored as Paimon's serialized `BinaryRow`: the number of fields (4 bytes, big endian), then a header byte
and a bit for each null, padded to words of 8 bytes, then one word of 8 bytes (little endian) for each field. The word
of a text has its bytes, up to 7 and the length in the highest byte with its highest bit set; otherwise the place
(upper half) and length (lower half) of the bytes in the row. The word of a timestamp has milliseconds; with more than 3
digits their place (upper half), and the nanoseconds in addition to them (lower half).
"""

import json
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from functools import cached_property
from typing import Any, Final

from engine.formats.intake.limits import Malformed, Unsupported
from engine.formats.paimon.metadata.options import TableOptions
from engine.formats.paimon.metadata.schemas import Column, TableSchema

_ARITY_BYTES: Final = 4
_HEADER_BITS: Final = 8
_WORD: Final = 8
_INLINE: Final = 0x80
_TEXTS: Final = frozenset({"CHAR", "VARCHAR", "STRING"})
_NUMBERS: Final[Mapping[str, str]] = {
    "TINYINT": "<b",
    "SMALLINT": "<h",
    "INT": "<i",
    "INTEGER": "<i",
    "BIGINT": "<q",
    "DATE": "<i",
}
_DECIMALS: Final = frozenset({"DECIMAL", "NUMERIC"})
_COMPACT_DIGITS: Final = 18
_EXACT: Final = Context(prec=76)
_EPOCH_DAY: Final = date(1970, 1, 1)
_ESCAPED: Final = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{}\[\]^]")
_NO_SPACE_IN_JAVA: Final = "\x85\xa0\u2007\u202f"
_TIMESTAMP: Final = "TIMESTAMP"
_MILLIS: Final = 3
_MICROS: Final = 6
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - a timestamp without a time zone
READABLE: Final = _TEXTS | _NUMBERS.keys() | _DECIMALS | {"BOOLEAN", _TIMESTAMP}
_BUCKET_NAMES: Final = {-2: "postpone"}


@dataclass(frozen=True)
class PartitionCodec:
    """Reads the partitions of one table; all files of a table have the same partition columns."""

    columns: Sequence[Column]
    options: TableOptions

    @staticmethod
    def of(schema: TableSchema, options: TableOptions) -> "PartitionCodec":
        """Return the codec of a table.

        Raises:
            Malformed: partitions by a column of one of its types can't be read.
        """
        columns = schema.partition_columns
        for each in columns:
            if each.type.root not in READABLE or (each.type.root == _TIMESTAMP and each.type.precision > _MICROS):
                kinds = ", ".join(sorted(READABLE))
                found = f"partition column {each.name[:80]} is of type {each.type.text}, which is not supported"
                remedy = f"partition by a column of type {kinds} of up to {_MICROS} digits"
                raise Unsupported(f"{found}: {remedy}")
        return PartitionCodec(columns, options)

    def values(self, stored: bytes) -> tuple[Any, ...]:
        """Return the values of a partition: texts, numbers, booleans, decimals, dates, timestamps, None.

        Raises:
            Malformed: the bytes are not a row of these columns.
        """
        try:
            return tuple(self._values(stored))
        except (struct.error, IndexError, UnicodeDecodeError, OverflowError) as error:
            raise Malformed(f"a partition of {len(stored)} bytes is not a row of the partition columns") from error

    def encode(self, values: Sequence[Any]) -> str:
        """Return the canonical JSON of a partition."""
        pairs = {column.name: json_value(value) for column, value in zip(self.columns, values, strict=True)}
        return json.dumps(pairs, separators=(",", ":"), ensure_ascii=False)

    def decode(self, text: str) -> Sequence[Any]:
        """Return the values in a partition's canonical JSON, as `json_value` returns them."""
        found: dict[str, Any] = json.loads(text)
        return [found[column.name] for column in self.columns]

    def directory(self, values: Sequence[Any], bucket: int) -> str:
        """Return the directory of a bucket's data files below the table's location."""
        parts = [self.options.data_directory] if self.options.data_directory else []
        for column, value in zip(self.columns, values, strict=True):
            parts.append(f"{_escaped(column.name)}={_escaped(self._path_text(value, column.type.precision))}")
        return "/".join([*parts, f"bucket-{_BUCKET_NAMES.get(bucket, bucket)}"])

    def _path_text(self, value: Any, precision: int) -> str:
        match value:
            case None:
                text = ""
            case datetime() if self.options.has_legacy_partition_names:
                text = _legacy_text(value)
            case datetime():
                text = _timestamp_text(value, precision)
            case bool():
                text = "true" if value else "false"
            case date() if self.options.has_legacy_partition_names:
                text = str((value - _EPOCH_DAY).days)
            case Decimal():
                text = format(value, "f")
            case _:
                text = str(value)
        return self.options.default_partition if _is_blank(text) else text

    def _values(self, stored: bytes) -> Sequence[Any]:
        (arity,) = struct.unpack_from(">i", stored)
        if arity != len(self.columns):
            raise Malformed(f"a partition has {arity} fields; the table has {len(self.columns)} partition columns")
        row = stored[_ARITY_BYTES:]
        if len(row) < self._fixed_bytes:
            raise Malformed("a partition is cut off")
        return [
            None if _is_null(row, at) else read(row, self._start + at * _WORD) for at, read in enumerate(self._readers)
        ]

    @cached_property
    def _start(self) -> int:
        return (len(self.columns) + 63 + _HEADER_BITS) // 64 * _WORD

    @cached_property
    def _fixed_bytes(self) -> int:
        return self._start + len(self.columns) * _WORD

    @cached_property
    def _readers(self) -> Sequence[Callable[[bytes, int], Any]]:
        return [_reader(column) for column in self.columns]


def json_value(value: Any) -> Any:
    """Return a partition value in its canonical form: dates and timestamps in ISO 8601, decimals as text."""
    match value:
        case date():
            return value.isoformat()
        case Decimal():
            return format(value, "f")
        case _:
            return value


def _is_null(row: bytes, at: int) -> bool:
    bit = at + _HEADER_BITS
    return bool(row[bit // 8] >> bit % 8 & 1)


def _reader(column: Column) -> Callable[[bytes, int], Any]:
    """Return the function that reads a column's value from the word at a place of a row."""
    kind = column.type
    if kind.root in _TEXTS:
        return lambda row, at: _bytes_of(row, at).decode()
    if kind.root in _DECIMALS:
        return lambda row, at: _decimal(row, at, kind.precision, kind.scale)
    if kind.root == "BOOLEAN":
        return lambda row, at: bool(row[at])
    if kind.root == _TIMESTAMP:
        return _millis if kind.precision <= _MILLIS else _micros
    if kind.root == "DATE":
        return lambda row, at: _EPOCH_DAY + timedelta(days=struct.unpack_from("<i", row, at)[0])
    return lambda row, at: struct.unpack_from(_NUMBERS[kind.root], row, at)[0]


def _bytes_of(row: bytes, at: int) -> bytes:
    last = row[at + _WORD - 1]
    if last & _INLINE:
        length = last & ~_INLINE
        if length >= _WORD:
            raise Malformed(f"a partition has a text of {length} bytes in a word")
        return row[at : at + length]
    length, start = struct.unpack_from("<II", row, at)
    if start + length > len(row):
        raise Malformed("a partition has a text past its end")
    return row[start : start + length]


def _decimal(row: bytes, at: int, precision: int, scale: int) -> Decimal:
    if precision <= _COMPACT_DIGITS:
        number = struct.unpack_from("<q", row, at)[0]
    else:
        number = int.from_bytes(_bytes_of(row, at)[: _WORD * 4], "big", signed=True)
    return Decimal(number).scaleb(-scale, _EXACT)


def _millis(row: bytes, at: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=struct.unpack_from("<q", row, at)[0])


def _micros(row: bytes, at: int) -> datetime:
    nanos, start = struct.unpack_from("<II", row, at)
    return _millis(row, start) + timedelta(microseconds=nanos // 1000)


def _legacy_text(value: datetime) -> str:
    """Return a timestamp as Java's `LocalDateTime.toString`."""
    if not value.second and not value.microsecond:
        return value.isoformat(timespec="minutes")
    fits = "microseconds" if value.microsecond % 1000 else "milliseconds"
    return value.isoformat(timespec=fits if value.microsecond else "seconds")


def _timestamp_text(value: datetime, precision: int) -> str:
    """Return a timestamp as Paimon's cast to a text: zeros beyond the precision are left out."""
    fraction = f"{value.microsecond:06d}000"
    digits = max(precision, len(fraction.rstrip("0")))
    return value.isoformat(" ", "seconds") + (f".{fraction[:digits]}" if digits else "")


def _is_blank(text: str) -> bool:
    """Return whether a text is empty or has only what Java counts as white space."""
    return all(each.isspace() and each not in _NO_SPACE_IN_JAVA for each in text)


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)
