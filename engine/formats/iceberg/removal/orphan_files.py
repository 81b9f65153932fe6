"""Facts of Iceberg about orphans of a table: its references, the folders and names of its files, those of live runs.

An orphan has a name that writers of Iceberg give, is in a folder of the table's, not hidden, and of no live run.

A table can be registered on a wide location in which other programs keep files. So a file counts only directly in the
metadata folder, or below a folder of data, and only with a name that writers of Iceberg give: Iceberg's library (Spark,
Flink, Hive, Kafka Connect), PyIceberg and Iceberg for Go, Trino and Athena, Packhouse.

Names that writers of other tables give as well are not among them: those of Impala (`….0.parq`) and DuckDB
(`<uuid>.parquet`). Their orphans stay.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table.metadata import TableMetadata

from engine.domain.errors import StateConflict
from engine.domain.runs.removals import OrphanRule
from engine.formats.iceberg.catalog.paths import all_locations, metadata_location
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.orphan_checks import check_complete, check_places, check_versions
from engine.formats.iceberg.removal.orphan_references import References
from engine.formats.iceberg.removal.owners import check_one_table
from engine.formats.iceberg.removal.reachability import Reachability, TableReferences, check_newer, origin_of
from engine.formats.iceberg.removal.records import RecordFolder, records_of, records_root
from engine.formats.iceberg.removal.sources import TableSource, source_of
from engine.formats.removal.file_lists import FileKind, FileList, Origin
from engine.formats.removal.listings import ListedFiles
from engine.formats.removal.orphan_files import SearchedTable
from engine.formats.removal.path_keys import Keys, are_in, keys_of
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RefusedFiles, Scope, in_scope, of_kinds

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_FORMATS: Final = r"\.(?:parquet|orc|avro|puffin)"
_DATA: Final = (
    # partition, task and operation: `OutputFileFactory` of Iceberg, and PyIceberg's `WriteTask`; with
    # `write.object-storage.partitioned-paths` false, the last bits of the path's hash precede them
    rf"(?:[01]{{8}}-)?[0-9]{{5}}-[0-9]+-[0-9A-Za-z_-]*{_UUID}[0-9A-Za-z_-]*{_FORMATS}",
    r"merged-dvs-[0-9]+-[0-9]+\.puffin",  # `MergingSnapshotProducer`
    # the id of the query: `IcebergPageSink` of Trino; in its Hive tables an underscore precedes the UUID
    rf"[0-9]{{8}}_[0-9]{{6}}_[0-9]{{5}}_[0-9a-z]{{5}}-{_UUID}{_FORMATS}",
    # Packhouse: see `domain.runs.output_names`
    rf"run_[0-9a-z]+-[0-9]+-[0-9A-Za-z_-]+{_FORMATS}",
)
_METADATA: Final = (
    # manifests and their lists: `SnapshotProducer`, `BaseRewriteManifests`
    rf"(?:run_[0-9a-z]+-[0-9]+-)?{_UUID}-m[0-9]+\.avro",
    rf"optimized-m-{_UUID}\.avro",
    rf"snap-[0-9]+-[0-9]+-{_UUID}\.avro",
    # manifests that a checkpoint of Flink has and no snapshot yet: `ManifestOutputFileFactory`
    r"[0-9a-f]{32}-[0-9A-Za-z_-]+-[0-9]{5}-[0-9]+-[0-9]+-[0-9]{5}(?:-[0-9A-Za-z_-]+)?\.avro",
    # statistics of Spark, Flink and Trino, and of partitions
    rf"[0-9A-Za-z_-]*{_UUID}\.stats",
    rf"partition-stats-[0-9]+-{_UUID}\.(?:parquet|orc|avro)",
)

HIDDEN: Final = "hidden"
_HIDDEN: Final = r"/[._]"
"""Files and folders of other programs, as Iceberg's procedure takes them: `_delta_log`, `_temporary`, `.x.crc`."""

_HIDDEN_FILE: Final = r"/[._][^/]*$"
_MOST_PARTITION_NAMES: Final = 100

_COMMIT: Final = r"(?P<commit>[0-9a-f-]{36})-m[0-9]+\.avro$"


