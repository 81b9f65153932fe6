"""One loaded version of a table, with the reads shared by all parts of this package."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic_core import to_json
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.io import FileIO
from pyiceberg.manifest import ManifestEntry, ManifestEntryStatus, ManifestFile
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.typedef import Record
from pyiceberg.types import DoubleType

from engine.domain.errors import Fatal, NotEligible
from engine.formats.iceberg.catalog.file_access import GuardedFileIO, outside
from engine.formats.iceberg.errors import decoding
from engine.formats.iceberg.features.known import problems_of, transform_problems, written_problems
from engine.formats.iceberg.features.rows import WRITING, Activity
from engine.formats.iceberg.intake.checks import check_metadata
from engine.formats.iceberg.intake.metadata_files import WRITTEN_FROM_DOCUMENT
from engine.formats.iceberg.intake.read_tables import ReadTable
from engine.formats.iceberg.intake.storage import AvroFiles, HeldFiles
from engine.formats.iceberg.manifests.lineage import read_entries
from engine.formats.iceberg.manifests.reading import ManifestReader, manifests_in
from engine.formats.iceberg.metadata.digest import LiveFiles
from engine.formats.iceberg.metadata.history import commit_times, head_of, sequence_times
from engine.formats.iceberg.metadata.known_parents import KnownParents
from engine.formats.iceberg.metadata.partitions import PartitionCodec, schema_of_spec
from engine.formats.iceberg.metadata.row_ids import has_row_ids, row_id_problems
from engine.formats.iceberg.metadata.sort_orders import order_marks
from engine.formats.intake.caches import Cache
from engine.formats.intake.errors import parsing
from engine.formats.intake.parameters import listed
from engine.rewriting.kernel.storage.places import AllowedFolders

_DELETED = ManifestEntryStatus.DELETED
_LIST = -1
"""Instead of a length in the cache's key of a manifest list, whose length is not known before it is read."""


@dataclass(frozen=True, slots=True)
class _Body:
    """The content of a file, for the cache."""

    content: bytes

    @property
    def nbytes(self) -> int:
        return len(self.content)


