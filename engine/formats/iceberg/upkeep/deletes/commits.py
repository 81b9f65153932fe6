"""Rewrite position-delete files: write the merged ones, and commit a snapshot that lists them in place of the others.

A new file has the greatest data sequence number of those it replaces, as in Iceberg's own procedure, and only rows that
applied: it applies to the same rows of the same data files. Each try plans from its own head, because another commit
may have removed a delete file or added a data file; files that a refused try wrote are deleted.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow.compute as pc
import structlog
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
)
from pyiceberg.table.snapshots import Operation, SnapshotSummaryCollector, Summary, update_snapshot_summaries
from pyiceberg.typedef import Record

from engine.domain.errors import CommitConflict
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.left_out import LeftOut
from engine.domain.runs.output_names import output_prefix
from engine.formats.base import RewrittenSnapshot
from engine.formats.iceberg.catalog.paths import output_directory
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles, StagedSnapshot, discard, is_needed
from engine.formats.iceberg.commits.summaries import usable_totals, with_vector_counts
from engine.formats.iceberg.commits.tries import CommitTries, Proposal
from engine.formats.iceberg.errors import reading_table, translated
from engine.formats.iceberg.manifests.decoding import DELETED, DeleteIdentity, identities
from engine.formats.iceberg.manifests.delete_manifests import without
from engine.formats.iceberg.manifests.summaries import split_by_uuid_order, widen_zeros
from engine.formats.iceberg.metadata.history import ATTEMPT, RUN_ID, summary_of
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.upkeep.deletes.files import MergedDeletes, data_file_of, merged_rows, parquet_of
from engine.formats.iceberg.upkeep.deletes.plans import (
    DeleteFile,
    check_eligible,
    delete_manifests,
    live_data,
    select,
)
from engine.formats.iceberg.upkeep.deletes.positions import DeleteEvidence, LiveData, Positions
from engine.formats.iceberg.upkeep.deletes.puffin_files import counted_file, puffin_of, vector_files
from engine.formats.iceberg.upkeep.deletes.vector_files import made_vectors
from engine.formats.iceberg.upkeep.deletes.vector_plans import with_vectors

_log = structlog.get_logger(__name__)

_MARK = "deletes"
_CREATED_BY = "Packhouse"


@dataclass
class DeleteRewrite:
    """One rewrite of the delete files of the table with this uuid, by one attempt at a run."""

    tries: CommitTries
    uuid: str
    run_id: str
    attempt: int
    announce: Callable[[LeftOut], None] = lambda _: None
    evidence: DeleteEvidence = field(default_factory=DeleteEvidence)
    """Receives what is read, for the proof and for a try on another head."""
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def commit(self, *, before_try: Callable[[], None]) -> RewrittenSnapshot:
        """Rewrite and commit; see `formats.base.SnapshotRewrite.commit`."""
        done = self.tries.commit(self._proposal, before_try=before_try)
        return RewrittenSnapshot(None if done.snapshot is None else done.snapshot.snapshot_id, done.content)

    def _proposal(self, view: TableView) -> Proposal[LeftOut]:
        if str(view.metadata.table_uuid) != self.uuid:
            raise CommitConflict(f"the table was replaced: its uuid is {view.metadata.table_uuid}, not {self.uuid}")
        check_eligible(view)
        files = SnapshotFiles(view, self.run_id, self.attempt)
        try:
            with reading_table("rewrite the delete files"):
                groups = list(self._vectors(view, files) if with_vectors(view) else self._merged(view, files))
        except BaseException:
            discard(view.io, files.written)
            raise
        merged = [each for each in groups if each.old]
        left_out = LeftOut.of(item for each in groups for item in each.left_out)
        if left_out.count:
            _log.warning("delete_files_left_out", **left_out.document())
        self.announce(left_out)
        return Proposal(left_out, (lambda: self._stage(view, files, merged)) if merged else None)

    def _merged(self, view: TableView, files: SnapshotFiles) -> Iterator[MergedDeletes]:
        """Write the files in place of those that a rewrite of this head replaces, and yield both for each group."""
        groups = select(view).groups
        live = LiveData(live_data(view, view.manifests(view.head))) if groups else None
        for group in groups:
            if live is None:
                return
            found = merged_rows(view.table.io, group, live, self.evidence)
            number = max((each.sequence_number for each in found.files), default=0)
            new = () if found.rows is None else ((self._written(view, files, found.files[0], found.rows), number),)
            yield MergedDeletes(found.files, new, found.left_out)

    def _written(self, view: TableView, files: SnapshotFiles, like: DeleteFile, rows: Positions) -> DataFile:
        codec, body = view.codecs[like.spec_id], parquet_of(rows)
        path = self._stored(view, files, (like.spec_id, like.partition), body, suffix="parquet")
        return data_file_of(rows, body, path=path, spec_id=like.spec_id, partition=codec.decode(like.partition))

    def _vectors(self, view: TableView, files: SnapshotFiles) -> Iterator[MergedDeletes]:
        """Write the vectors in place of the deletes that a rewrite of this head replaces: a file for each partition."""
        made = made_vectors(view)
        self.evidence.copied.update(made.copied)
        added: list[tuple[DataFile, int]] = []
        for place, some in made.by_place():
            blobs, codec = [each.blob for each in some], view.codecs[place[0]]
            puffin = puffin_of(blobs, created_by=_CREATED_BY)
            path = self._stored(view, files, place, puffin.body, suffix="puffin")
            partitions = [codec.decode(place[1])] * len(some)
            entries = vector_files(blobs, puffin, path=path, spec_id=place[0], partitions=partitions)
            added += zip(entries, (each.sequence_number for each in some), strict=True)
        yield MergedDeletes(made.old, tuple(added), made.left_out)

    def _stored(self, view: TableView, files: SnapshotFiles, place: Place, body: bytes, *, suffix: str) -> str:
        """Write a delete file of a partition; return its path."""
        name = f"{output_prefix(self.run_id, next(self._numbers), self.attempt, _MARK)}0.{suffix}"
        partition = view.codecs[place[0]].path(place[1])
        path = f"{output_directory(view.metadata, partition_path=partition, name=name)}/{name}"
        view.check(path)
        files.written.append(path)
        with translated("write a delete file"), view.table.io.new_output(path).create() as target:
            target.write(body)
        return path

    def _stage(self, view: TableView, files: SnapshotFiles, merged: Sequence[MergedDeletes]) -> StagedSnapshot:
        try:
            gone = {each.identity for one in merged for each in one.old}
            touched = dict(_touched(view, gone))
            manifests = [
                *_added(view, files, merged),
                *(_without(view, files, manifest, some) for manifest, some in touched.items()),
                *(each for each in view.manifests(view.head) if each not in touched and is_needed(each)),
            ]
            return files.write_list(manifests, _summary(view, self.run_id, self.attempt, merged))
        except BaseException:
            discard(view.io, files.written)
            raise


def _touched(view: TableView, gone: set[DeleteIdentity]) -> Iterator[tuple[ManifestFile, set[DeleteIdentity]]]:
    """Yield the manifests that list delete files to be removed, with the identities of those."""
    manifests = delete_manifests(view.manifests(view.head))
    for manifest, entries in zip(manifests, view.reader.each(manifests), strict=True):
        live = entries.filter(pc.not_equal(entries["status"], DELETED))
        if some := gone.intersection(identities(live)):
            yield manifest, some


def _added(view: TableView, files: SnapshotFiles, merged: Sequence[MergedDeletes]) -> Iterator[ManifestFile]:
    """Write the manifests of the new files, one for each spec, and yield their entries in the manifest list."""
    added: dict[int, list[ManifestEntry]] = defaultdict(list)
    for each in merged:
        for file, number in each.new:
            added[file.spec_id].append(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED,
                    snapshot_id=files.snapshot_id,
                    sequence_number=number,
                    data_file=file,
                )
            )
    for spec_id, entries in sorted(added.items()):
        codec = view.codecs[spec_id]
        for some in split_by_uuid_order(entries, codec.types):
            with files.delete_manifest_writer(spec_id) as writer:
                for entry in some:
                    writer.add(entry)
            manifest = writer.to_manifest_file()
            widen_zeros(manifest.partitions or (), codec.types)
            yield manifest


def _without(view: TableView, files: SnapshotFiles, manifest: ManifestFile, gone: set[DeleteIdentity]) -> ManifestFile:
    """Write a manifest without some of its delete files; return its entry in the manifest list."""
    (body,) = view.reader.bodies([manifest])
    made = without(body, gone, manifest=manifest, snapshot_id=files.snapshot_id, codec=files.block_codec)
    return made.listed(manifest, path=files.write_manifest(made.body), snapshot_id=files.snapshot_id)


def _summary(view: TableView, run_id: str, attempt: int, merged: Sequence[MergedDeletes]) -> Summary:
    collector = SnapshotSummaryCollector()
    removed = [_as_data_file(each) for one in merged for each in one.old]
    added = [counted_file(file) for one in merged for file, _ in one.new]
    for each in removed:
        collector.metrics.remove_file(each)
    for each in added:
        collector.metrics.add_file(each)
    # the collector's own methods build a partition's path for each file, and only the number of partitions is stated
    places = {(each.spec_id, each.partition) for one in merged for each in one.old}
    for path in filter(None, (view.codecs[spec_id].path(partition) for spec_id, partition in places)):
        collector.partition_metrics[path] = collector.metrics
    counts = with_vector_counts(collector.build(), removed=removed, added=added)
    ours: Mapping[str, str] = {RUN_ID: run_id, ATTEMPT: str(attempt)}
    counted = update_snapshot_summaries(
        # `replace` is refused there, although its totals are those of an overwrite
        summary=Summary(Operation.OVERWRITE, **counts, **ours),
        previous_summary=usable_totals(summary_of(view.head)) if view.head else None,
    )
    return Summary(Operation.REPLACE, **counted.additional_properties)


def _as_data_file(file: DeleteFile) -> DataFile:
    """Return a file for the counts of a summary, which need no partition."""
    return DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=file.path,
        file_format=FileFormat.PARQUET if file.length is None else FileFormat.PUFFIN,
        partition=Record(),
        record_count=file.record_count,
        file_size_in_bytes=file.stored_bytes,
    )
