"""Read one file of an inventory, CSV or Parquet, and select its rows of files below a table's location.

Columns are found by their names; upper case and underscores do not matter:

- `bucket`, `key`, `size`, `last_modified_date`, as S3 Inventory writes them. Keys in CSV are URL-encoded.
  Rows with `is_latest` false or `is_delete_marker` true are left out.
- `path`, `size`, `modified`; a path is a whole address, such as `s3://lake/t/a.parquet`, and never encoded.

CSV has these names in its first line, or the manifest of S3 Inventory states them. Without either it has exactly the
columns bucket, key, size, last_modified_date. Times are timestamps, or ISO 8601 as text, in UTC. A file whose size or
time is empty is never old enough to be an orphan.

What a file may hold is limited by its stored size (`inventory_files`): it names each object once.

Memory: a few batches of 16 MiB, and of Parquet the stored columns of one row group.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from engine.formats.iceberg.removal.inventories.files import CountedFile, HeldParts, Inflated, footer_of
from engine.formats.iceberg.removal.inventories.url_encoding import url_decoded
from engine.formats.intake.limits import Malformed
from engine.formats.intake.parquet.footers import CheckedFile, opened_by
from engine.formats.intake.parquet.pages import CheckedPages, check_flat, check_rows, pages_of, rows_at_once
from engine.formats.removal.listings import FOUND
from engine.rewriting.kernel.storage.places import normalise_uri
from engine.rewriting.kernel.storage.stores.addresses import address_of

S3_COLUMNS: Final = ("bucket", "key", "size", "lastmodifieddate")
PLAIN_COLUMNS: Final = ("path", "size", "modified")
ENDINGS: Final = (".parquet", ".csv", ".csv.gz")
_FLAGS: Final = ("islatest", "isdeletemarker")
_NEVER_OLD: Final = 2**63 - 1
_LATEST_US: Final = 253_402_300_799_999_999  # the end of the year 9999
_LONGEST_NAME: Final = 4096
_LONGEST_LINE: Final = 64 * 2**10
_READ_BYTES: Final = 8 * 2**20
_BLOCK_BYTES: Final = 4 * 2**20
_BATCH_BYTES: Final = 16 * 2**20
_GROUP_BYTES: Final = 256 * 2**20
_HEAD: Final = r"(?i)^(?P<head>(?:file:)?/+|[a-z][a-z0-9+.-]*://[^/]*)"
"""The part of a URI before its path."""


class RowsBelow:
    """Selects the rows of files below a location; paths are spelled like the location."""

    def __init__(self, location: str) -> None:
        self._base = location.rstrip("/")
        address = address_of(self._base)
        self._bucket, folder = address.place.partition("@")[0], address.path.strip("/")
        self._key = f"{folder}/" if folder else ""
        self._path = f"{normalise_uri(self._base)}/"

    def of(self, rows: pa.Table, *, is_encoded: bool) -> pa.Table:
        """Return the files, with the schema `FOUND`; `is_encoded`: keys are URL-encoded. Raises Malformed."""
        if "islatest" in rows.column_names:
            rows = rows.filter(_flags(rows["islatest"], default=True))
        if "isdeletemarker" in rows.column_names:
            rows = rows.filter(pc.invert(_flags(rows["isdeletemarker"], default=False)))
        is_of_s3 = "key" in rows.column_names
        if is_of_s3:
            rows = rows.filter(pc.equal(rows["bucket"].cast(pa.string()), self._bucket))
        names, start = (rows["key"], self._key) if is_of_s3 else (rows["path"], self._path)
        names = names.cast(pa.string())
        if is_of_s3 and is_encoded:
            names = pa.chunked_array([url_decoded(each) for each in names.chunks], pa.string())
        if not is_of_s3:
            names = _normalised(names)
        is_below = pc.fill_null(pc.starts_with(names, start), fill_value=False)
        below = pc.utf8_slice_codeunits(names.filter(is_below), len(start))
        rows = rows.filter(is_below)
        paths = pc.binary_join_element_wise(self._base, below, "/")
        sizes, times = _sizes(rows["size"]), _times(rows["lastmodifieddate" if is_of_s3 else "modified"])
        times = pc.if_else(pc.is_null(sizes), _NEVER_OLD, pc.fill_null(times, _NEVER_OLD))
        return pa.table([paths, pc.fill_null(sizes, 0), times], schema=FOUND)


def _normalised(paths: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return paths with the canonical form of their schemes and authorities, which few of them differ in."""
    heads = pc.struct_field(pc.extract_regex(paths, _HEAD), "head")
    rest = pc.replace_substring_regex(paths, _HEAD, "", max_replacements=1)
    distinct = heads.unique()
    canonical = pa.array([each and _canonical_head(each) for each in distinct.to_pylist()], pa.string())
    return pc.binary_join_element_wise(canonical.take(pc.index_in(heads, value_set=distinct)), rest, "")


