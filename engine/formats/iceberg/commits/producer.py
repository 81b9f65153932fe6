"""Stage a `replace` snapshot: write its manifests and manifest list without committing.

PyIceberg 0.12 has no rewrite: its producers give outputs the new sequence number (older equality deletes would stop
applying) and the default spec, and refuse the operation `replace`. Here outputs keep the spec and partition of their
inputs, and the greatest data sequence number among them, so that the order in which data was written stays visible;
where position deletes were applied it is the base snapshot's, so that other readers see that these no longer apply.
Inputs become DELETED entries, one manifest per spec; other entries of their manifests become EXISTING ones of rewritten
manifests and keep their sequence numbers. If requested, delete files that then apply to nothing are removed in the same
snapshot. Every other manifest is reused unchanged.
"""

import itertools
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
from pyiceberg.avro.codecs import AvroCompressionCodec
from pyiceberg.io import FileIO
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriter,
    write_manifest,
    write_manifest_list,
)
from pyiceberg.table.snapshots import Snapshot, Summary

from engine.domain.errors import Fatal
from engine.domain.runs.files import InputFile
from engine.formats.base import CommitRequest, WrittenGroup
from engine.formats.iceberg.catalog.paths import metadata_location
from engine.formats.iceberg.commits.conflicts import Surviving
from engine.formats.iceberg.commits.metadata_names import manifest_list_name, manifest_name
from engine.formats.iceberg.commits.summaries import replace_summary
from engine.formats.iceberg.manifests.delete_manifests import without
from engine.formats.iceberg.manifests.overlapping import overlapped
from engine.formats.iceberg.manifests.summaries import split_by_uuid_order, widen_zeros
from engine.formats.iceberg.metadata.dangling import dangling_deletes
from engine.formats.iceberg.metadata.partitions import SpecToWrite
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.statistics.entries import data_files
from engine.formats.iceberg.statistics.metrics_modes import table_modes

_COMPRESSION: Final[Mapping[str, AvroCompressionCodec]] = {"zstd": "zstandard", "uncompressed": "null"}  # or deflate


@dataclass(frozen=True, slots=True)
class StagedSnapshot:
    """A snapshot that is written but not committed, and the metadata files that only it references."""

    snapshot: Snapshot
    written: tuple[str, ...]


_WRITTEN_AT_ONCE: Final = 16
"""Manifests that are written at the same time: each is a request to the store."""


