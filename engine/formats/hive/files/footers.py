"""Footers of Parquet files, read in parallel: rows, columns and the writer of each file."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import structlog

from engine.formats.intake.errors import decoding_bytes, decoding_file, is_refusal, summary_of
from engine.formats.intake.limits import Malformed, check_schema
from engine.formats.intake.overlapping import overlapped
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import framed, without_arrow_schema
from engine.rewriting.kernel.reading.parquet_input import MOST_STRUCTS
from engine.rewriting.kernel.reading.projection import leaf_ids
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.connections import files_of

_log = structlog.get_logger(__name__)

FOOTER_BYTES: Final = 64 * 2**20
"""Limit of one footer."""

_AT_ONCE: Final = 8
_TAIL: Final = 64 * 2**10
_END: Final = 8
_MAGIC: Final = b"PAR1"

INT96: Final = "INT96"
"""The physical type of timestamps of Hive, Impala and Spark."""

SPARK_VERSION: Final = "org.apache.spark.version"
TIME_KEYS: Final = (
    SPARK_VERSION,
    "org.apache.spark.legacyDateTime",
    "org.apache.spark.legacyINT96",
    "org.apache.spark.timeZone",
    "writer.time.zone",
    "writer.date.proleptic",
    "writer.zone.conversion.legacy",
)
"""Key-value metadata by which Spark and Hive choose the calendar and the time zone of a file's dates and timestamps."""

MOST_DIGITS: Final = 18
"""Digits of decimals that fit an INT64."""

_ARROW_SCHEMA: Final = b"ARROW:schema"
_OF_CONVERTED: Final = frozenset({"is_from_converted_type", "force_set_converted_type"})
_PLAIN_INTEGERS: Final = {
    "INT32": {"Type": "Int", "bitWidth": 32, "isSigned": True},
    "INT64": {"Type": "Int", "bitWidth": 64, "isSigned": True},
}


@dataclass(frozen=True, slots=True)
class Stored:
    """The stored form of a leaf column: its physical type, and its logical type as JSON, empty without one."""

    physical_type: str
    logical_type: str

    @property
    def is_decimal(self) -> bool:
        """Whether it is a decimal in any form."""
        return '"Type": "Decimal"' in self.logical_type

    @property
    def is_decimal_in_bytes(self) -> bool:
        """Whether it is a decimal in bytes whose digits would fit an integer."""
        is_bytes = self.is_decimal and not self.physical_type.startswith("INT")
        return is_bytes and bool(json.loads(self.logical_type)["precision"] <= MOST_DIGITS)

    def __str__(self) -> str:
        """Return the form as text, for messages."""
        return f"{self.physical_type} {self.logical_type or 'without a logical type'}"


