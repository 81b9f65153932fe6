"""Read manifest entries as Arrow columns, once per manifest: the content of a manifest's path never changes.

Data manifests are decoded as a whole (`entry_frames`). Unsupported ones and delete manifests are read entry by entry by
fastavro, only the fields named here (34,000 to 65,000 entries per second and core). Fields are matched by field id,
independent of the writer's field names. No per-file object outlives the reading of its manifest. Column statistics are
not kept: rewrites (`snapshots`) read the few manifests they touch in full.

Limits: the cache is in memory and bounded by bytes; format versions 1 and 2 (a version 3 manifest can be read, but its
row ids and deletion vectors are not supported, which `eligibility` refuses).
"""

import io
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, Protocol, TypeVar

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFileContent, ManifestContent, ManifestEntryStatus, ManifestFile

from engine.domain.tables.table import TableRef
from engine.formats.iceberg.catalog.file_access import outside
from engine.formats.iceberg.errors import decoding
from engine.formats.iceberg.intake.checks import check_entries, check_live, check_size
from engine.formats.iceberg.intake.limits import Malformed
from engine.formats.iceberg.manifests import entry_ids as ids
from engine.formats.iceberg.manifests.entry_frames import EntryColumns, columns_of
from engine.formats.iceberg.manifests.outside_files import PathSummary, are_outside
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.rewriting.kernel.storage.places import Places

ADDED: Final = int(ManifestEntryStatus.ADDED)
DELETED: Final = int(ManifestEntryStatus.DELETED)
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
        pa.field("target", pa.string()),  # the data file of a position-delete file that applies to a single one
        pa.field("is_outside", pa.bool_(), nullable=False),  # of the table's places: the file must not be opened
    ]
)
_IS_OUTSIDE: Final = ENTRIES.field("is_outside")
_WRITTEN: Final = pa.schema([field for field in ENTRIES if field != _IS_OUTSIDE])

_READ_AT_ONCE: Final = 256
_READERS: Final = (8, 32)
_READ_BYTES: Final = 64 * 2**20  # stored bytes that are read at once, where more than the least number read
_FILE_PATH_COLUMN: Final = 2147483546  # reserved field id of `file_path` in position-delete files
_ENTRY_IDS: Final = frozenset(
    {ids.STATUS, ids.SNAPSHOT_ID, ids.SEQUENCE_NUMBER, ids.FILE_SEQUENCE_NUMBER, ids.DATA_FILE}
)
_FILE_IDS: Final = frozenset(
    {ids.CONTENT, ids.PATH, ids.FORMAT, ids.PARTITION, ids.RECORDS, ids.BYTES, ids.KEY, ids.SPLIT_OFFSETS}
)
_DELETE_IDS: Final = _FILE_IDS | {ids.LOWER, ids.UPPER, ids.REFERENCED}


class Held(Protocol):
    """A cacheable value: any object with its size in bytes."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""


T = TypeVar("T", bound=Held)


class Cache(Protocol):
    """Cache of content read from immutable files."""

    def get(self, key: tuple[str, int], read: Callable[[], T]) -> T:
        """Return the cached value, or cache and return the result of `read`. A key always has values of one type."""


class ManifestCache:
    """LRU cache of content read from immutable files, by path and length.

    Contains the entries of manifests, and the live files of whole snapshots by their manifest list; the default size
    is enough for two million files. Thread-safe and shared by all tables. Values larger than half of the bound are not
    cached, so that one huge table does not evict all others.
    """

    def __init__(self, *, max_bytes: int = 512 * 2**20) -> None:
        self._max_bytes = max_bytes
        self._held: OrderedDict[tuple[str, int], Any] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def of(self, owner: TableRef) -> "OwnedCache":
        """Return the part of the cache that belongs to one table."""
        return OwnedCache(self, repr(owner))  # dotted addresses of two tables can be the same text

    def get(self, key: tuple[str, int], read: Callable[[], T]) -> T:
        """Return what is held, or what `read` gives, which is then held. A key always stands for one type."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                kept: T = self._held[key]
                return kept
        value = read()
        with self._lock:
            if key not in self._held and value.nbytes <= self._max_bytes // 2:
                self._held[key] = value
                self._bytes += value.nbytes
            while self._bytes > self._max_bytes and len(self._held) > 1:
                _, dropped = self._held.popitem(last=False)
                self._bytes -= dropped.nbytes
        return value


