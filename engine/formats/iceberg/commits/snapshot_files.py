"""The metadata files of a new snapshot: their names, the manifest list, and their removal if it is not committed."""

import itertools
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import pyarrow.compute as pc
from pyiceberg.avro.codecs import AvroCompressionCodec
from pyiceberg.io import FileIO
from pyiceberg.manifest import ManifestContent, ManifestFile, ManifestWriter, write_manifest, write_manifest_list
from pyiceberg.table.snapshots import Snapshot, Summary

from engine.formats.iceberg.catalog.paths import metadata_location
from engine.formats.iceberg.commits.metadata_names import manifest_list_name, manifest_name
from engine.formats.iceberg.intake.metadata_files import stored_schema
from engine.formats.iceberg.manifests.delete_entries import DeleteManifestWriter
from engine.formats.iceberg.manifests.inheritance import first_row_id_of
from engine.formats.iceberg.manifests.reading import live
from engine.formats.iceberg.manifests.version_3 import (
    DataManifestWriterV3,
    DeleteManifestWriterV3,
    ManifestListWriterV3,
)
from engine.formats.iceberg.metadata.partitions import SpecToWrite
from engine.formats.iceberg.metadata.row_ids import has_row_ids, next_row_id
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
    manifests; `written` has the paths of all; `unassigned`: rows of live files without a first row id in new manifests
    of data files, by path (format version 3).
    """

    view: TableView
    run_id: str
    attempt: int
    commit: str = field(default_factory=lambda: str(uuid.uuid4()))
    written: list[str] = field(default_factory=list)
    unassigned: dict[str, int] = field(default_factory=dict)
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
        codec, path, metadata = self.view.codecs[spec_id], self.new_manifest_path(), self.view.metadata
        spec, target = SpecToWrite(*codec.spec.fields, spec_id=codec.spec.spec_id), self.view.io.new_output(path)
        given = (spec, codec.schema, target, self.snapshot_id, self.compression)
        if not has_row_ids(metadata):
            with write_manifest(metadata.format_version, *given) as writer:
                yield writer
            return
        header = stored_schema(self.view.table.document, codec.schema.schema_id)
        with DataManifestWriterV3(*given, schema_json=header) as in_version_3:
            yield in_version_3
        self.unassigned[path] = in_version_3.unassigned_rows

    def delete_manifest_writer(self, spec_id: int) -> ManifestWriter:
        """Return the writer of a new manifest of delete files of a partition spec."""
        codec, path, metadata = self.view.codecs[spec_id], self.new_manifest_path(), self.view.metadata
        spec, target = SpecToWrite(*codec.spec.fields, spec_id=codec.spec.spec_id), self.view.io.new_output(path)
        given = (spec, codec.schema, target, self.snapshot_id, self.compression)
        if not has_row_ids(metadata):
            return DeleteManifestWriter(*given)
        header = stored_schema(self.view.table.document, codec.schema.schema_id)
        return DeleteManifestWriterV3(*given, schema_json=header)

    def write_list(self, manifests: Sequence[ManifestFile], summary: Summary) -> StagedSnapshot:
        """Write the manifest list of the snapshot on top of the view's head, and return the snapshot."""
        metadata, head = self.view.metadata, self.view.head
        path = self._new_path(manifest_list_name(self.snapshot_id, self.attempt, self.commit))
        parent = None if head is None else head.snapshot_id
        sequence_number = metadata.next_sequence_number()
        target = self.view.io.new_output(path)
        given = (self.snapshot_id, parent, sequence_number, self.compression)
        row_ids: dict[str, int] = {}
        if has_row_ids(metadata):
            first, rows = next_row_id(metadata), self._unassigned(manifests)
            with ManifestListWriterV3(target, *given, first_row_id=first, unassigned=rows) as in_version_3:
                in_version_3.add_manifests(list(manifests))
            row_ids = {"first-row-id": first, "added-rows": in_version_3.added_rows}
        else:
            with write_manifest_list(metadata.format_version, target, *given) as writer:
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
                **row_ids,
            }
        )
        return StagedSnapshot(snapshot, tuple(self.written))

    def _unassigned(self, manifests: Sequence[ManifestFile]) -> Mapping[str, int]:
        """Return the rows that get ids, by manifest: of new ones, and of all in a table without a commit since upgrade.

        The latter are counted by their entries, as readers do: a wrong count in the list would give two rows one id.
        """
        old = [
            each
            for each in manifests
            if each.content == ManifestContent.DATA
            and first_row_id_of(each) is None
            and each.manifest_path not in self.unassigned
        ]
        rows = (pc.sum(live(entries)["record_count"]).as_py() or 0 for entries in self.view.reader.each(old))
        return {**self.unassigned, **{each.manifest_path: count for each, count in zip(old, rows, strict=True)}}

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
