"""One loaded version of a table, with what all parts of this package ask of it."""

from dataclasses import dataclass, replace

from pyiceberg.io import FileIO
from pyiceberg.manifest import ManifestFile
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot

from engine.formats.iceberg.digest import LiveFiles
from engine.formats.iceberg.history import commit_times, head_of, sequence_times
from engine.formats.iceberg.manifests import ManifestCache, ManifestReader
from engine.formats.iceberg.partitions import PartitionCodec, schema_of_spec


@dataclass(frozen=True, slots=True)
class TableView:
    """A table's metadata at one moment and readers bound to it."""

    table: Table
    head: Snapshot | None
    codecs: dict[int, PartitionCodec]
    reader: ManifestReader

    @staticmethod
    def of(table: Table, cache: ManifestCache) -> "TableView":
        """Wrap a loaded table."""
        metadata = table.metadata
        codecs = {
            spec.spec_id: PartitionCodec(spec=spec, schema=schema_of_spec(metadata, spec) or metadata.schema())
            for spec in metadata.partition_specs
        }
        reader = ManifestReader(io=table.io, codecs=codecs, cache=cache)
        return TableView(table=table, head=head_of(metadata), codecs=codecs, reader=reader)

    @property
    def metadata(self) -> TableMetadata:
        """The table's metadata."""
        return self.table.metadata

    @property
    def io(self) -> FileIO:
        """The table's storage."""
        return self.table.io

    def manifests(self, snapshot: Snapshot | None) -> list[ManifestFile]:
        """Return the manifests of a snapshot."""
        return [] if snapshot is None else snapshot.manifests(self.io)

    def live_files(self) -> LiveFiles:
        """Return the live files of the head: read once for each manifest list, which never changes."""
        head = self.head
        if head is None:
            return LiveFiles.empty()
        held = self.reader.cache.get((head.manifest_list, 0), lambda: LiveFiles.read(self.reader, self.manifests(head)))
        return replace(held, committed_at_ms=commit_times(self.metadata), sequence_at_ms=sequence_times(self.metadata))