class IcebergOrphans:
    """Facts of Iceberg about orphans of one table, an `OrphanSource`; `load` returns its current version."""

    def __init__(self, *, load: Callable[[], TableView], scope: Scope, open_runs: Sequence[str] = ()) -> None:
        self._load = load
        self._scope = scope
        self._open_runs = open_runs
        self._before: TableView
        self._references: References
        self._keys: Keys

    def begin(self, rule: OrphanRule) -> SearchedTable:  # noqa: ARG002 - `find_files` looks at its inventory
        """Load the table, and check that all of its files can be found."""
        view = self._before = self._load()
        check_places(view, self._scope)
        kinds, storage = orphan_kinds(view.metadata), view.table.io.properties
        return SearchedTable(origin_of(view.metadata), kinds, RecordFolder(view), records_root(view), storage)

    def check_same(self, origin: Origin) -> None:
        """Raise `TableReplaced` or `Fatal` unless the table is that of an earlier search, and not older."""
        check_newer(self._before.metadata, origin)

    def find_files(self, rule: OrphanRule, now_us: int, before_page: Callable[[int], None]) -> TableSource:
        """Read what the table refers to; return a listing, or the inventory that the rule names."""
        source = source_of(self._before, self._scope.own, rule, before_page, now_us)
        self._references = References(self._scope, source.listed, source.settled_ms)
        self._references.add(self._before)
        return source

    def check_listing(self, found: ListedFiles, now_us: int, before_page: Callable[[int], None]) -> Sequence[int]:
        """Check a listing against the versions before and after it; see `OrphanSource.check_listing`."""
        before, after = self._before, self._load()
        check_places(after, self._scope)
        check_newer(after.metadata, origin_of(before.metadata))
        left = {each.snapshot_id for each in after.metadata.snapshots}
        if lost := {each.snapshot_id for each in before.metadata.snapshots} - left:
            raise StateConflict(f"{len(lost)} snapshots were removed while files were listed: look again")
        check_complete(found, self._references)
        self._references.add(after)
        keys = self._keys = self._references.keys()
        check_one_table(check_versions(found, after, keys, self._scope, now_us), after, before_page)
        return sorted(each.snapshot_id for each in before.metadata.snapshots)

    def referenced(self) -> Keys:
        """Return the sorted keys of the paths that either version refers to."""
        return self._keys

    def allowed(self, files: pa.Table, refused: RefusedFiles) -> pa.Table:
        """Return those of the files that nothing refers to and that may be deleted; count the others."""
        metadata = self._before.metadata
        orphans, kinds = files.filter(pa.array(~are_in(self._keys, keys_of(files["path"])))), orphan_kinds(metadata)
        shown = _without_hidden(in_scope(orphans, self._scope, refused), metadata, refused)
        return of_kinds(shown, kinds, refused)

    def marks_of_open_runs(self, paths: pa.ChunkedArray) -> Sequence[str]:
        """Return texts that the paths of files of open runs contain: their ids, and the UUIDs of their commits."""
        commits: list[str] = []
        for run_id in self._open_runs:
            own = pc.extract_regex(paths.filter(pc.match_substring(paths, run_id)), _COMMIT)
            commits += pc.struct_field(own, "commit").unique().drop_null().to_pylist()
        return [*self._open_runs, *dict.fromkeys(commits)]

    def references(self, files: FileList) -> TableReferences:
        """Return what the table needs of these files; it may move none of its places from now on."""
        check: Callable[[TableView], None] = partial(check_places, scope=self._scope)
        return TableReferences(files.origin, Reachability(files.keys()), load=self._load, check=check)

    def records(self, run_id: str) -> Records:
        """Return the lists of a run of the table."""
        return records_of(self._load(), run_id)


def _without_hidden(files: pa.Table, metadata: TableMetadata, refused: RefusedFiles) -> pa.Table:
    """Return the files of which no part of the path below the table's location is hidden.

    Folders of the table's own partition fields are not hidden, whatever these are called.
    """
    below = pc.utf8_slice_codeunits(files["path"], len(metadata.location.rstrip("/")))
    is_hidden = pc.match_substring_regex(below, _HIDDEN_FILE)
    for name in _hidden_partition_names(metadata):
        below = pc.replace_substring(below, pattern=f"/{name}=", replacement="/=")
    is_hidden = pc.or_(is_hidden, pc.match_substring_regex(below, _HIDDEN))
    refused.add(files.filter(is_hidden)["path"], HIDDEN)
    return files.filter(pc.invert(is_hidden))


def _hidden_partition_names(metadata: TableMetadata) -> list[str]:
    """Return the first names of partition fields, of all specs, with which a folder looks hidden."""
    fields = (each.name for spec in metadata.specs().values() for each in spec.fields)
    names = dict.fromkeys(each for each in fields if each.startswith((".", "_")) and "/" not in each)
    return list(islice(names, _MOST_PARTITION_NAMES))


def orphan_kinds(metadata: TableMetadata) -> Sequence[tuple[FileKind, str]]:
    """Return each kind of files with a regular expression of their paths, for Arrow; the first that matches counts."""
    location = metadata.location.rstrip("/")
    written = [each for each in all_locations(metadata) if each != metadata.location]
    data = [each.rstrip("/") for each in (f"{location}/data", *written)]
    folders = [metadata_location(metadata), f"{location}/metadata"]
    return [
        (FileKind.METADATA, f"^{_one_of(map(re.escape, folders))}/{_one_of(_METADATA)}$"),
        (FileKind.DATA, f"^{_one_of(map(re.escape, data))}/(?:.*/)?{_one_of(_DATA)}$"),
    ]


def _one_of(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(dict.fromkeys(patterns))})"
