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

from engine.rewriting.kernel.errors import ENCRYPTED_FILE, InputFault, Refused
from engine.rewriting.kernel.library.known_footers import KnownFooter, KnownFooters
from engine.rewriting.kernel.library.loading import load
from engine.rewriting.kernel.parquet.encodings import dictionary_leaves
from engine.rewriting.kernel.parquet.footers import MAGIC, InputFooter
from engine.rewriting.kernel.parquet.thrift import MalformedStruct, Recall
from engine.rewriting.kernel.reading.arrow_errors import reading
from engine.rewriting.kernel.reading.column_numbers import FooterNumbers
from engine.rewriting.kernel.reading.fetched_input import END_BYTES, FetchedInput, Segments, piece_of, signed_bytes
from engine.rewriting.kernel.storage.transfer import Transfer

GAP_BYTES: Final = 2**20
"""Columns with at most this gap between them are fetched with one request."""

MOST_STRUCTS: Final = 2**16
"""Limit of a list in a footer: Thrift makes as many structs of 600 bytes as are claimed before it reads one."""


Form = tuple[str, int, int]  # physical type, greatest definition and greatest repetition level of a column


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

    def __init__(self, *, uses_library: bool = False) -> None:
        self.recall = Recall(InputFooter.COMMON)
        self.footers = KnownFooters(load()[0] if uses_library else None)
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
    """An open input. Arrow opens it when it is first needed, at once if the footer is not a known one."""

    def __init__(self, fetched: FetchedInput, *, dictionaries: Sequence[str], footer: KnownFooter | None) -> None:
        self.uri = fetched.source.uri
        self._source = fetched.source
        self.is_whole = fetched.is_whole
        self._pieces = _Pieces(fetched.size, fetched.segments)
        self._metadata: Any = None
        self._row_groups: list[tuple[int, int]] | None = None
        self.footer: InputFooter | KnownFooter
        if footer is not None:
            self.footer = footer
        self.select_dictionaries(dictionaries)

    @staticmethod
    def _unknown(
        fetched: FetchedInput, dictionaries: Sequence[str], numbers: FooterNumbers | None, known: KnownSchemas
    ) -> "ParquetInput":
        made = ParquetInput(fetched, dictionaries=dictionaries, footer=None)
        signed = signed_bytes(made.uri, fetched.segments, fetched.size)
        metadata: Any = made.metadata
        if signed > metadata.serialized_size:
            # Arrow ends the whole process when the metadata of an encrypted column is looked at: see before.
            raise Refused(ENCRYPTED_FILE, f"{made.uri}: the footer is signed")
        data = fetched.footer.to_pybytes()
        is_numbered = numbers is not None and numbers.applies_to(made.schema)
        if numbers is not None and is_numbered:
            data = made._numbered(data, numbers, dictionaries)
        made.footer = _complete_footer(made.uri, data, made.metadata, known)
        if not is_numbered:
            known.footers.learn(data, made.footer, known.forms(made.footer, made.metadata))
        return made

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

        `known` is shared by inputs that are probably alike. Raises as `FetchedInput.of` and `open_all`.
        """
        fetched = FetchedInput.of(uri, transfer, expected_bytes)
        return ParquetInput.open_all([fetched], [numbers], dictionaries, known or KnownSchemas())[0]

    @staticmethod
    def open_all(
        fetched: Sequence[FetchedInput],
        numbers: Sequence[FooterNumbers | None],
        dictionaries: Sequence[str],
        known: KnownSchemas,
    ) -> "list[ParquetInput]":
        """Return fetched files with their footers, those of known schemas read together.

        Raises:
            InputFault: corrupt.
            Refused: `encrypted_file`, `unreadable_layout`.
        """
        is_simple = [one.is_whole and own is None for one, own in zip(fetched, numbers, strict=True)]
        made: list[ParquetInput] = []
        found: list[KnownFooter | None] = []
        for at, (one, own) in enumerate(zip(fetched, numbers, strict=True)):
            if at == 0 or (at == 1 and found[0] is None):  # the first may be the one that makes the others known
                rest = [each.footer for each, simple in zip(fetched[at:], is_simple[at:], strict=True) if simple]
                read = iter(known.footers.read(rest))
                found[at:] = [next(read) if simple else None for simple in is_simple[at:]]
            footer = found[at]
            if footer is not None:
                made.append(ParquetInput(one, dictionaries=dictionaries, footer=footer))
                continue
            try:
                made.append(ParquetInput._unknown(one, dictionaries, own, known))
            except BaseException:
                one.source.close()
                raise
        return made

    def select_dictionaries(self, columns: Sequence[str]) -> None:
        """Read these string columns (dotted paths), if present, as dictionaries."""
        self._file: Any = None
        self._schema: pa.Schema | None = None
        self.dictionaries = list(columns)

    def _opened(self) -> Any:
        """Return the file as Arrow reads it. Raises InputFault, Refused."""
        if self._file is None:
            with reading(self.uri):
                self._file = self._parquet_file(self._metadata, self.dictionaries)
                self._metadata = self._file.metadata
        return self._file

    @property
    def metadata(self) -> Any:
        """Its footer as Arrow reads it. Raises as `decode`."""
        if self._metadata is None:
            self._opened()
        return self._metadata

    @property
    def row_groups(self) -> list[tuple[int, int]]:
        """Rows, and bytes before compression, of each row group."""
        if isinstance(self.footer, KnownFooter):
            return self.footer.groups
        if self._row_groups is None:
            groups = map(self.metadata.row_group, range(self.metadata.num_row_groups))
            self._row_groups = [(group.num_rows, group.total_byte_size) for group in groups]
        return self._row_groups

    @property
    def dictionary_leaves(self) -> list[bool]:
        """For each leaf column whether it is dictionary-coded."""
        if isinstance(self.footer, KnownFooter):
            return self.footer.dictionary_leaves
        return dictionary_leaves(self.metadata)

    @property
    def schema(self) -> pa.Schema:
        """Its Arrow schema, with `dictionaries` read as dictionaries."""
        if self._schema is None:
            with reading(self.uri):
                self._schema = self._opened().schema_arrow
        return self._schema

    def _numbered(self, footer: bytes, numbers: FooterNumbers, dictionaries: Sequence[str]) -> bytes:
        """Read the file under a footer with other field ids, and return that footer's metadata."""
        try:
            numbered = numbers.numbered(footer)
        except (MalformedStruct, LookupError, TypeError) as error:
            raise InputFault(f"{self.uri}: its footer is damaged: {error}") from error
        with reading(self.uri):
            self._metadata = pq.read_metadata(pa.BufferReader(MAGIC + numbered))
        self.select_dictionaries(dictionaries)
        return numbered[:-END_BYTES]

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
            table = self._opened().reader.read_row_group(row_group, column_indices=list(leaves), use_threads=False)
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
        expected, _ = self.row_groups[row_group]
        if table.num_rows != expected:
            raise InputFault(f"{self.uri}: row group {row_group} has {table.num_rows} rows, its footer says {expected}")
        if not all(_has_its_words(chunk) for column in table.columns for chunk in column.chunks):
            raise InputFault(f"{self.uri}: row group {row_group} has indices past their dictionary")
        return table

    def close(self) -> None:
        """Close the file; nothing more can be fetched, fetched segments can still be decoded."""
        self._source.close()


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
