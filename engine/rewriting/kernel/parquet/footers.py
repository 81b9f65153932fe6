"""Parquet footers: reading of an input's column chunks, and writing of a spliced output's footer.

Field numbers are those of `parquet.thrift`. Only fields that splicing uses are named here; a chunk that Arrow encoded
keeps all other metadata. Recomputed for every output: offsets, sizes, counts, `created_by`. Never copied: page indexes,
bloom filters, sorting columns, size statistics, key-values of a chunk.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.thrift import BINARY, I32, I64, LIST, STRUCT, MalformedStruct, Struct

CREATED_BY: Final = b"packhouse version 1.0.0"
"""`<name> version <number>`: readers that can't parse it distrust the statistics of strings."""

CREATED_AS_PARQUET_MR: Final = b"parquet-mr version 1.13.1 (build packhouse)"
"""For INT96 timestamps of parquet-mr: Hive (`hive.parquet.timestamp.skip.conversion`), Impala and Spark
(`int96TimestampConversion`) convert time zones, or not, by this prefix. Readers know no fault of this version."""

CODECS: Final = {"uncompressed": 0, "snappy": 1, "gzip": 2, "brotli": 4, "zstd": 6, "lz4": 7}
"""Numbers of the codecs by Packhouse's names; `lz4` is LZ4_RAW; the framed LZ4 (5) of old files is different."""

DICTIONARY_ENCODINGS: Final = frozenset({2, 8})
TYPES: Final = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
FLOATS: Final = frozenset({4, 5})
"""Numbers of the physical types FLOAT and DOUBLE."""

MAGIC: Final = b"PAR1"
_MOST_ORDINAL: Final = 32767

_VERSION, SCHEMA, _ROWS, ROW_GROUPS, KEY_VALUES, WRITER, ORDERS = 1, 2, 3, 4, 5, 6, 7  # of FileMetaData
# SchemaElement
ELEMENT_TYPE, ELEMENT_LENGTH, REPETITION, NAME, CHILDREN, FIELD_ID = 1, 2, 3, 4, 5, 9
# RowGroup
COLUMNS, _GROUP_BYTES, _GROUP_ROWS, _GROUP_OFFSET, _GROUP_STORED, _ORDINAL = 1, 2, 3, 5, 6, 7
_FILE_PATH, _CHUNK_OFFSET, METADATA = 1, 2, 3  # of ColumnChunk
COLUMN_INDEX: Final = (6, 7)
"""Place and length of the bounds of a chunk's pages."""

# ColumnMetaData
TYPE, _ENCODINGS, PATH, _CODEC, _VALUES, _UNCOMPRESSED, _STORED = 1, 2, 3, 4, 5, 6, 7
_DATA_OFFSET, _DICTIONARY_OFFSET, STATISTICS, _ENCODING_STATS = 9, 11, 12, 13
_SIZE_STATISTICS: Final = 16
_KEY, _VALUE = 1, 2  # of KeyValue
_ARROW_SCHEMA: Final = b"ARROW:schema"
_REPETITIONS, _DEFINITIONS = 2, 3  # of SizeStatistics

_REQUIRED: Final = frozenset({TYPE, _ENCODINGS, PATH, _CODEC, _VALUES, _UNCOMPRESSED, _STORED, _DATA_OFFSET})
_SIZES_AND_PLACES: Final = (_VALUES, _UNCOMPRESSED, _STORED, _DATA_OFFSET, _DICTIONARY_OFFSET)


class Chunk(NamedTuple):
    """A column chunk: the location and content of its pages. Sizes in bytes, page headers included.

    A tuple, because a task has tens of thousands, and a frozen dataclass takes four times as long to make.

    `order_is_known`: bounds in `statistics` use the order of the column's type.
    """

    physical_type: int
    start: int
    stored_bytes: int
    uncompressed_bytes: int
    values: int
    codec: int
    encodings: frozenset[int]
    has_dictionary: bool
    statistics: Struct | None
    order_is_known: bool