@dataclass(frozen=True, slots=True)
class OwnedCache:
    """One table's part of a cache. Tables share nothing: one may list another's manifests with its own specs."""

    whole: ManifestCache
    owner: str

    def get(self, key: tuple[str, int], read: Callable[[], T]) -> T:
        """Return what is held, or what `read` gives, which is then held. A key always stands for one type."""
        return self.whole.get((f"{self.owner}\n{key[0]}", key[1]), read)


@dataclass(frozen=True, slots=True)
class _Decoded:
    """The entries of a manifest as written, without `is_outside`, and a summary of their paths."""

    entries: pa.Table
    paths: PathSummary

    @property
    def nbytes(self) -> int:
        return int(self.entries.nbytes)

    def within(self, places: Places) -> pa.Table:
        rows = self.entries.num_rows
        if not rows or self.paths.is_inside(places):
            return self.entries.append_column(_IS_OUTSIDE, pa.repeat(False, rows))
        return self.entries.append_column(_IS_OUTSIDE, are_outside(self.entries["path"], places))


@dataclass(frozen=True, slots=True)
class ManifestReader:
    """Reads manifests of one table through its storage; `codecs` by spec id, `places`: where its files may be."""

    io: FileIO
    codecs: Mapping[int, PartitionCodec]
    cache: Cache
    places: Places

    def entries(self, manifest: ManifestFile) -> pa.Table:
        """Return all entries of one manifest, including deleted ones, with the schema `ENTRIES`.

        Raises:
            NotEligible: the manifest is outside of the table's places.
        """
        if not self.places.cover(manifest.manifest_path):
            raise outside([manifest.manifest_path], self.places)
        key = (manifest.manifest_path, manifest.manifest_length)
        return _inherited(self.cache.get(key, lambda: self._read(manifest)).within(self.places), manifest)

    def each(self, manifests: Sequence[ManifestFile]) -> list[pa.Table]:
        """Return the entries of several manifests, read in parallel, in the order of the manifests.

        Raises:
            Malformed: one can't be read, or together they exceed the memory limit of one table.
        """
        found: list[pa.Table] = []
        size = 0
        with ThreadPoolExecutor(max_workers=_readers(manifests), thread_name_prefix="manifests") as pool:
            for start in range(0, len(manifests), _READ_AT_ONCE):
                for table in pool.map(self.entries, manifests[start : start + _READ_AT_ONCE]):
                    found.append(table)
                    size += table.nbytes
                    check_size(size)
        return found

    def live(self, manifests: Iterable[ManifestFile]) -> pa.Table:
        """Return the live entries of several manifests as one table, with one dictionary per column.

        Shares memory with the cached entries, as far as nothing was deleted.
        """
        parts = [_live(table) for table in self.each(list(manifests))]
        together = pa.concat_tables([ENTRIES.empty_table(), *parts]).unify_dictionaries()
        check_live(together)
        return together

    def _read(self, manifest: ManifestFile) -> _Decoded:
        with decoding(f"manifest {manifest.manifest_path}"):
            codec = self.codecs.get(manifest.partition_spec_id)
            if codec is None:
                raise Malformed(f"the table has no partition spec {manifest.partition_spec_id}")
            with self.io.new_input(manifest.manifest_path).open() as stream:
                body = stream.read()
            entries = read_entries(body, codec=codec, with_targets=manifest.content == ManifestContent.DELETES)
            check_entries(entries)
            return _Decoded(entries, PathSummary.of(entries["path"]))


