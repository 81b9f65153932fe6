"""Decode manifests to Arrow columns: data manifests as a whole, others entry by entry.

Manifests of data files, and those of deletion vectors, are decoded as a whole (`entry_frames`). Others are read entry
by entry by fastavro, only the fields named here (34,000 to 65,000 entries per second and core). Fields are matched by
field id, independent of the writer's field names. Column statistics are not kept: rewrites (`snapshots`) read the few
manifests they touch in full.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import DataFileContent, ManifestEntryStatus

from engine.formats.iceberg.manifests import entry_ids as ids
from engine.formats.iceberg.manifests.entry_frames import EntryColumns, columns_of
from engine.formats.iceberg.manifests.entry_types import check_types
from engine.formats.iceberg.metadata.partitions import PartitionCodec

ADDED: Final = int(ManifestEntryStatus.ADDED)
DELETED: Final = int(ManifestEntryStatus.DELETED)
EXISTING: Final = int(ManifestEntryStatus.EXISTING)
DATA: Final = int(DataFileContent.DATA)
POSITION_DELETES: Final = int(DataFileContent.POSITION_DELETES)
EQUALITY_DELETES: Final = int(DataFileContent.EQUALITY_DELETES)

ENTRIES: Final = pa.schema(
    [
        pa.field("status", pa.int8(), nullable=False),
        pa.field("snapshot_id", pa.int64()),
        pa.field("sequence_number", pa.int64()),  # data sequence number, inherited if the entry omits it
        pa.field("file_sequence_number", pa.int64()),  # when the file was added; null if an old writer omitted it
        pa.field("content", pa.int8(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("spec_id", pa.int32(), nullable=False),
        pa.field("partition", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("file_format", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("record_count", pa.int64(), nullable=False),
        pa.field("file_bytes", pa.int64(), nullable=False),
        pa.field("row_groups", pa.int32(), nullable=False),  # of Parquet files, from split offsets; 0: unknown
        pa.field("is_encrypted", pa.bool_(), nullable=False),
        pa.field("sort_order_id", pa.int32()),  # null also for a value that is not an id
        pa.field("target", pa.string()),  # the data file of a position-delete file that applies to a single one
        pa.field("first_row_id", pa.int64()),  # of data files of version 3: the `_row_id` of their first row
        pa.field("content_offset", pa.int64()),  # of deletion vectors: where in their Puffin file they begin, and their
        pa.field("content_bytes", pa.int64()),  # size there; both null for other files
        pa.field("is_outside", pa.bool_(), nullable=False),  # of the table's places: the file must not be opened
    ]
)
IS_OUTSIDE: Final = ENTRIES.field("is_outside")
PUFFIN: Final = "puffin"
FIRST_WITH_VECTORS: Final = 3
"""The first version of the format with deletion vectors, which are position deletes in Puffin files."""
DeleteIdentity = tuple[str, int | None, int | None]
"""Path of a delete file and, for a deletion vector, its offset and size: one Puffin file has many vectors."""
WRITTEN: Final = pa.schema([field for field in ENTRIES if field != IS_OUTSIDE])

_ID_LIMIT: Final = 2**31
_FILE_PATH_COLUMN: Final = 2147483546  # reserved field id of `file_path` in position-delete files
_ENTRY_IDS: Final = ids.OF_ENTRY | {ids.DATA_FILE}
_DELETE_IDS: Final = ids.OF_FILE | {ids.LOWER, ids.UPPER, ids.REFERENCED, ids.CONTENT_OFFSET, ids.CONTENT_SIZE}


def read_entries(body: bytes, *, codec: PartitionCodec, with_targets: bool) -> pa.Table:
    """Return the entries of a manifest as written, without `is_outside`; null sequence numbers are to be inherited.

    `body` is the file's content converted by `avro_blocks.readable`.
    """
    written = _written(body)
    if (found := columns_of(body, written, codec=codec, with_targets=with_targets)) is not None:
        return _table(found, codec.spec.spec_id)
    schema, of_entry, of_file = _projection(written, _DELETE_IDS if with_targets else ids.OF_FILE)
    columns = _EntryColumns(codec=codec)
    entries: Iterable[Any] = fastavro.reader(io.BytesIO(body), reader_schema=schema)
    for entry in entries:
        columns.add(entry, of_entry, of_file)
    return columns.table()


def identities(deletes: pa.Table) -> list[DeleteIdentity]:
    """Return the identity of each entry."""
    columns = (deletes[name].to_pylist() for name in ("path", "content_offset", "content_bytes"))
    return list(zip(*columns, strict=True))


def identity_keys(deletes: pa.Table) -> pa.ChunkedArray:
    """Return the identity of each entry as a text, to compare columns of them."""
    places = (pc.fill_null(pc.cast(deletes[name], pa.string()), "") for name in ("content_offset", "content_bytes"))
    return pc.binary_join_element_wise(deletes["path"], *places, "\n")


def are_vectors(deletes: pa.Table) -> pa.ChunkedArray:
    """Return a mask of the deletion vectors: position deletes in Puffin files."""
    is_puffin = pc.equal(pc.cast(deletes["file_format"], pa.string()), PUFFIN)
    return pc.and_(pc.equal(deletes["content"], POSITION_DELETES), is_puffin)


def read_data_entries(body: bytes, *, codec: PartitionCodec) -> pa.Table | None:
    """Return the entries of a data manifest, decoded as a whole; None if that is not supported for it."""
    written = _written(body)
    found = columns_of(body, written, codec=codec)
    return None if found is None else _table(found, codec.spec.spec_id)


def _written(body: bytes) -> Any:
    written: Any = fastavro.reader(io.BytesIO(body)).writer_schema
    check_types(written)
    return written


def _table(found: EntryColumns, spec_id: int) -> pa.Table:
    specs = pa.repeat(pa.scalar(spec_id, pa.int32()), len(found.path))
    columns = [specs if field.name == "spec_id" else getattr(found, field.name) for field in WRITTEN]
    return pa.table(columns, schema=WRITTEN)


def _projection(written: Mapping[str, Any], wanted: frozenset[int]) -> tuple[Any, dict[int, str], dict[int, str]]:
    kept, of_entry, of_file = [], {}, {}
    for field in written["fields"]:
        if field.get("field-id") not in _ENTRY_IDS:
            continue
        of_entry[field["field-id"]] = field["name"]
        if field["field-id"] == ids.DATA_FILE:
            inner = [each for each in field["type"]["fields"] if each.get("field-id") in wanted]
            of_file = {each["field-id"]: each["name"] for each in inner}
            field = {**field, "type": {**field["type"], "fields": inner}}  # noqa: PLW2901 - a narrowed copy
        kept.append(field)
    return {**written, "fields": kept}, of_entry, of_file


class _EntryColumns:
    """The columns of `ENTRIES` while one manifest is read."""

    def __init__(self, *, codec: PartitionCodec) -> None:
        self._codec = codec
        self._codes_of_values: dict[tuple[Any, ...], int] = {}
        self._codes_of_text: dict[str, int] = {}
        self._lists: dict[str, list[Any]] = {
            name: [] for name in WRITTEN.names if name not in {"spec_id", "file_format"}
        }
        self._formats: list[str] = []

    def add(self, entry: Mapping[str, Any], of_entry: Mapping[int, str], of_file: Mapping[int, str]) -> None:
        file = entry[of_entry[ids.DATA_FILE]]
        content = file.get(of_file.get(ids.CONTENT, ""), DATA)  # format version 1 has only data files
        lists = self._lists
        lists["status"].append(entry[of_entry[ids.STATUS]])
        lists["snapshot_id"].append(entry.get(of_entry.get(ids.SNAPSHOT_ID, "")))
        lists["sequence_number"].append(entry.get(of_entry.get(ids.SEQUENCE_NUMBER, "")))
        lists["file_sequence_number"].append(entry.get(of_entry.get(ids.FILE_SEQUENCE_NUMBER, "")))
        lists["content"].append(content)
        lists["path"].append(file[of_file[ids.PATH]])
        lists["partition"].append(self._code(tuple(file[of_file[ids.PARTITION]].values())))
        lists["record_count"].append(file[of_file[ids.RECORDS]])
        lists["file_bytes"].append(file[of_file[ids.BYTES]])
        lists["row_groups"].append(_row_groups(file.get(of_file.get(ids.SPLIT_OFFSETS, "")), file[of_file[ids.BYTES]]))
        lists["is_encrypted"].append(file.get(of_file.get(ids.KEY, "")) is not None)
        lists["sort_order_id"].append(_order_id(file.get(of_file.get(ids.SORT_ORDER, ""))))
        lists["target"].append(_target(file, of_file) if content == POSITION_DELETES else None)
        lists["first_row_id"].append(file.get(of_file.get(ids.FIRST_ROW, "")))
        lists["content_offset"].append(file.get(of_file.get(ids.CONTENT_OFFSET, "")))
        lists["content_bytes"].append(file.get(of_file.get(ids.CONTENT_SIZE, "")))
        self._formats.append(file[of_file[ids.FORMAT]].lower())

    def _code(self, values: tuple[Any, ...]) -> int:
        key = tuple(str(each) if each == 0 else each for each in values)  # both zeros of a float are equal
        code = self._codes_of_values.get(key)
        if code is None:  # different tuples may have the same text (NaN is never equal to itself): the text decides
            text = self._codec.encode(values)
            code = self._codes_of_values[key] = self._codes_of_text.setdefault(text, len(self._codes_of_text))
        return code

    def table(self) -> pa.Table:
        rows = len(self._formats)
        built: dict[str, Any] = dict(self._lists)
        texts = pa.array(list(self._codes_of_text), pa.string())
        built["partition"] = pa.DictionaryArray.from_arrays(pa.array(self._lists["partition"], pa.int32()), texts)
        built["file_format"] = pa.array(self._formats, pa.string()).dictionary_encode()
        built["spec_id"] = pa.repeat(pa.scalar(self._codec.spec.spec_id, pa.int32()), rows)
        return pa.table(
            [pa.array(built[f.name], f.type) if isinstance(built[f.name], list) else built[f.name] for f in WRITTEN],
            schema=WRITTEN,
        )


def _row_groups(offsets: Sequence[int] | None, file_bytes: int) -> int:
    return len(offsets) if offsets and offsets[-1] < file_bytes else 0  # as Iceberg: offsets past the end are invalid


def _order_id(value: Any) -> int | None:
    return value if type(value) is int and -_ID_LIMIT <= value < _ID_LIMIT else None


def _target(file: Mapping[str, Any], of_file: Mapping[int, str]) -> str | None:
    """Return a position-delete file's single data file: from its field, otherwise from equal `file_path` bounds."""
    if named := file.get(of_file.get(ids.REFERENCED, "")):
        return str(named)
    lower = _bound(file.get(of_file.get(ids.LOWER, "")))
    upper = _bound(file.get(of_file.get(ids.UPPER, "")))
    return lower.decode() if lower is not None and lower == upper else None


def _bound(pairs: Sequence[Mapping[str, Any]] | None) -> bytes | None:
    for pair in pairs or ():
        key, value = pair.values()
        if key == _FILE_PATH_COLUMN:
            return bytes(value)
    return None