class InputFooter:
    """The footer of one input."""

    COMMON: Final = (SCHEMA, KEY_VALUES, ORDERS)
    """Lists that are seldom different in the inputs of a group."""

    def __init__(self, data: bytes, recall: thrift.Recall | None = None) -> None:
        """Parse a footer, `COMMON` fields by `recall`. Raises MalformedStruct when it lacks a required field."""
        found = (recall or thrift.Recall()).read_struct(data)
        try:
            self.rows = int(found[_ROWS][1])
            self.schema = (found[SCHEMA], found.get(KEY_VALUES))
            """The metadata from which Arrow derives a file's schema; equal for files of one schema."""
            self._groups: list[Struct] = found[ROW_GROUPS][1][1]
        except (KeyError, IndexError, TypeError) as error:
            raise MalformedStruct(f"the footer lacks a field: {error}") from error
        self.row_groups = len(self._groups)
        self._created_by = found.get(WRITER)
        self._orders: list[Struct] = found[ORDERS][1][1] if ORDERS in found else []

    @property
    def is_encrypted(self) -> bool:
        """Whether a column chunk of a complete footer has a key (field 8) or encrypted metadata (9)."""
        return any(8 in chunk or 9 in chunk for group in self._groups for chunk in group[COLUMNS][1][1])  # noqa: PLR2004

    def chunk(self, row_group: int, leaf: int) -> Chunk | None:
        """Return a column chunk; None when its pages are in another file or its metadata lacks a field."""
        try:
            outer = self._groups[row_group][COLUMNS][1][1][leaf]
            return None if _FILE_PATH in outer else _chunk(outer[METADATA][1], self.order_is_known(leaf))
        except (KeyError, IndexError, TypeError, AttributeError):
            return None

    def is_complete(self, row_group: int, columns: Sequence[tuple[str, int, int]]) -> bool:
        """Return whether a row group has a chunk for each column, with metadata that Arrow accepts.

        `columns` are physical type, greatest definition and greatest repetition level of each column.
        """
        try:
            chunks = [one[METADATA][1] for one in self._groups[row_group][COLUMNS][1][1]]
            return len(chunks) == len(columns) and all(map(_is_complete, chunks, columns))
        except (KeyError, IndexError, TypeError, AttributeError):
            return False

    def bare(self, row_group: int, columns: Sequence[tuple[int, "BareElement"]]) -> bytes:
        """Return metadata of a file with one row group: chunks at their locations, under other schema elements.

        `columns` are the leaf of each chunk and its element. Without logical types Arrow returns values as stored.
        `created_by` is kept: readers recognise the faults of some writers by it.
        """
        group = self._groups[row_group]
        found = group[COLUMNS][1][1]
        chunks = [_bare(found[leaf][METADATA][1], element.name) for leaf, element in columns]
        rows = group[_GROUP_ROWS]
        bare_group: Struct = {COLUMNS: (LIST, (STRUCT, chunks)), _GROUP_BYTES: (I64, 0), _GROUP_ROWS: rows}
        made: Struct = {
            _VERSION: (I32, 2),
            SCHEMA: (LIST, (STRUCT, [_bare_root(len(columns)), *(element.written for _, element in columns)])),
            _ROWS: rows,
            ROW_GROUPS: (LIST, (STRUCT, [bare_group])),
        }
        if self._created_by is not None:
            made[WRITER] = self._created_by
        return framed(thrift.write_struct(made))

    def order_is_known(self, leaf: int) -> bool:  # noqa: D102 - see `Chunk`
        return leaf < len(self._orders) and 1 in self._orders[leaf]


def _chunk(metadata: Struct, order_is_known: bool) -> Chunk:
    encodings = frozenset(metadata[_ENCODINGS][1][1])
    dictionary = metadata[_DICTIONARY_OFFSET][1] if _DICTIONARY_OFFSET in metadata else 0
    has_dictionary = dictionary > 0 or not encodings.isdisjoint(DICTIONARY_ENCODINGS)
    start = metadata[_DATA_OFFSET][1]
    return Chunk(
        physical_type=metadata[TYPE][1],
        start=min(start, dictionary) if dictionary > 0 else start,
        stored_bytes=metadata[_STORED][1],
        uncompressed_bytes=metadata[_UNCOMPRESSED][1],
        values=metadata[_VALUES][1],
        codec=metadata[_CODEC][1],
        encodings=encodings,
        has_dictionary=has_dictionary,
        statistics=metadata[STATISTICS][1] if STATISTICS in metadata else None,
        order_is_known=order_is_known,
    )


def _is_complete(metadata: Struct, column: tuple[str, int, int]) -> bool:
    """Return whether the required fields exist with the right type, and histograms have an entry for each level."""
    if not metadata.keys() >= _REQUIRED or TYPES[metadata[TYPE][1]] != column[0]:
        return False
    sizes: Struct = metadata[_SIZE_STATISTICS][1] if _SIZE_STATISTICS in metadata else {}
    histograms = zip((_DEFINITIONS, _REPETITIONS), column[1:], strict=True)
    return all(field not in sizes or len(sizes[field][1][1]) in {0, most + 1} for field, most in histograms)


