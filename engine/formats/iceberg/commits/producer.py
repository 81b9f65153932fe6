"""Stage a `replace` snapshot: write its manifests and manifest list without committing.

PyIceberg 0.12 has no rewrite: its producers give outputs the new sequence number (older equality deletes would stop
applying) and the default spec, and refuse the operation `replace`. Here outputs keep the spec and partition of their
inputs (unless the group moves to another spec), and the greatest data sequence number among them, so that the order in
which data was written stays visible; where position deletes were applied it is the base snapshot's, so that other
readers see that these no longer apply. Outputs that move to another spec get the base snapshot's too: equality deletes
that were committed before to the partition they move to never applied to their rows. Inputs become DELETED entries, one
manifest per spec; other entries of their manifests become EXISTING ones of rewritten manifests and keep their sequence
numbers. Deletion vectors of the inputs are removed in the same snapshot, and if requested delete files that then apply
to nothing. Every other manifest is reused unchanged.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriter,
)
from pyiceberg.table.snapshots import Snapshot

from engine.domain.errors import Fatal
from engine.domain.runs.files import InputFile
from engine.domain.values.partitions import partition_text
from engine.formats.base import CommitRequest, WrittenGroup
from engine.formats.iceberg.commits.conflicts import Surviving
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles, StagedSnapshot, discard, is_needed
from engine.formats.iceberg.commits.summaries import replace_summary
from engine.formats.iceberg.manifests.decoding import PUFFIN, identities
from engine.formats.iceberg.manifests.delete_manifests import without
from engine.formats.iceberg.manifests.inheritance import first_row_id_of
from engine.formats.iceberg.manifests.lineage import RowIdRanges
from engine.formats.iceberg.manifests.summaries import split_by_uuid_order, widen_zeros
from engine.formats.iceberg.metadata.dangling import leaving_deletes
from engine.formats.iceberg.metadata.row_ids import has_row_ids, next_row_id
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.statistics.entries import data_files
from engine.formats.iceberg.statistics.metrics_modes import table_modes
from engine.formats.intake.errors import parsing
from engine.formats.intake.overlapping import overlapped

_WRITTEN_AT_ONCE: Final = 16
"""Manifests that are written at the same time: each is a request to the store."""


ReadManifests = dict[tuple[str, int | None], list[ManifestEntry]]


@dataclass
class SnapshotProducer:
    """Writes the metadata of one try on one head.

    `read`: a cache for all tries of a request: the entries of manifests that consist of inputs only, by path and first
    row id, which the manifest list of another head may assign. A stream
    leaves a manifest for each commit; a try that read a thousand of them again would lose to the next commit.
    """

    view: TableView
    base: Snapshot
    request: CommitRequest
    surviving: Surviving
    read: ReadManifests = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._metadata = self.view.metadata
        self._files = SnapshotFiles(self.view, self.request.run_id, self.request.attempt)

    def stage(self) -> StagedSnapshot:
        """Write manifests and manifest list; on any error all of them are deleted.

        Raises:
            Fatal: inputs or outputs do not match the request.
        """
        try:
            return self._stage()
        except BaseException:
            discard(self.view.io, self._files.written)
            raise

    def _stage(self) -> StagedSnapshot:
        rewritten, leaving = self._rewrite_touched()
        removed = {each.data_file.file_path: each.data_file for entries in leaving.values() for each in entries}
        outputs = self._outputs(removed)
        deletes = self._leaving_deletes()
        manifests = [
            *self._write_changes(outputs, leaving),
            *rewritten,
            *(self._write_without(manifest, entries) for manifest, entries in deletes.items()),
            *self._untouched({*self.surviving.touched, *deletes}),
        ]
        gone = [*removed.values(), *self._delete_files(deletes)]
        summary = replace_summary(self.view, self.request, self.surviving.groups, removed=gone, added=outputs)
        return self._files.write_list(manifests, summary)

    def _rewrite_touched(self) -> tuple[list[ManifestFile], Mapping[int, list[ManifestEntry]]]:
        """Write the touched manifests without the inputs; return them, and the inputs' entries by spec."""
        going = {each.path: each for group in self.surviving.groups for each in group.inputs}
        removed: set[str] = set()
        row_ids = RowIdRanges()
        leaving: dict[int, list[ManifestEntry]] = defaultdict(list)

        def remaining() -> Iterator[tuple[int, list[ManifestEntry]]]:
            """Yield the entries that stay of each manifest, with its spec; the others are noted."""
            for manifest, entries in self._entries(going.keys()):
                row_ids.add(manifest, entries)
                staying: list[ManifestEntry] = []
                for entry in entries:
                    file = entry.data_file
                    if file.file_path not in going:
                        staying.append(entry)
                        continue
                    _check_input(file, going[file.file_path], already=file.file_path in removed)
                    removed.add(file.file_path)
                    leaving[manifest.partition_spec_id].append(entry)
                if not staying:
                    self.read[manifest.manifest_path, first_row_id_of(manifest)] = entries
                for each in self._split(manifest.partition_spec_id, staying):
                    yield manifest.partition_spec_id, each

        def write(one: tuple[int, list[ManifestEntry]]) -> ManifestFile:
            return self._write_entries(*one, ManifestWriter.existing)

        manifests = list(overlapped(write, remaining(), at_once=_WRITTEN_AT_ONCE))
        if missing := going.keys() - removed:
            raise Fatal(f"{len(missing)} inputs were live and are in no manifest: {min(missing)}")
        if has_row_ids(self._metadata):
            row_ids.check(below=next_row_id(self._metadata))
        return manifests, leaving

    def _entries(self, going: AbstractSet[str]) -> Iterator[tuple[ManifestFile, list[ManifestEntry]]]:
        """Yield the touched manifests with their live entries; those in the cache first, if all of these still go."""
        unread: list[ManifestFile] = []
        for manifest in self.surviving.touched:
            known = self.read.get((manifest.manifest_path, first_row_id_of(manifest)))
            if known is not None and going >= {each.data_file.file_path for each in known}:
                yield manifest, known
            else:
                unread.append(manifest)
        yield from self.view.full_entries(unread, discard_deleted=True)

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
            snapshot_id=self._files.snapshot_id,
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
        with self._files.manifest_writer(spec_id) as writer:
            for entry in entries:
                with parsing("value of the table's partition spec"):  # the encoder takes foreign values as they are
                    write(writer, entry)
        manifest = writer.to_manifest_file()
        widen_zeros(manifest.partitions or (), self.view.codecs[spec_id].types)
        return manifest

    def _outputs(self, removed: dict[str, DataFile]) -> list[DataFile]:
        made: list[DataFile] = []
        modes = table_modes(self._metadata, self.view.table.newer_types)
        for group in self.surviving.groups:
            for each in group.outputs:
                self.view.check(each.path)
            inputs = [removed[each.path] for each in group.inputs]
            self._check_partition(group, inputs)
            codec = self.view.codecs[group.spec_of_outputs]
            made += data_files(group, inputs, modes=modes, metadata=self._metadata, codec=codec)
        return made

    def _check_partition(self, group: WrittenGroup, inputs: Sequence[DataFile]) -> None:
        codec = self.view.codecs.get(group.spec_id)
        for file in inputs:
            values = [file.partition[at] for at in range(len(file.partition))]
            if codec is None or file.spec_id != group.spec_id or codec.encode(values) != group.partition:
                where = partition_text(group.partition)
                raise Fatal(f"group {group.ordinal} mixes partitions: {file.file_path} is not in {where}")

    def _sequence_numbers(self) -> dict[str, int]:
        """Return the data sequence number of each output."""
        base = self.base.sequence_number or 0
        return {
            output.path: base
            if group.output_spec_id is not None or any(each.deletes for each in group.inputs)
            else max(each.sequence_number for each in group.inputs)
            for group in self.surviving.groups
            for output in group.outputs
        }

    def _leaving_deletes(self) -> Mapping[ManifestFile, pa.Table]:
        groups = self.surviving.groups
        return leaving_deletes(
            self.view,
            {group.place for group in groups},
            run_id=self.request.run_id,
            going=[each.path for group in groups for each in group.inputs],
            drops_dangling=self.request.removes_dangling_deletes,
        )

    def _write_without(self, manifest: ManifestFile, leaving: pa.Table) -> ManifestFile:
        with self.view.io.new_input(manifest.manifest_path).open() as stream:
            body = stream.read()
        made = without(
            body,
            set(identities(leaving)),
            manifest=manifest,
            snapshot_id=self._files.snapshot_id,
            codec=self._files.block_codec,
        )
        path = self._files.write_manifest(made.body)
        return made.listed(manifest, path=path, snapshot_id=self._files.snapshot_id)

    def _delete_files(self, leaving: Mapping[ManifestFile, pa.Table]) -> Iterator[DataFile]:
        """Yield the removed delete files, for the counts in the summary; the size of a vector is its own."""
        columns = ["path", "spec_id", "partition", "file_format", "record_count", "file_bytes", "content_bytes"]
        for entries in leaving.values():
            for each in entries.select(columns).to_pylist():
                is_vector = each["file_format"] == PUFFIN
                file = DataFile.from_args(
                    content=DataFileContent.POSITION_DELETES,
                    file_path=each["path"],
                    file_format=FileFormat.PUFFIN if is_vector else FileFormat.PARQUET,
                    partition=self.view.codecs[each["spec_id"]].decode(each["partition"]),
                    record_count=each["record_count"],
                    file_size_in_bytes=(each["content_bytes"] or 0) if is_vector else each["file_bytes"],
                )
                file.spec_id = each["spec_id"]
                yield file

    def _untouched(self, touched: AbstractSet[ManifestFile]) -> list[ManifestFile]:
        return [each for each in self.view.manifests(self.view.head) if each not in touched and is_needed(each)]


def _check_input(file: DataFile, planned: InputFile, *, already: bool) -> None:
    if already:
        raise Fatal(f"{file.file_path} is live twice; a rewrite would lose its rows once")
    if file.record_count != planned.record_count:
        raise Fatal(f"{file.file_path} has {file.record_count} rows, {planned.record_count} were planned")
