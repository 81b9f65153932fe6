"""One Parquet file, read row group by row group through the paced transfer.

A small file is fetched whole with one request. For a larger file the tail is read first (one request; two when the
footer is longer), then the wanted columns of one row group at a time, adjacent ones in one request. Arrow decodes from
memory in both cases; it never accesses the storage except through the transfer. Page checksums are verified if present.

`decode` and `fetch` are called by one thread each; `fetch` may run one row group ahead.
"""

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

from engine.rewriting.kernel.errors import ENCRYPTED_FILE, UNREADABLE_LAYOUT, InputFault, Refused
from engine.rewriting.kernel.parquet.footers import MAGIC, InputFooter
from engine.rewriting.kernel.parquet.thrift import MalformedStruct, Recall
from engine.rewriting.kernel.reading.column_numbers import FooterNumbers
from engine.rewriting.kernel.storage.transfer import OpenInput, Transfer

SMALL_FILE_BYTES: Final = 8 * 2**20
"""Files below this size are fetched with one request."""

TAIL_BYTES: Final = 256 * 1024
"""Bytes read from the end of a larger file; most footers fit."""

GAP_BYTES: Final = 2**20
"""Columns with at most this gap between them are fetched with one request."""

MOST_STRUCTS: Final = 2**16
"""Limit of a list in a footer: Thrift makes as many structs of 600 bytes as are claimed before it reads one."""

_ENCRYPTED_MAGIC: Final = b"PARE"
_END_BYTES: Final = 8

Form = tuple[str, int, int]  # physical type, greatest definition and greatest repetition level of a column
Segments = dict[int, pa.Buffer]
"""Fetched pieces of a file by their offset."""


def piece_of(segments: Segments, start: int, length: int) -> pa.Buffer | None:
    """Return `length` bytes of the file from byte `start`, None when they were not fetched (in one piece)."""
    for offset, buffer in segments.items():
        if offset <= start and length >= 0 and start + length <= offset + buffer.size:
            return buffer.slice(start - offset, length)
    return None


class _Pieces:
    """A read-only file object over fetched segments; Arrow can only read fetched bytes."""

    def __init__(self, size: int, segments: Segments) -> None:
        self.closed = False
        self.segments = segments
        self._size = size
        self._at = 0

    def read_buffer(self, length: int) -> pa.Buffer:
        found = piece_of(self.segments, self._at, length)
        if found is None:
            raise OSError(f"bytes {self._at} to {self._at + length} are outside the column chunks of the footer")
        self._at += length
        return found

    def read(self, length: int) -> bytes:
        return bytes(self.read_buffer(length))

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = (0, self._at, self._size)[whence] + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True


class KnownSchemas:
    """The common facts of a task's inputs, read once for all that have the same schema. Thread safe."""

    def __init__(self) -> None:
        self.recall = Recall(InputFooter.COMMON)
        self._forms: tuple[Any, list[Form]] = (None, [])

    def forms(self, footer: InputFooter, metadata: Any) -> "list[Form]":
        """Return the form of each column."""
        schema, forms = self._forms
        if schema is not footer.schema[0]:
            columns = [metadata.schema.column(leaf) for leaf in range(metadata.num_columns)]
            forms = [(one.physical_type, one.max_definition_level, one.max_repetition_level) for one in columns]
            self._forms = footer.schema[0], forms
        return forms