@dataclass(frozen=True, slots=True)
class BareElement:
    """A flat column of a bare footer: its name, and its serialised schema element without id or logical type."""

    name: bytes
    written: bytes


def _bare(metadata: Struct, name: bytes) -> bytes:
    """Return the ColumnChunk of a leaf with the required fields; most chunks of a leaf begin with equal bytes."""
    head = _bare_head(metadata[TYPE][1], tuple(metadata[_ENCODINGS][1][1]), name, metadata[_CODEC][1])
    rest = {field: metadata[field] for field in _SIZES_AND_PLACES if field in metadata}
    return _CHUNK_HEAD + thrift.write_rest(head, _CODEC, rest) + b"\0"


_CHUNK_HEAD: Final = thrift.write_struct({_CHUNK_OFFSET: (I64, 0), METADATA: (STRUCT, b"")})[:-1]


@lru_cache(maxsize=1024)
def _bare_head(physical_type: int, encodings: tuple[int, ...], name: bytes, codec: int) -> bytes:
    return thrift.write_struct(
        {
            TYPE: (I32, physical_type),
            _ENCODINGS: (LIST, (I32, list(encodings))),
            PATH: (LIST, (BINARY, [name])),
            _CODEC: (I32, codec),
        }
    )


def _bare_root(children: int) -> Struct:
    return {NAME: (BINARY, b"root"), CHILDREN: (I32, children)}


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A column chunk of an output before its location is known: `metadata` has offsets from its first byte."""

    metadata: Struct
    stored_bytes: int
    uncompressed_bytes: int

    @staticmethod
    def encoded(footer: bytes) -> list[tuple["NewChunk", int]]:
        """Return the chunks of a file that Arrow encoded (with one row group), and the start offset of each."""
        found, _ = thrift.read_struct(footer)
        made = []
        for column in found[ROW_GROUPS][1][1][0][COLUMNS][1][1]:
            metadata: Struct = dict(column[METADATA][1])
            start = _chunk(metadata, order_is_known=True).start
            for field in (_DATA_OFFSET, _DICTIONARY_OFFSET):
                if field in metadata:
                    metadata[field] = (I64, metadata[field][1] - start)
            made.append((NewChunk(metadata, metadata[_STORED][1], metadata[_UNCOMPRESSED][1]), start))
        return made

    @staticmethod
    def copied(pieces: Sequence[Chunk], *, pages: Mapping[tuple[int, int], int]) -> "NewChunk":
        """Return the concatenation of these chunks; `pages` counts their pages by (page type, encoding)."""
        return NewChunk.of(
            pieces[0]._replace(
                encodings=frozenset().union(*(one.encodings for one in pieces)),
                values=sum(one.values for one in pieces),
                uncompressed_bytes=sum(one.uncompressed_bytes for one in pieces),
                stored_bytes=sum(one.stored_bytes for one in pieces),
            ),
            pages=pages,
        )

    @staticmethod
    def of(chunk: Chunk, *, pages: Mapping[tuple[int, int], int], dictionary_bytes: int = 0) -> "NewChunk":
        """Return a chunk without statistics from its facts; its first `dictionary_bytes` are the dictionary page."""
        counts = [{1: (I32, kind), 2: (I32, encoding), 3: (I32, n)} for (kind, encoding), n in sorted(pages.items())]
        metadata: Struct = {
            TYPE: (I32, chunk.physical_type),
            _ENCODINGS: (LIST, (I32, sorted(chunk.encodings))),
            _CODEC: (I32, chunk.codec),
            _VALUES: (I64, chunk.values),
            _UNCOMPRESSED: (I64, chunk.uncompressed_bytes),
            _STORED: (I64, chunk.stored_bytes),
            _DATA_OFFSET: (I64, dictionary_bytes),
            _ENCODING_STATS: (LIST, (STRUCT, counts)),
        }
        if dictionary_bytes:
            metadata[_DICTIONARY_OFFSET] = (I64, 0)
        return NewChunk(metadata, chunk.stored_bytes, chunk.uncompressed_bytes)

    @property
    def statistics(self) -> Struct:
        """Its statistics, empty without any."""
        found: Struct = self.metadata[STATISTICS][1] if STATISTICS in self.metadata else {}
        return found

    def with_statistics(self, statistics: Struct) -> "NewChunk":
        """Return the chunk with these statistics; without any if they are empty."""
        other = {field: value for field, value in self.metadata.items() if field != STATISTICS}
        return replace(self, metadata=other | ({STATISTICS: (STRUCT, statistics)} if statistics else {}))

    def placed(self, offset: int, path: Sequence[bytes]) -> Struct:
        """Return the ColumnChunk of a chunk whose first byte is at `offset` of the output."""
        metadata = self.metadata | {PATH: (LIST, (BINARY, list(path)))}
        for field in (_DATA_OFFSET, _DICTIONARY_OFFSET):
            if field in metadata:
                metadata[field] = (I64, metadata[field][1] + offset)
        return {_CHUNK_OFFSET: (I64, 0), METADATA: (STRUCT, metadata)}


class FooterTemplate:
    """The common part of the footers of a task's outputs, from a footer that Arrow wrote for their schema."""

    def __init__(self, footer: bytes) -> None:
        self._fields, _ = thrift.read_struct(footer)
        self.paths = list(leaf_paths(self._fields[SCHEMA][1][1]))
        self._leaves = [one for one in self._fields[SCHEMA][1][1] if CHILDREN not in one]

    def physical_type(self, leaf: int) -> int:
        """Return the number of a leaf's physical type."""
        return int(self._leaves[leaf][ELEMENT_TYPE][1])

    def bare_element(self, leaf: int, *, is_required: bool) -> BareElement:
        """Return the element of a flat column, unchanged or required; its name is its number."""
        element, name = self._leaves[leaf], str(leaf).encode()
        kept = {field: element[field] for field in (ELEMENT_TYPE, ELEMENT_LENGTH, REPETITION) if field in element}
        repetition: Struct = {REPETITION: (I32, 0)} if is_required else {}
        return BareElement(name, thrift.write_struct(kept | repetition | {NAME: (BINARY, name)}))

    def footer(self, row_groups: Sequence[Struct], key_values: Mapping[str, str], created_by: bytes) -> Struct:
        """Return the metadata of a file."""
        made = self._fields | {
            _ROWS: (I64, sum(one[_GROUP_ROWS][1] for one in row_groups)),
            ROW_GROUPS: (LIST, (STRUCT, list(row_groups))),
            WRITER: (BINARY, created_by),
        }
        made.pop(KEY_VALUES, None)
        if key_values:
            entries = [{_KEY: (BINARY, k.encode()), _VALUE: (BINARY, v.encode())} for k, v in key_values.items()]
            made[KEY_VALUES] = (LIST, (STRUCT, entries))
        return made


