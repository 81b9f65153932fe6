"""Rewrite manifests: write the merged ones, and commit a snapshot that lists them in place of the others.

After a lost race, manifests that are written already are used again as long as the new head still has all that they
replace: commits of other writers add manifests, they rarely replace any.
"""

import itertools
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from pyiceberg.io import FileIO
from pyiceberg.manifest import ManifestFile
from pyiceberg.table.snapshots import Operation, Summary, update_snapshot_summaries

from engine.domain.errors import CommitConflict, OutcomeUnknown
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles, StagedSnapshot, discard, is_needed
from engine.formats.iceberg.commits.summaries import usable_totals
from engine.formats.iceberg.commits.tries import CommitTries, Proposal
from engine.formats.iceberg.errors import decoding, reading_table, translated
from engine.formats.iceberg.manifests.entry_bytes import EntryLayout
from engine.formats.iceberg.manifests.entry_row_ids import RowIdPlace
from engine.formats.iceberg.manifests.reading import live
from engine.formats.iceberg.metadata.history import ATTEMPT, RUN_ID, summary_of
from engine.formats.iceberg.metadata.row_ids import has_row_ids, next_row_id
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.upkeep.manifests.entries import plain
from engine.formats.iceberg.upkeep.manifests.evidence import Evidence, Reading, digest, listed_as
from engine.formats.iceberg.upkeep.manifests.merging import ManifestMerge, MergedManifest, Sources
from engine.formats.iceberg.upkeep.manifests.plans import Selection, check_eligible, mergeable, select, target_of
from engine.formats.intake.avro.blocks import readable, schema_of
from engine.formats.intake.limits import Malformed
from engine.formats.intake.overlapping import overlapped

CREATED: Final = "manifests-created"
KEPT: Final = "manifests-kept"
REPLACED: Final = "manifests-replaced"
_WRITTEN_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class _Replaced:
    """Manifests of a head as they were read, and those that are written in their place, by path.

    `inherits`: whether entries of the new ones inherit numbers, as they do in format version 1.
    """

    old: Reading
    new: Mapping[str, MergedManifest]
    inherits: bool

    @property
    def paths(self) -> frozenset[str]:
        """Paths of the old ones."""
        return frozenset(self.old.digests)

    def evidence(self) -> Evidence:
        """Return what a proof can use of it."""
        new = [Reading({path: digest(each.body)}, {}, each.entries, each.seconds) for path, each in self.new.items()]
        return Evidence(self.old, [] if self.inherits else new)