class ParquetInput:
    """An open input: `metadata` is its footer as Arrow reads it."""

    def __init__(
        self,
        *,
        source: OpenInput,
        segments: Segments,
        size: int,
        dictionaries: Sequence[str],
        numbers: FooterNumbers | None = None,
        known: KnownSchemas | None = None,
    ) -> None:
        self.uri = source.uri
        self._source = source
        self.is_whole = 0 in segments
        self._pieces = _Pieces(size, segments)
        signed = _check_end(self.uri, segments, size)
        self.metadata: Any = None
        self.select_dictionaries(dictionaries)
        footer: Any = self.metadata
        if signed > footer.serialized_size:
            # Arrow ends the whole process when the metadata of an encrypted column is looked at: see before.
            raise Refused(ENCRYPTED_FILE, f"{self.uri}: the footer is signed")
        (tail,) = segments.values()
        data = bytes(tail.slice(tail.size - _END_BYTES - signed, signed))
        if numbers is not None and numbers.applies_to(self.schema):
            data = self._numbered(data, numbers, dictionaries)
        self.footer = _complete_footer(self.uri, data, self.metadata, known or KnownSchemas())

    @staticmethod
    def open(
        uri: str,
        transfer: Transfer,
        *,
        expected_bytes: int | None = None,
        dictionaries: Sequence[str] = (),
        numbers: FooterNumbers | None = None,
        known: KnownSchemas | None = None,
    ) -> "ParquetInput":
        """Open a file and read its footer; with `numbers` its columns get field ids by their names.

        `known` is shared by inputs that are probably alike.

        Raises:
            InputFault: missing, truncated, corrupt, or not of the expected size.
            Refused: `encrypted_file`, `unreadable_layout`.
        """
        source = transfer.open(uri, expected_bytes)
        try:
            segments, size = _opening(source, expected_bytes)
            if 0 in segments:
                source.close()  # a group may have thousands of small inputs, and several are held ahead
            return ParquetInput(
                source=source, segments=segments, size=size, dictionaries=dictionaries, numbers=numbers, known=known
            )
        except BaseException:
            source.close()
            raise

    def select_dictionaries(self, columns: Sequence[str]) -> None:
        """Read these string columns (dotted paths), if present, as dictionaries."""
        with reading(self.uri):
            self._file = self._parquet_file(self.metadata, columns)
            self.metadata = self._file.metadata
        self._schema: pa.Schema | None = None
        self.dictionaries = list(columns)

    @property
    def schema(self) -> pa.Schema:
        """Its Arrow schema, with `dictionaries` read as dictionaries."""
        if self._schema is None:
            with reading(self.uri):
                self._schema = self._file.schema_arrow
        return self._schema

    def _numbered(self, footer: bytes, numbers: FooterNumbers, dictionaries: Sequence[str]) -> bytes:
        """Read the file under a footer with other field ids, and return that footer's metadata."""
        try:
            numbered = numbers.numbered(footer)
        except (MalformedStruct, LookupError, TypeError) as error:
            raise InputFault(f"{self.uri}: its footer is damaged: {error}") from error
        with reading(self.uri):
            self.metadata = pq.read_metadata(pa.BufferReader(MAGIC + numbered))
        self.select_dictionaries(dictionaries)
        return numbered[:-_END_BYTES]

    def _parquet_file(self, metadata: Any, dictionaries: Sequence[str]) -> pq.ParquetFile:
        whole = self._pieces.segments.get(0) if self.is_whole else None
        return pq.ParquetFile(
            pa.PythonFile(self._pieces, mode="r") if whole is None else pa.BufferReader(whole),
            metadata=metadata,
            read_dictionary=list(dictionaries) or None,
            pre_buffer=False,
            page_checksum_verification=True,
            thrift_container_size_limit=MOST_STRUCTS,
        )

    def fetch(self, row_group: int, leaves: Sequence[int]) -> Segments:
        """Read the bytes of these leaf columns of one row group. Raises InputFault, Stopped."""
        if self.is_whole:
            return self._pieces.segments
        wanted = sorted(_extent(self.metadata.row_group(row_group).column(leaf)) for leaf in leaves)
        return {start: self._source.read(start, end - start) for start, end in _coalesced(wanted)}

    def decode(self, row_group: int, segments: Segments, leaves: Sequence[int]) -> pa.Table:
        """Return the row group as a table of the top-level fields of these leaves.

        Raises:
            InputFault: corrupt, or with a different number of rows than in the footer.
            Refused: `unreadable_layout`, when Arrow can't decode it; `encrypted_file`.
        """
        with reading(f"{self.uri}: row group {row_group}"):
            self._pieces.segments = segments
            table = self._file.reader.read_row_group(row_group, column_indices=list(leaves), use_threads=False)
        return self._checked(row_group, table)

    def decode_bare(self, row_group: int, segments: Segments, footer: bytes, dictionaries: Sequence[str]) -> pa.Table:
        """Return the columns of another footer (`InputFooter.bare`) for this row group. Raises as `decode`."""
        with reading(f"{self.uri}: row group {row_group}"):
            self._pieces.segments = segments
            file = self._parquet_file(pq.read_metadata(pa.BufferReader(MAGIC + footer)), dictionaries)
            table = file.reader.read_all(use_threads=False)
        return self._checked(row_group, table)

    def _checked(self, row_group: int, table: pa.Table) -> pa.Table:
        if not self.is_whole:
            self._pieces.segments = {}
        expected = self.metadata.row_group(row_group).num_rows
        if table.num_rows != expected:
            raise InputFault(f"{self.uri}: row group {row_group} has {table.num_rows} rows, its footer says {expected}")
        if not all(_has_its_words(chunk) for column in table.columns for chunk in column.chunks):
            raise InputFault(f"{self.uri}: row group {row_group} has indices past their dictionary")
        return table

    def close(self) -> None:
        """Close the file; nothing more can be fetched, fetched segments can still be decoded."""
        self._source.close()