def _canonical_head(head: str) -> str:
    return "file:/" if head.lower().strip("/") in ("", "file:") else normalise_uri(head)


def rows_of(stream: io.RawIOBase, name: str, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    """Yield the rows of a file; columns have the names of `S3_COLUMNS` or `PLAIN_COLUMNS`.

    Args:
        stream: the content, open for reading; seekable for Parquet.
        name: the file's name, with one of `ENDINGS`.
        columns: the names of the columns of a CSV file without a first line of names.

    Raises:
        Malformed, EOFError, OSError, ValueError: the content is damaged, or has other columns.
    """
    if name.endswith(".parquet"):
        return _parquet(stream)
    stored = CountedFile(stream)
    text: Any = io.BufferedReader(stored, _READ_BYTES)
    if name.endswith(".gz"):
        text = io.BufferedReader(Inflated(text, stored), _BLOCK_BYTES)
    return _limited(_csv(text, columns), stored)


def _limited(tables: Iterator[pa.Table], stored: CountedFile) -> Iterator[pa.Table]:
    """Yield the rows of a file, as many as there can be in the bytes that were read of it."""
    rows = 0
    for each in tables:
        rows += each.num_rows
        check_rows(rows, stored.bytes_read)
        yield each


def plain_name(name: str) -> str:
    """Return the name of a column in lower case, without underscores and spaces at its ends."""
    return name.strip().lower().replace("_", "")


def _wanted(names: Sequence[str]) -> list[str] | None:
    """Return those of the columns of a file that are read; None if it does not have all that are needed."""
    for needed in (S3_COLUMNS, PLAIN_COLUMNS):
        wanted = [*needed, *(each for each in _FLAGS if each in names)]
        if all(names.count(each) == 1 for each in wanted):
            return wanted
    return None


def _other_columns() -> Malformed:
    return Malformed("it lacks columns: bucket, key, size, last_modified_date, or path, size, modified, are needed")


def _parquet(stream: io.RawIOBase) -> Iterator[pa.Table]:
    footer, stored_bytes = footer_of(stream)
    held = HeldParts(stream)
    options: dict[str, Any] = {"pre_buffer": False, "buffer_size": _BLOCK_BYTES, "coerce_int96_timestamp_unit": "us"}
    checked = opened_by(footer, held, **options)
    parquet = checked.parquet
    check_rows(parquet.metadata.num_rows, stored_bytes)
    stored = parquet.schema_arrow.names
    plain = [plain_name(each) for each in stored]
    wanted = _wanted(plain)
    if wanted is None:
        raise _other_columns()
    columns = [stored[plain.index(each)] for each in wanted]
    leaves = [at for at in range(parquet.metadata.num_columns) if parquet.schema.column(at).path in columns]
    if len(leaves) != len(columns):
        raise Malformed("its columns have fields of their own")
    waiting: list[pa.RecordBatch] = []
    size = 0
    for number in range(parquet.num_row_groups):
        pages = _held_pages(checked, number, leaves, held)
        for batch in parquet.iter_batches(rows_at_once(pages), [number], columns, use_threads=False):
            waiting.append(batch)
            size += batch.nbytes
            if size >= _BATCH_BYTES:
                yield _checked(pa.Table.from_batches(waiting).select(columns).rename_columns(wanted))
                waiting, size = [], 0
    if waiting:
        yield _checked(pa.Table.from_batches(waiting).select(columns).rename_columns(wanted))


def _held_pages(checked: CheckedFile, number: int, leaves: Sequence[int], held: HeldParts) -> CheckedPages:
    """Read the columns of a row group into memory, and return their pages. Raises Malformed."""
    check_flat(checked.parquet, leaves)
    chunks = list(checked.chunks(number, leaves))
    if sum(each.stored_bytes for each in chunks) > _GROUP_BYTES:
        raise Malformed(f"it has a row group of more than {_GROUP_BYTES // 2**20} MiB")
    held.parts, found = {}, CheckedPages()
    for each in chunks:
        found += pages_of(held.hold(each.start, each.stored_bytes), each)
    return found


def _csv(stream: io.BufferedReader, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    names, is_first_named = ([*columns], False) if columns is not None else _first_line(stream)
    wanted = _wanted(names)
    if wanted is None:
        raise _other_columns()
    unique = [each if each in wanted else f"{number}" for number, each in enumerate(names)]
    types = {each: pa.int64() if each == "size" else pa.string() for each in wanted}
    reader = pv.open_csv(
        stream,
        read_options=pv.ReadOptions(
            use_threads=False, block_size=_BLOCK_BYTES, column_names=unique, skip_rows=int(is_first_named)
        ),
        convert_options=pv.ConvertOptions(
            include_columns=wanted, column_types=types, null_values=[""], strings_can_be_null=True
        ),
    )
    for batch in reader:
        yield _checked(pa.Table.from_batches([batch]))


def _first_line(stream: io.BufferedReader) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether the first line has them."""
    line = stream.peek(_LONGEST_LINE)[:_LONGEST_LINE].partition(b"\n")[0].decode("utf-8-sig", "replace")
    values = next(csv.reader([line.rstrip("\r")]), [])
    names = [plain_name(each) for each in values]
    if _wanted(names) is not None:
        return names, True
    if len(values) != len(S3_COLUMNS):
        raise _other_columns()
    return list(S3_COLUMNS), False


def _checked(rows: pa.Table) -> pa.Table:
    """Return the rows if no text is long: what follows makes several copies of it. Raises Malformed."""
    for column in rows.columns:
        for chunk in (each.dictionary if pa.types.is_dictionary(column.type) else each for each in column.chunks):
            is_text = pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)
            if is_text and (pc.max(pc.binary_length(chunk)).as_py() or 0) > _LONGEST_NAME:
                raise Malformed(f"it has a value of more than {_LONGEST_NAME} bytes")
    return rows


def _flags(values: pa.ChunkedArray, *, default: bool) -> pa.ChunkedArray:
    if not pa.types.is_boolean(values.type):
        values = pc.utf8_lower(values.cast(pa.string())).cast(pa.bool_())
    return pc.fill_null(values, default)


def _sizes(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_integer(values.type):
        raise Malformed("its sizes are not whole numbers")
    sizes = values.cast(pa.int64())
    if pc.any(pc.less(sizes, 0)).as_py():
        raise Malformed("it has a negative size")
    return sizes


def _times(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times in microseconds since 1970."""
    of: Any = values.type
    if pa.types.is_string(of) or pa.types.is_large_string(of):
        plain = pc.replace_substring_regex(values.cast(pa.string()), r"(?:Z|\+00:?00)$", "")
        times = plain.cast(pa.timestamp("us"))
    elif pa.types.is_timestamp(of):
        times = values.cast(pa.timestamp("us", of.tz), safe=of.unit != "ns")  # fractions of microseconds are cut off
    else:
        raise Malformed("its times are neither timestamps nor text")
    times = times.cast(pa.int64())
    if pc.any(pc.or_(pc.less(times, 0), pc.greater(times, _LATEST_US))).as_py():
        raise Malformed("it has a time before 1970, or after 9999")
    return times