def _readers(manifests: Sequence[ManifestFile]) -> int:
    """Return the number of manifests to read at once: more of small ones, whose time is the latency of the store."""
    largest = max((each.manifest_length for each in manifests), default=1)
    return max(_READERS[0], min(_READERS[1], _READ_BYTES // max(1, largest)))


def _live(table: pa.Table) -> pa.Table:
    is_live = pc.not_equal(table["status"], DELETED)
    return table if pc.all(is_live).as_py() else table.filter(is_live)


def _inherited(table: pa.Table, manifest: ManifestFile) -> pa.Table:
    number = manifest.sequence_number or 0
    is_inherited = pc.or_(pc.equal(table["status"], ADDED), pa.scalar(number == 0))  # 0: written by format version 1
    for name, value, where in (
        ("sequence_number", number, None),
        ("snapshot_id", manifest.added_snapshot_id, None),
        ("file_sequence_number", number, is_inherited),
    ):
        filled = pc.fill_null(table[name], pa.scalar(value, pa.int64()))
        column = filled if where is None else pc.if_else(where, filled, table[name])
        table = table.set_column(table.schema.get_field_index(name), ENTRIES.field(name), column)
    return table


def read_entries(body: bytes, *, codec: PartitionCodec, with_targets: bool) -> pa.Table:
    """Return the entries of a manifest as written, without `is_outside`; null sequence numbers are to be inherited.

    `body` is the file's content converted by `avro_blocks.readable`.
    """
    written: Any = fastavro.reader(io.BytesIO(body)).writer_schema
    if not with_targets and (found := columns_of(body, written, codec=codec)) is not None:
        return _table(found, codec.spec.spec_id)
    schema, of_entry, of_file = _projection(written, _DELETE_IDS if with_targets else _FILE_IDS)
    columns = _Columns(codec=codec)
    entries: Iterable[Any] = fastavro.reader(io.BytesIO(body), reader_schema=schema)
    for entry in entries:
        columns.add(entry, of_entry, of_file)
    return columns.table()


def _table(found: EntryColumns, spec_id: int) -> pa.Table:
    rows = len(found.path)
    others = {"spec_id": pa.repeat(pa.scalar(spec_id, pa.int32()), rows), "target": pa.nulls(rows, pa.string())}
    columns = [others[f.name] if f.name in others else getattr(found, f.name) for f in _WRITTEN]
    return pa.table(columns, schema=_WRITTEN)


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


class _Columns:
    """The columns of `ENTRIES` while one manifest is read."""

    def __init__(self, *, codec: PartitionCodec) -> None:
        self._codec = codec
        self._codes_of_values: dict[tuple[Any, ...], int] = {}
        self._codes_of_text: dict[str, int] = {}
        self._lists: dict[str, list[Any]] = {
            name: [] for name in _WRITTEN.names if name not in {"spec_id", "file_format"}
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
        lists["target"].append(_target(file, of_file) if content == POSITION_DELETES else None)
        self._formats.append(file[of_file[ids.FORMAT]].lower())

    def _code(self, values: tuple[Any, ...]) -> int:
        code = self._codes_of_values.get(values)
        if code is None:  # different tuples may have the same text (NaN is never equal to itself): the text decides
            text = self._codec.encode(values)
            code = self._codes_of_values[values] = self._codes_of_text.setdefault(text, len(self._codes_of_text))
        return code

    def table(self) -> pa.Table:
        rows = len(self._formats)
        built: dict[str, Any] = dict(self._lists)
        texts = pa.array(list(self._codes_of_text), pa.string())
        built["partition"] = pa.DictionaryArray.from_arrays(pa.array(self._lists["partition"], pa.int32()), texts)
        built["file_format"] = pa.array(self._formats, pa.string()).dictionary_encode()
        built["spec_id"] = pa.repeat(pa.scalar(self._codec.spec.spec_id, pa.int32()), rows)
        return pa.table(
            [pa.array(built[f.name], f.type) if isinstance(built[f.name], list) else built[f.name] for f in _WRITTEN],
            schema=_WRITTEN,
        )


def _row_groups(offsets: Sequence[int] | None, file_bytes: int) -> int:
    return len(offsets) if offsets and offsets[-1] < file_bytes else 0  # as Iceberg: offsets past the end are invalid


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
