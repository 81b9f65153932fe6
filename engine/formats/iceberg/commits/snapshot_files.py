"""The metadata files of a new snapshot: their names, the manifest list, and their removal if it is not committed."""

import itertools
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from pyiceberg.avro.codecs import AvroCompressionCodec
from pyiceberg.io import FileIO
from pyiceberg.manifest import ManifestFile, ManifestWriter, write_manifest, write_manifest_list
from pyiceberg.table.snapshots import Snapshot, Summary

from engine.formats.iceberg.catalog.paths import metadata_location
from engine.formats.iceberg.commits.metadata_names import manifest_list_name, manifest_name
from engine.formats.iceberg.metadata.partitions import SpecToWrite
from engine.formats.iceberg.metadata.views import TableView

_COMPRESSION: Final[Mapping[str, AvroCompressionCodec]] = {"zstd": "zstandard", "uncompressed": "null"}  # or deflate


@dataclass(frozen=True, slots=True)
class StagedSnapshot:
    """A snapshot that is written but not committed, and the metadata files that only it references."""

    snapshot: Snapshot
    written: tuple[str, ...]


@dataclass
class SnapshotFiles:
    """Names and writes the metadata files of one new snapshot of a run.

    `commit` is the UUID in their names, which connects a manifest list with the run; `numbers` are those of
    manifests; `written` has the paths of all.
    """

    view: TableView
    run_id: str
    attempt: int
    commit: str = field(default_factory=lambda: str(uuid.uuid4()))
    written: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        metadata = self.view.metadata
        self.snapshot_id = metadata.new_snapshot_id()
        codec = metadata.properties.get("write.avro.compression-codec", "gzip").lower()
        self.compression = _COMPRESSION.get(codec, "deflate")
        self._folder = metadata_location(metadata)

    @property
    def block_codec(self) -> AvroCompressionCodec:
        """The codec of manifests that are copied as bytes, `null` or `deflate`."""
        return "null" if self.compression == "null" else "deflate"

    def new_manifest_path(self) -> str:
        """Return the path of a new manifest."""
        return self._new_path(manifest_name(self.run_id, self.attempt, self.commit, next(self.numbers)))

    def write_manifest(self, body: bytes) -> str:
        """Write a manifest with this content; return its path."""
        path = self.new_manifest_path()
        with self.view.io.new_output(path).create() as target:
            target.write(body)
        return path

    @contextmanager
    def manifest_writer(self, spec_id: int) -> Iterator[ManifestWriter]:
        """Yield PyIceberg's writer of a new manifest of a partition spec."""
        codec = self.view.codecs[spec_id]
        with write_manifest(
            format_version=self.view.metadata.format_version,
            spec=SpecToWrite(*codec.spec.fields, spec_id=codec.spec.spec_id),
            schema=codec.schema,
            output_file=self.view.io.new_output(self.new_manifest_path()),
            snapshot_id=self.snapshot_id,
            avro_compression=self.compression,
        ) as writer:
            yield writer

    def write_list(self, manifests: Sequence[ManifestFile], summary: Summary) -> StagedSnapshot:
        """Write the manifest list of the snapshot on top of the view's head, and return the snapshot."""
        metadata, head = self.view.metadata, self.view.head
        path = self._new_path(manifest_list_name(self.snapshot_id, self.attempt, self.commit))
        parent = None if head is None else head.snapshot_id
        sequence_number = metadata.next_sequence_number()
        with write_manifest_list(
            format_version=metadata.format_version,
            output_file=self.view.io.new_output(path),
            snapshot_id=self.snapshot_id,
            parent_snapshot_id=parent,
            sequence_number=sequence_number,
            avro_compression=self.compression,
        ) as writer:
            writer.add_manifests(list(manifests))
        snapshot = Snapshot.model_validate(
            {
                "snapshot-id": self.snapshot_id,
                "parent-snapshot-id": parent,
                "sequence-number": sequence_number,
                # a slow clock must not make the timestamps of the table's history decrease
                "timestamp-ms": max(int(time.time() * 1000), metadata.last_updated_ms),
                "manifest-list": path,
                "summary": summary,
                "schema-id": metadata.current_schema_id,
            }
        )
        return StagedSnapshot(snapshot, tuple(self.written))

    def _new_path(self, name: str) -> str:
        path = f"{self._folder}/{name}"
        self.written.append(path)
        return path


def is_needed(manifest: ManifestFile) -> bool:
    """Return whether a manifest has live entries; one with only deleted files matters only to its own snapshot."""
    return manifest.has_added_files() or manifest.has_existing_files()


def discard(io: FileIO, paths: Sequence[str]) -> None:
    """Delete metadata files that nothing can reference; files that can't be deleted remain as orphans."""
    for path in paths:
        with suppress(OSError):
            io.delete(path)
