"""First row ids of data files in manifests of format version 3.

A row's id is stored in its file, or is the file's first row id plus the row's position. A new file has no first row id:
readers derive it from the manifest's, which a snapshot assigns in its manifest list. Derived ids depend on the order of
entries, so an entry that moves to another manifest has to carry its id. `manifest.firstRowId` is null in a table that
was upgraded and not committed to since: its files have no ids, whatever their entries hold (as in Iceberg's readers).

PyIceberg (0.12) reads and writes the fields only if it is given the schemas of version 3, and has no names for them.
"""

from array import array
from collections.abc import Callable, Iterable
from typing import Any, Final

from pyiceberg.avro.file import AvroFile
from pyiceberg.io import FileIO
from pyiceberg.manifest import (
    DATA_FILE_TYPE,
    MANIFEST_ENTRY_SCHEMAS,
    MANIFEST_LIST_FILE_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
)

from engine.formats.iceberg.manifests.entry_ids import FIRST_ROW
from engine.formats.iceberg.manifests.inheritance import first_row_id_of
from engine.formats.iceberg.metadata.row_ids import MOST_ROW_ID, WITH_ROW_IDS, wrong_ranges
from engine.formats.intake.limits import Malformed

_OF_MANIFEST: Final = 520
ENTRY_SCHEMA: Final = MANIFEST_ENTRY_SCHEMAS[WITH_ROW_IDS]
LIST_SCHEMA: Final = MANIFEST_LIST_FILE_SCHEMAS[WITH_ROW_IDS]
_FILE_FIELDS: Final = [field.field_id for field in DATA_FILE_TYPE[WITH_ROW_IDS].fields]
_LIST_FIELDS: Final = [field.field_id for field in LIST_SCHEMA.fields]
_IN_FILE: Final = _FILE_FIELDS.index(FIRST_ROW)
_IN_LIST: Final = _LIST_FIELDS.index(_OF_MANIFEST)


def read_entries(io: FileIO, manifest: ManifestFile) -> list[ManifestEntry]:
    """Return all entries of a manifest with the fields of format version 3 and what they inherit, ids included.

    Raises:
        Malformed: the row ids are not those of a table.
    """
    with AvroFile[ManifestEntry](
        io.new_input(manifest.manifest_path),
        ENTRY_SCHEMA,
        read_types={-1: ManifestEntry, 2: DataFile},
        read_enums={0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent},
    ) as reader:
        entries = list(reader)
    for entry in entries:
        _inherit(entry, manifest)
    if manifest.content == ManifestContent.DATA:
        resolve(entries, first_row_id_of(manifest))
    return entries


def _inherit(entry: ManifestEntry, manifest: ManifestFile) -> None:
    """Fill in what PyIceberg's own reader does: it reads no fields of version 3."""
    number = manifest.sequence_number
    inherits = number == 0 or entry.status == ManifestEntryStatus.ADDED
    if entry.snapshot_id is None and manifest.added_snapshot_id is not None:
        entry.snapshot_id = manifest.added_snapshot_id
    if entry.sequence_number is None and inherits:
        entry.sequence_number = number
    if entry.file_sequence_number is None and inherits:
        entry.file_sequence_number = number
    entry.data_file.spec_id = manifest.partition_spec_id


def resolve(entries: Iterable[ManifestEntry], first: int | None) -> None:
    """Store the first row id of each file in its entry, given the manifest's; all of its entries in their order.

    Raises:
        Malformed: an id is negative, or exceeds 64 bits.
    """
    following = first
    for entry in entries:
        file = entry.data_file
        stored = file[_IN_FILE]
        if first is None:
            file[_IN_FILE] = None
        elif stored is None and entry.status != ManifestEntryStatus.DELETED:
            file[_IN_FILE], following = following, (following or 0) + file.record_count
        _check(file[_IN_FILE], file.record_count, file.file_path)


def _check(first: int | None, rows: int, name: str) -> None:
    if first is not None and not 0 <= first <= MOST_ROW_ID - max(0, rows):
        raise Malformed(f"{name} has the row ids from {first}, which are not from 0 to {MOST_ROW_ID}")


def first_row_id(file: DataFile) -> int | None:
    """Return the first row id of a data file, None if its rows have no ids; `read_entries` resolves it."""
    found: int | None = file[_IN_FILE] if len(file) > _IN_FILE else None
    return found


def with_first_row_id(manifest: ManifestFile, first: int | None) -> ManifestFile:
    """Return an entry of a manifest list of version 3 that assigns this first row id."""
    values = [manifest[at] for at in range(min(len(manifest), _IN_LIST))]
    return ManifestFile(*values, first)


def with_fields(file: DataFile, *, keeps_row_ids: bool) -> DataFile:
    """Return a data file with all fields of version 3; without `keeps_row_ids` its first row id is null."""
    values = [file[at] for at in range(len(file))]
    values += [None] * (len(_FILE_FIELDS) - len(values))
    if not keeps_row_ids:
        values[_IN_FILE] = None
    return DataFile(*values)


class RowIdRanges:
    """Row ids of live data files of several manifests, as numbers only: there may be a million files."""

    def __init__(self) -> None:
        self._firsts, self._counts, self._at = array("q"), array("q"), array("q")
        self._manifests: list[str] = []

    def add(self, manifest: ManifestFile, entries: Iterable[ManifestEntry]) -> None:
        """Add the files of a manifest, as `read_entries` returns them."""
        for entry in entries:
            first = first_row_id(entry.data_file)
            if first is not None and entry.data_file.record_count > 0:
                self._firsts.append(first)
                self._counts.append(entry.data_file.record_count)
                self._at.append(len(self._manifests))
        self._manifests.append(manifest.manifest_path)

    def check(self, *, below: int) -> None:
        """Check that all ids are below the table's next one, and that no two files share any.

        Raises:
            Malformed: a file has ids that are not assigned yet, or those of another file; the message names manifests.
        """
        check_row_ids(self._firsts, self._counts, below=below, name=lambda row: self._manifests[self._at[row]])


def check_row_ids(firsts: Any, counts: Any, *, below: int, name: Callable[[int], str]) -> None:
    """Check the row ids of live data files: see `RowIdRanges.check`.

    Args:
        firsts: the first row id of each file.
        counts: the number of its rows.
        below: the table's next row id.
        name: returns what to name a file by, given its place.
    """
    beyond, shared, before = wrong_ranges(firsts, counts, below=below)
    if len(beyond):
        found = f"{name(int(beyond[0]))} has row ids from {firsts[beyond[0]]} for {counts[beyond[0]]} rows"
        raise Malformed(f"{found}, but the table's next-row-id is {below}")
    if len(shared):
        names = " and ".join(sorted({name(int(shared[0])), name(int(before[0]))}))
        raise Malformed(f"two data files share row ids from {firsts[shared[0]]}: see {names}")