def without_arrow_schema(footer: Struct) -> Struct:
    """Return a file's metadata without the Arrow schema that Arrow's writers add to it."""
    if KEY_VALUES not in footer:
        return footer
    kept = [entry for entry in footer[KEY_VALUES][1][1] if entry.get(_KEY, (BINARY, b""))[1] != _ARROW_SCHEMA]
    return footer | {KEY_VALUES: (LIST, (STRUCT, kept))}


def framed(metadata: bytes) -> bytes:
    """Return metadata in the form at the end of a file: followed by its length and the magic."""
    return metadata + len(metadata).to_bytes(4, "little") + MAGIC


def row_group(chunks: Sequence[tuple[NewChunk, Struct]], *, rows: int, offset: int, ordinal: int) -> Struct:
    """Return the RowGroup of chunks and their places, the first of which begins at `offset`."""
    made: Struct = {
        COLUMNS: (LIST, (STRUCT, [placed for _, placed in chunks])),
        _GROUP_BYTES: (I64, sum(one.uncompressed_bytes for one, _ in chunks)),
        _GROUP_ROWS: (I64, rows),
        _GROUP_OFFSET: (I64, offset),
        _GROUP_STORED: (I64, sum(one.stored_bytes for one, _ in chunks)),
    }
    if ordinal <= _MOST_ORDINAL:
        made[_ORDINAL] = (thrift.I16, ordinal)
    return made


def leaf_paths(elements: Sequence[Struct]) -> Iterator[list[bytes]]:
    """Yield the path of each leaf from the flattened tree, without the root."""
    open_groups: list[list[Any]] = [[elements[0][CHILDREN][1], None]]
    for element in elements[1:]:
        while not open_groups[-1][0]:
            open_groups.pop()
        open_groups[-1][0] -= 1
        name = element[NAME][1]
        if CHILDREN in element:
            open_groups.append([element[CHILDREN][1], name])
        else:
            yield [*(group for _, group in open_groups[1:]), name]