@dataclass
class ManifestRewrite:
    """One rewrite of the manifests of the table with this uuid, by one attempt at a run."""

    tries: CommitTries
    uuid: str
    run_id: str
    attempt: int
    _ready: list[_Replaced] = field(default_factory=list)
    _written: list[str] = field(default_factory=list)
    _io: FileIO | None = None
    _commit: str = field(default_factory=lambda: str(uuid4()))
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def commit(self, *, before_try: Callable[[], None]) -> tuple[int | None, Sequence[Evidence]]:
        """Rewrite and commit; return the snapshot's id and the evidence for its proof.

        See `formats.base.SnapshotRewrite.commit`.
        """
        try:
            done = self.tries.commit(self._proposal, before_try=before_try)
        except OutcomeUnknown:
            self._discard_except(self._ready)  # the snapshot may be committed, and then it needs them
            raise
        except Exception:
            self._discard_except(())
            raise
        self._discard_except(done.content)
        snapshot_id = None if done.snapshot is None else done.snapshot.snapshot_id
        return snapshot_id, [each.evidence() for each in done.content]

    def _proposal(self, view: TableView) -> Proposal[Sequence[_Replaced]]:
        if str(view.metadata.table_uuid) != self.uuid:
            raise CommitConflict(f"the table was replaced: its uuid is {view.metadata.table_uuid}, not {self.uuid}")
        check_eligible(view)
        with reading_table("read the manifests"):
            head = view.manifests(view.head)
            by_path = {each.manifest_path: each for each in head}
            self._ready = [each for each in self._ready if each.old.is_listed(by_path)] or list(
                self._merged(view, head)
            )
        ready = self._ready
        return Proposal(ready, (lambda: self._stage(view, head, ready)) if ready else None)

    def _merged(self, view: TableView, head: Sequence[ManifestFile]) -> Iterator[_Replaced]:
        """Write the manifests in place of those that a rewrite of this head replaces, and yield both."""
        files = self._files(view)

        def write(one: MergedManifest) -> str:
            with translated("write the snapshot's metadata"):
                return files.write_manifest(one.body)

        files.written, self._io = self._written, view.io
        for chosen in select(mergeable(view, head), target_of(view)):
            for old, merged in _merges(view, chosen, files.block_codec):
                paths = list(overlapped(write, merged, at_once=_WRITTEN_AT_ONCE))
                yield _Replaced(old, dict(zip(paths, merged, strict=True)), view.metadata.format_version == 1)

    def _stage(self, view: TableView, head: Sequence[ManifestFile], replaced: Sequence[_Replaced]) -> StagedSnapshot:
        files = self._files(view)
        old = {path for each in replaced for path in each.paths}
        new = [
            manifest.listed(path, snapshot_id=files.snapshot_id)
            for each in replaced
            for path, manifest in each.new.items()
        ]
        files.unassigned |= {path: each.unassigned_rows for one in replaced for path, each in one.new.items()}
        kept = [each for each in head if each.manifest_path not in old and is_needed(each)]
        counts = {CREATED: len(new), KEPT: len(kept), REPLACED: len(head) - len(kept)}
        try:
            return files.write_list([*new, *kept], _summary(view, self.run_id, self.attempt, counts))
        except BaseException:
            discard(view.io, files.written)
            raise

    def _files(self, view: TableView) -> SnapshotFiles:
        return SnapshotFiles(view, self.run_id, self.attempt, commit=self._commit, numbers=self._numbers)

    def _discard_except(self, used: Sequence[_Replaced]) -> None:
        """Delete the written manifests that are not in `used`."""
        needed = {path for each in used for path in each.new}
        if self._io is not None:
            discard(self._io, [path for path in self._written if path not in needed])


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A manifest with its content, as `avro_blocks.readable` returns it, and the schema in it."""

    manifest: ManifestFile
    digest: bytes
    body: bytes
    schema: bytes
    seconds: float


def _merges(view: TableView, chosen: Selection, compression: str) -> Iterator[tuple[Reading, Sequence[MergedManifest]]]:
    """Yield the manifests of each Avro schema in a selection, as they were read, with those to write in their place.

    Manifests of one schema are merged however its JSON is spelt in their headers, as `plans` predicts.
    """
    alike: dict[str, list[_Fetched]] = defaultdict(list)
    encodings: dict[bytes, str] = {}  # most headers are the same bytes
    for each in _fetched(view, chosen.manifests):
        if each.schema not in encodings:
            encodings[each.schema] = _encoding_of(each.schema)
        alike[encodings[each.schema]].append(each)
    target = target_of(view)
    for some in alike.values():
        started = time.perf_counter()
        layout = EntryLayout.of(some[0].schema)
        codec = view.codecs[some[0].manifest.partition_spec_id]
        sources = Sources.of([each.manifest for each in some], [each.body for each in some], codec)
        seconds = time.perf_counter() - started + sum(each.seconds for each in some)
        if layout is None:
            continue
        place = None
        if has_row_ids(view.metadata):
            sources.check_row_ids(below=next_row_id(view.metadata))
            if sources.has_implicit_row_ids and (place := RowIdPlace.of(layout)) is None:
                continue
        merge = ManifestMerge(sources, layout, codec, view.metadata.format_version, compression, place)
        merged = merge.merged(target)
        if len(merged) != len(some):  # fewer by merging, more by splitting
            digests = {each.manifest.manifest_path: each.digest for each in some}
            listed = {each.manifest.manifest_path: listed_as(each.manifest) for each in some}
            yield Reading(digests, listed, plain(live(sources.entries)), seconds), merged


def _encoding_of(schema: bytes) -> str:
    """Return a text that is equal for Avro schemas of equal encoding: without comments, the keys in order."""

    def without_comment(found: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in found.items() if name != "doc"}

    return json.dumps(json.loads(schema, object_hook=without_comment), sort_keys=True)


def _fetched(view: TableView, manifests: Sequence[ManifestFile]) -> Iterator[_Fetched]:
    for manifest, stored in zip(manifests, view.reader.stored(manifests), strict=True):
        started = time.perf_counter()
        with decoding(f"manifest {manifest.manifest_path}"):
            if manifest.partition_spec_id not in view.codecs:
                raise Malformed(f"the table has no partition spec {manifest.partition_spec_id}")
            body = readable(stored)
            schema = schema_of(body)
        yield _Fetched(manifest, digest(stored), body, schema, time.perf_counter() - started)


def _summary(view: TableView, run_id: str, attempt: int, counts: dict[str, int]) -> Summary:
    """Return the summary of a snapshot with the same files, whose totals are those of its parent."""
    ours = {RUN_ID: run_id, ATTEMPT: str(attempt), **{name: str(count) for name, count in counts.items()}}
    previous = usable_totals(summary_of(view.head)) if view.head else None
    # `replace` is refused there, although its totals are those of an overwrite
    counted = update_snapshot_summaries(summary=Summary(Operation.OVERWRITE, **ours), previous_summary=previous)
    return Summary(Operation.REPLACE, **counted.additional_properties)