@dataclass(frozen=True, slots=True)
class Footer:
    """The footer of one file.

    `schema` is without metadata, and as Arrow reads any writer's files: not by the schema that Arrow's writers add.
    `stored`: the leaves of each column of it. `time_keys`: values of `TIME_KEYS`. `created_by`: empty if it has none.
    """

    rows: int
    schema: pa.Schema
    stored: Sequence[Sequence[Stored]] = ()
    time_keys: Mapping[str, str] = field(default_factory=dict)
    created_by: str = ""


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that the store refuses to read, and why."""

    detail: str


def footers_of(files: Sequence[tuple[str, int]], storage: Mapping[str, str]) -> Sequence[Footer | None]:
    """Return the footers of files, each given by path and size, in order; None for a file that is not a Parquet file.

    Callers name such a file in what they report; the log has what is wrong with it.

    Raises:
        OSError: the store does not answer, or a file is gone.
        Refused: the store can't be reached with these properties.
    """
    return list(overlapped(lambda each: _footer(*each, storage), files, at_once=_AT_ONCE))


def footers_or_refusals(
    files: Sequence[tuple[str, int]], storage: Mapping[str, str]
) -> Sequence[Footer | RefusedFile | None]:
    """Return the footers of files as `footers_of` does, and in place of a file that the store refuses, its refusal.

    A store can forbid some files of a table, by rules for names or by keys of encryption that it was not given.

    Raises:
        OSError, Refused: as `footers_of`, except for refusals of single files. Expired credentials are not a refusal.
    """
    return list(overlapped(lambda each: _footer_or_refusal(*each, storage), files, at_once=_AT_ONCE))


def _footer_or_refusal(path: str, size: int, storage: Mapping[str, str]) -> Footer | RefusedFile | None:
    try:
        return _footer(path, size, storage)
    except OSError as error:
        if not is_refusal(error):
            raise
        return RefusedFile(summary_of(error))


def _footer(path: str, size: int, storage: Mapping[str, str]) -> Footer | None:
    try:
        with decoding_file(path):
            return _read(path, size, storage)
    except Malformed as error:
        _log.warning("file_not_parquet", error=str(error))
        return None


def _read(path: str, size: int, storage: Mapping[str, str]) -> Footer:
    address = address_of(path)
    file = files_of(address.kind, address.place, storage).open(address.path, size)
    try:
        start = max(0, size - _TAIL)
        tail = bytes(file.read(start, size - start))
        if tail[-len(_MAGIC) :] != _MAGIC:
            raise Malformed("it does not end as a Parquet file does")
        length = int.from_bytes(tail[-_END : -len(_MAGIC)], "little") + _END
        if length > min(size, FOOTER_BYTES):
            raise Malformed(f"its footer has {length} bytes")
        if length > len(tail):
            tail = bytes(file.read(size - length, length))
    finally:
        file.close()
    with decoding_bytes():
        return footer_in(tail[-length:])


def footer_in(end: bytes) -> Footer:
    """Return the footer in the end of a file: metadata, length, magic.

    Raises:
        Malformed: its columns are not those of its schema, or too many.
    """
    found: Any = _metadata(end)
    check_schema("its schema", fields=found.num_columns, depth=0)
    if _ARROW_SCHEMA in (found.metadata or {}):
        end = _without_arrow_schema(end)
        found = _metadata(end)
    schema = found.schema.to_arrow_schema().remove_metadata()
    values = {name.decode(errors="replace"): value for name, value in (found.metadata or {}).items()}
    return Footer(
        rows=found.num_rows,
        schema=schema,
        stored=list(_stored(schema, found.schema)),
        time_keys={name: values[name].decode(errors="replace") for name in TIME_KEYS if name in values},
        created_by=found.created_by or "",
    )


def _without_arrow_schema(end: bytes) -> bytes:
    try:
        metadata, _ = thrift.read_struct(end[:-_END])
        return framed(thrift.write_struct(without_arrow_schema(metadata)))
    except (LookupError, TypeError, AttributeError) as error:
        raise Malformed("its footer has fields of other types") from error


def _metadata(end: bytes) -> Any:
    file = pq.ParquetFile(pa.BufferReader(_MAGIC + end), thrift_container_size_limit=MOST_STRUCTS)
    return file.metadata


def _stored(schema: pa.Schema, parquet: Any) -> Iterator[Sequence[Stored]]:
    """Yield the leaves of each column."""
    counts = [len(leaf_ids([each])) for each in schema]
    if sum(counts) != len(parquet):
        raise Malformed(f"it has {len(parquet)} columns, but {sum(counts)} leaves in its schema")
    leaves = (parquet.column(at) for at in range(len(parquet)))
    for size in counts:
        yield [_stored_as(each.physical_type, each.logical_type.to_json()) for each in islice(leaves, size)]


@lru_cache(maxsize=1024)
def _stored_as(physical_type: str, logical_type: str) -> Stored:
    """Return a leaf by Arrow's texts; signed integers need no logical type."""
    found: dict[str, Any] = json.loads(logical_type)
    kept = {name: value for name, value in found.items() if name not in _OF_CONVERTED}
    is_plain = kept == {"Type": "None"} or kept == _PLAIN_INTEGERS.get(physical_type)
    return Stored(physical_type, "" if is_plain else json.dumps(kept, sort_keys=True))