_LACKING: Final = (
    "Not yet implemented",
    "currently not supported by the C++ implementation",
    "is out of range for nanosecond",
)
"""Texts of Arrow's errors for what it does not support, such as LZO in Parquet, and in ORC times before 1677 or after
2262; their class is that of errors for damage."""


class reading:  # noqa: N801 - used as a statement: `with reading(uri):`
    """Context manager that adds the file's name to errors that Arrow raises while reading."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        """Enter the context."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Turn Arrow's errors into kernel errors."""
        if not isinstance(error, pa.ArrowException | OSError | ValueError):
            return
        text = f"{self._where}: {error}"
        if "encrypt" in str(error).lower() or "decrypt" in str(error).lower():
            raise Refused(ENCRYPTED_FILE, text) from error
        if isinstance(error, pa.ArrowNotImplementedError) or any(words in str(error) for words in _LACKING):
            raise Refused(UNREADABLE_LAYOUT, text) from error
        raise InputFault(text) from error


def _opening(source: OpenInput, expected_bytes: int | None) -> tuple[Segments, int]:
    """Return the segments of the first requests (the whole file, or its tail with the footer), and the file's size."""
    size = source.size()
    if expected_bytes not in (None, size):
        raise InputFault(f"{source.uri}: {size} bytes, but the manifest has {expected_bytes}")
    if size < _END_BYTES + len(MAGIC):
        raise InputFault(f"{source.uri}: {size} bytes are not a Parquet file")
    if size < SMALL_FILE_BYTES:
        return {0: source.read(0, size)}, size
    tail = source.read(size - TAIL_BYTES, TAIL_BYTES)
    needed = _footer_length(tail) + _END_BYTES
    if TAIL_BYTES < needed <= size:
        tail = source.read(size - needed, needed)
    return {size - tail.size: tail}, size


def _footer_length(tail: pa.Buffer) -> int:
    return int.from_bytes(bytes(tail[-_END_BYTES:-4]), "little")


def _check_end(uri: str, segments: Segments, size: int) -> int:
    """Return the length of the footer: longer than its metadata if a signature follows (encrypted columns)."""
    (tail,) = segments.values()
    magic, length = bytes(tail[-4:]), _footer_length(tail)
    if magic == _ENCRYPTED_MAGIC:
        raise Refused(ENCRYPTED_FILE, f"{uri}: the footer is encrypted")
    if magic != MAGIC or length + _END_BYTES > size:
        raise InputFault(f"{uri}: no Parquet footer at its end")
    return length


def _complete_footer(uri: str, data: bytes, metadata: Any, known: KnownSchemas) -> InputFooter:
    """Return the footer after checking it field by field: Arrow ends the process on inconsistent chunk metadata."""
    try:
        footer = InputFooter(data, known.recall)
    except MalformedStruct as error:
        raise InputFault(f"{uri}: its footer is damaged: {error}") from error
    if (footer.rows, footer.row_groups) != (metadata.num_rows, metadata.num_row_groups):
        raise InputFault(f"{uri}: its footer is damaged: {footer.rows} rows in {footer.row_groups} row groups")
    for row_group in range(footer.row_groups):
        if not footer.is_complete(row_group, known.forms(footer, metadata)):
            raise InputFault(f"{uri}: its footer is damaged: metadata of a column of row group {row_group}")
    if footer.is_encrypted:
        raise Refused(ENCRYPTED_FILE, f"{uri}: a column is encrypted")
    return footer


def _has_its_words(array: pa.Array) -> bool:
    """Return whether every index is within the dictionary; Arrow returns indices of pages unchecked."""
    if pt.is_struct(array.type):
        return all(map(_has_its_words, array.flatten()))
    if not pt.is_dictionary(array.type) or array.null_count == len(array):
        return True
    bounds = pc.min_max(array.indices)
    return bool(bounds["min"].as_py() >= 0 and bounds["max"].as_py() < len(array.dictionary))


def _extent(column: Any) -> tuple[int, int]:
    """Return the offsets of the first byte of a column chunk and of the byte after its last."""
    start = column.data_page_offset
    if column.has_dictionary_page and 0 < column.dictionary_page_offset < start:
        start = column.dictionary_page_offset
    return start, start + column.total_compressed_size


def _coalesced(extents: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in extents:
        if joined and start - joined[-1][1] <= GAP_BYTES:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