@dataclass
class SnapshotProducer:
    """Writes the metadata of one try on one head."""

    view: TableView
    base: Snapshot
    request: CommitRequest
    surviving: Surviving
    _written: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _commit_uuid: str = field(default_factory=lambda: str(uuid.uuid4()))

    def __post_init__(self) -> None:
        self._metadata = self.view.metadata
        self._snapshot_id = self._metadata.new_snapshot_id()
        properties = self._metadata.properties
        self._compression = _COMPRESSION.get(properties.get("write.avro.compression-codec", "gzip").lower(), "deflate")
        self._folder = metadata_location(self._metadata)

    def stage(self) -> StagedSnapshot:
        """Write manifests and manifest list; on any error all of them are deleted.

        Raises:
            Fatal: inputs or outputs do not match the request.
        """
        try:
            return self._stage()
        except BaseException:
            discard(self.view.io, self._written)
            raise

    def _stage(self) -> StagedSnapshot:
        rewritten, leaving = self._rewrite_touched()
        removed = {each.data_file.file_path: each.data_file for entries in leaving.values() for each in entries}
        outputs = self._outputs(removed)
        dangling = self._dangling() if self.request.removes_dangling_deletes else {}
        manifests = [
            *self._write_changes(outputs, leaving),
            *rewritten,
            *(self._write_without(manifest, entries) for manifest, entries in dangling.items()),
            *self._untouched({*self.surviving.touched, *dangling}),
        ]
        gone = [*removed.values(), *self._delete_files(dangling, removed)]
        summary = replace_summary(self.view, self.request, self.surviving.groups, removed=gone, added=outputs)
        snapshot = self._write_list(manifests, summary)
        return StagedSnapshot(snapshot, tuple(self._written))

    def _rewrite_touched(self) -> tuple[list[ManifestFile], Mapping[int, list[ManifestEntry]]]:
        """Write the touched manifests without the inputs; return them, and the inputs' entries by spec."""
        going = {each.path: each for group in self.surviving.groups for each in group.inputs}
        removed: set[str] = set()
        leaving: dict[int, list[ManifestEntry]] = defaultdict(list)

        def remaining() -> Iterator[tuple[int, list[ManifestEntry]]]:
            """Yield the entries that stay of each manifest, with its spec; the others are noted."""
            for manifest, entries in self.view.full_entries(self.surviving.touched, discard_deleted=True):
                staying: list[ManifestEntry] = []
                for entry in entries:
                    file = entry.data_file
                    if file.file_path not in going:
                        staying.append(entry)
                        continue
                    _check_input(file, going[file.file_path], already=file.file_path in removed)
                    removed.add(file.file_path)
                    leaving[manifest.partition_spec_id].append(entry)
                for each in self._split(manifest.partition_spec_id, staying):
                    yield manifest.partition_spec_id, each

        def write(one: tuple[int, list[ManifestEntry]]) -> ManifestFile:
            return self._write_entries(*one, ManifestWriter.existing)

        manifests = list(overlapped(write, remaining(), at_once=_WRITTEN_AT_ONCE))
        if missing := going.keys() - removed:
            raise Fatal(f"{len(missing)} inputs were live and are in no manifest: {min(missing)}")
        return manifests, leaving

    def _write_changes(
        self, outputs: Sequence[DataFile], leaving: Mapping[int, list[ManifestEntry]]
    ) -> list[ManifestFile]:
        """Write the manifests of the outputs and those of the inputs, one of each for a spec (see `_split`).

        Not one per touched manifest: readers of this snapshot open every manifest in its list.
        """
        added: dict[int, list[ManifestEntry]] = defaultdict(list)
        numbers = self._sequence_numbers()
        for file in outputs:
            added[file.spec_id].append(self._added(file, numbers[file.file_path]))
        work = [
            (spec, some, write)
            for changed, write in ((added, ManifestWriter.add), (leaving, ManifestWriter.delete))
            for spec, entries in sorted(changed.items())
            for some in self._split(spec, entries)
        ]
        return list(overlapped(lambda one: self._write_entries(*one), work, at_once=_WRITTEN_AT_ONCE))

    def _split(self, spec_id: int, entries: Sequence[ManifestEntry]) -> Iterator[list[ManifestEntry]]:
        """Yield the entries of each manifest of a spec: one, unless readers order its uuids differently."""
        return split_by_uuid_order(entries, self.view.codecs[spec_id].types)

    def _added(self, file: DataFile, sequence_number: int) -> ManifestEntry:
        return ManifestEntry.from_args(
            status=ManifestEntryStatus.ADDED,
            snapshot_id=self._snapshot_id,
            sequence_number=sequence_number,
            file_sequence_number=None,
            data_file=file,
        )

    def _write_entries(
        self,
        spec_id: int,
        entries: Sequence[ManifestEntry],
        write: Callable[[ManifestWriter, ManifestEntry], ManifestWriter],
    ) -> ManifestFile:
        with self._manifest_writer(spec_id) as writer:
            for entry in entries:
                write(writer, entry)
        manifest = writer.to_manifest_file()
        widen_zeros(manifest.partitions or (), self.view.codecs[spec_id].types)
        return manifest

    def _outputs(self, removed: dict[str, DataFile]) -> list[DataFile]:
        made: list[DataFile] = []
        modes = table_modes(self._metadata)
        for group in self.surviving.groups:
            for each in group.outputs:
                self.view.check(each.path)
            inputs = [removed[each.path] for each in group.inputs]
            self._check_partition(group, inputs)
            made += data_files(group, inputs, modes=modes, metadata=self._metadata)
        return made

    def _check_partition(self, group: WrittenGroup, inputs: Sequence[DataFile]) -> None:
        codec = self.view.codecs.get(group.spec_id)
        for file in inputs:
            values = [file.partition[at] for at in range(len(file.partition))]
            if codec is None or file.spec_id != group.spec_id or codec.encode(values) != group.partition:
                raise Fatal(f"group {group.ordinal} mixes partitions: {file.file_path} is not in {group.partition}")

    def _sequence_numbers(self) -> dict[str, int]:
        """Return the data sequence number of each output."""
        base = self.base.sequence_number or 0
        return {
            output.path: base
            if any(each.deletes for each in group.inputs)
            else max(each.sequence_number for each in group.inputs)
            for group in self.surviving.groups
            for output in group.outputs
        }

    def _dangling(self) -> Mapping[ManifestFile, pa.Table]:
        groups = self.surviving.groups
        return dangling_deletes(
            self.view,
            {group.place for group in groups},
            run_id=self.request.run_id,
            going=[each.path for group in groups for each in group.inputs],
        )

    def _write_without(self, manifest: ManifestFile, dangling: pa.Table) -> ManifestFile:
        with self.view.io.new_input(manifest.manifest_path).open() as stream:
            body = stream.read()
        made = without(
            body,
            set(dangling["path"].to_pylist()),
            manifest=manifest,
            snapshot_id=self._snapshot_id,
            codec="null" if self._compression == "null" else "deflate",
        )
        path = self._new_path(self._manifest_name())
        with self.view.io.new_output(path).create() as target:
            target.write(made.body)
        return made.listed(manifest, path=path, snapshot_id=self._snapshot_id)

    def _delete_files(
        self, dangling: Mapping[ManifestFile, pa.Table], removed: Mapping[str, DataFile]
    ) -> Iterator[DataFile]:
        """Yield the removed delete files, for the counts in the summary."""
        partitions = {group.place: removed[group.inputs[0].path].partition for group in self.surviving.groups}
        columns = ["path", "spec_id", "partition", "record_count", "file_bytes"]
        for entries in dangling.values():
            for each in entries.select(columns).to_pylist():
                file = DataFile.from_args(
                    content=DataFileContent.POSITION_DELETES,
                    file_path=each["path"],
                    file_format=FileFormat.PARQUET,
                    partition=partitions[each["spec_id"], each["partition"]],
                    record_count=each["record_count"],
                    file_size_in_bytes=each["file_bytes"],
                )
                file.spec_id = each["spec_id"]
                yield file

    def _untouched(self, touched: AbstractSet[ManifestFile]) -> list[ManifestFile]:
        return [each for each in self.view.manifests(self.view.head) if each not in touched and _is_needed(each)]

    def _manifest_name(self) -> str:
        return manifest_name(self.request.run_id, self.request.attempt, self._commit_uuid, next(self._numbers))

    @contextmanager
    def _manifest_writer(self, spec_id: int) -> Iterator[ManifestWriter]:
        codec = self.view.codecs[spec_id]
        with write_manifest(
            format_version=self._metadata.format_version,
            spec=SpecToWrite(*codec.spec.fields, spec_id=codec.spec.spec_id),
            schema=codec.schema,
            output_file=self.view.io.new_output(self._new_path(self._manifest_name())),
            snapshot_id=self._snapshot_id,
            avro_compression=self._compression,
        ) as writer:
            yield writer

    def _write_list(self, manifests: list[ManifestFile], summary: Summary) -> Snapshot:
        path = self._new_path(manifest_list_name(self._snapshot_id, self.request.attempt, self._commit_uuid))
        head = self.view.head
        parent = None if head is None else head.snapshot_id
        sequence_number = self._metadata.next_sequence_number()
        with write_manifest_list(
            format_version=self._metadata.format_version,
            output_file=self.view.io.new_output(path),
            snapshot_id=self._snapshot_id,
            parent_snapshot_id=parent,
            sequence_number=sequence_number,
            avro_compression=self._compression,
        ) as writer:
            writer.add_manifests(manifests)
        return Snapshot.model_validate(
            {
                "snapshot-id": self._snapshot_id,
                "parent-snapshot-id": parent,
                "sequence-number": sequence_number,
                # a slow clock must not make the timestamps of the table's history decrease
                "timestamp-ms": max(int(time.time() * 1000), self._metadata.last_updated_ms),
                "manifest-list": path,
                "summary": summary,
                "schema-id": self._metadata.current_schema_id,
            }
        )

    def _new_path(self, name: str) -> str:
        path = f"{self._folder}/{name}"
        self._written.append(path)
        return path


def _check_input(file: DataFile, planned: InputFile, *, already: bool) -> None:
    if already:
        raise Fatal(f"{file.file_path} is live twice; a rewrite would lose its rows once")
    if file.record_count != planned.record_count:
        raise Fatal(f"{file.file_path} has {file.record_count} rows, {planned.record_count} were planned")


def _is_needed(manifest: ManifestFile) -> bool:
    """Return whether a manifest has live entries; one with only deleted files matters only to its own snapshot."""
    return manifest.has_added_files() or manifest.has_existing_files()


def discard(io: FileIO, paths: Sequence[str]) -> None:
    """Delete metadata files that nothing can reference; files that can't be deleted remain as orphans."""
    for path in paths:
        with suppress(OSError):
            io.delete(path)