@dataclass(frozen=True, slots=True)
class TableView:
    """One version of a table's metadata and readers bound to it.

    `parents`: those of commits that were sent, if the table may not show them afterwards; see `may_hide_commits`.
    """

    table: ReadTable
    head: Snapshot | None
    codecs: dict[int, PartitionCodec]
    reader: ManifestReader
    parents: KnownParents

    @staticmethod
    def of(table: Table, cache: Cache, parents: KnownParents) -> "TableView":
        """Return the view of a table loaded by one of our catalogs.

        Raises:
            Malformed: its metadata is invalid; see `intake.checks`.
        """
        metadata = table.metadata
        if not isinstance(table, ReadTable):
            raise Fatal("the table was loaded without the fields of its metadata, by another catalog than ours")
        check_metadata(metadata)
        codecs = {
            spec.spec_id: PartitionCodec(spec=spec, schema=schema_of_spec(metadata, spec) or metadata.schema())
            for spec in metadata.partition_specs
        }
        reader = ManifestReader(io=AvroFiles(table.io), codecs=codecs, cache=cache, places=places_of(table))
        return TableView(table=table, head=head_of(metadata), codecs=codecs, reader=reader, parents=parents)

    @property
    def metadata(self) -> TableMetadata:
        """The table's metadata."""
        return self.table.metadata

    @property
    def metadata_bytes(self) -> int:
        """The size of the metadata file's content as uncompressed JSON; computed without a request to the store."""
        return len(to_json(self.metadata, by_alias=True, exclude_none=True))  # the library's own refuses version 3

    @property
    def io(self) -> FileIO:
        """The table's storage, through which manifests and manifest lists are read."""
        return self.reader.io

    @property
    def may_hide_commits(self) -> bool:
        """Whether a snapshot that is not shown may be needed: `gc.enabled` is false, as it is in every table of Nessie.

        Nessie shows the current snapshot of one branch alone; others, and its own history, keep the rest.
        """
        return self.metadata.properties.get("gc.enabled", "true").strip().lower() != "true"

    def parent_of(self, snapshot: Snapshot) -> Snapshot | None:
        """Return the snapshot on which one was made; None if it is the first, or its parent has expired."""
        metadata = self.metadata
        shown = metadata.snapshot_by_id(snapshot.parent_snapshot_id or 0)
        return shown or self.parents.get(metadata.table_uuid, snapshot.snapshot_id)

    def announce(self, snapshot: Snapshot) -> None:
        """Keep the head as the parent of a snapshot that will be sent, if the catalog may hide it afterwards."""
        if self.may_hide_commits and self.head is not None:
            self.parents.add(self.metadata.table_uuid, snapshot.snapshot_id, self.head)

    def feature_problems(self, work: Activity) -> Sequence[str]:
        """Return a clause for each feature of the table that forbids an operation."""
        it = self.table
        is_by_client = not isinstance(it.catalog, RestCatalog)
        if work is Activity.UPKEEP and is_by_client and self.metadata.format_version < WRITTEN_FROM_DOCUMENT:
            work = Activity.DELETES  # PyIceberg writes all of the metadata: what it can't write, would change
        others = problems_of(work, it.fields, self.metadata.properties, meaningless=it.meaningless)
        if work is Activity.PROCEDURE:
            return [*transform_problems(self.metadata), *others]
        is_written = work in WRITING  # otherwise specs and sort orders stay as the document states them
        how = {"is_by_client": is_by_client, "is_translated": it.is_translated, "checks_fields": is_written}
        return [
            *(transform_problems(self.metadata) if is_written else ()),
            *others,
            *written_problems(self.metadata, **how),
            *row_id_problems(self.metadata),
        ]

    def check_features(self, work: Activity) -> None:
        """Raise `NotEligible` for a table with a feature that forbids an operation."""
        if problems := self.feature_problems(work):
            raise NotEligible(listed(problems))

    def manifests(self, snapshot: Snapshot | None) -> list[ManifestFile]:
        """Return the manifests of a snapshot.

        Does not use `Snapshot.manifests`: its process-wide cache is keyed only by the manifest's path, so the manifest
        list of one table could change the sequence numbers of another's.

        Raises:
            NotEligible: the manifest list is outside of the table's places.
            Malformed: it can't be read.
        """
        if snapshot is None:
            return []
        path = snapshot.manifest_list
        with decoding(f"manifest list {path}"):
            self.check(path)  # also when it is cached
            held = self.reader.cache.get((path, _LIST), lambda: _Body(self._readable_list(path)))
            return self._manifests_in(path, held.content)

    def _readable_list(self, path: str) -> bytes:
        """Return the content of a manifest list that can be decoded: no other is cached."""
        with self.io.new_input(path).open() as stream:
            body = stream.read()
        self._manifests_in(path, body)
        return body

    def _manifests_in(self, path: str, body: bytes) -> list[ManifestFile]:
        with parsing("manifest list"):
            return manifests_in(path, body, self.metadata.format_version)

    def full_entries(
        self, manifests: Sequence[ManifestFile], *, discard_deleted: bool
    ) -> Iterator[tuple[ManifestFile, list[ManifestEntry]]]:
        """Yield manifests with their entries, which have all statistics, one object per entry. Raises as `manifests`.

        The next manifests are fetched while the entries of one are used. The columns of each manifest are cached,
        because the verification of a commit needs both. In format version 3, entries have their resolved first row ids.
        """
        for manifest, body in zip(manifests, self.reader.bodies(manifests), strict=True):
            self.reader.cache_entries(manifest, body)
            with decoding(f"manifest {manifest.manifest_path}"), parsing("manifest"):
                entries = self._entries(manifest, body)
            self._restore_doubles(manifest, entries)
            yield manifest, [each for each in entries if not discard_deleted or each.status != _DELETED]

    def _entries(self, manifest: ManifestFile, body: bytes) -> list[ManifestEntry]:
        if has_row_ids(self.metadata):
            return read_entries(HeldFiles(body), manifest)
        return manifest.fetch_manifest_entry(HeldFiles(body), discard_deleted=False)

    def _restore_doubles(self, manifest: ManifestFile, entries: Sequence[ManifestEntry]) -> None:
        """Replace the doubles of all partitions: PyIceberg (0.12) rounds those that it reads to floats."""
        codec = self.codecs.get(manifest.partition_spec_id)
        doubles = [at for at, of in enumerate(codec.types) if isinstance(of, DoubleType)] if codec else []
        if codec is None or not doubles:
            return
        columns, exact = self.reader.entries(manifest), dict[str, Record]()
        for entry, path, text in zip(
            entries, columns["path"].to_pylist(), columns["partition"].to_pylist(), strict=True
        ):
            if path != entry.data_file.file_path:
                raise Fatal(f"two readers return the files of {manifest.manifest_path} in different order")
            if text not in exact:
                exact[text] = codec.decode(text)
            for at in doubles:
                entry.data_file.partition[at] = exact[text][at]

    def check(self, path: str) -> None:
        """Raise `NotEligible` for a path outside of the table's places."""
        if not self.reader.places.contains(path):
            raise outside([path], self.reader.places)

    def files_below(self, location: str, *, is_recursive: bool) -> Sequence[str]:
        """Return the paths of all files below a location, spelled like it; without `is_recursive` only those in it.

        Raises:
            NotEligible: the location is outside of the table's places.
        """
        return _guarded(self.table).files(location, is_recursive=is_recursive)

    def live_files(self) -> LiveFiles:
        """Return the live files of the head; cached by manifest list, which never changes."""
        head = self.head
        if head is None:
            return LiveFiles.empty()
        key = (f"{head.manifest_list} in {self.reader.places}", 0)
        held = self.reader.cache.get(key, lambda: LiveFiles.read(self.reader, self.manifests(head)))
        return replace(
            held,
            committed_at_ms=commit_times(self.metadata),
            sequence_at_ms=sequence_times(self.metadata),
            order_marks=order_marks(self.metadata),
        )


def places_of(table: Table) -> AllowedFolders:
    """Return the locations in which the files of a table loaded by one of our catalogs may be."""
    return _guarded(table).places


def _guarded(table: Table) -> GuardedFileIO:
    if not isinstance(table.io, GuardedFileIO):
        raise Fatal(f"the table's storage is {type(table.io).__name__}, which opens any file")
    return table.io
