"""A table as loaded at one point in time: its schema and newest snapshot; more is read on first use and kept."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from uuid import NAMESPACE_URL, uuid5

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.tables.table import TableRef
from engine.formats.intake.caches import Cache
from engine.formats.intake.limits import Malformed
from engine.formats.intake.overlapping import overlapped
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.known_snapshots import KnownSnapshots
from engine.formats.paimon.manifests.arrivals import MOST_SNAPSHOTS, Arrivals
from engine.formats.paimon.manifests.entries import ADD
from engine.formats.paimon.manifests.lists import ManifestRef
from engine.formats.paimon.manifests.live_files import LiveFiles
from engine.formats.paimon.manifests.reading import MetadataReader
from engine.formats.paimon.metadata.known_options import Activity, problems_of
from engine.formats.paimon.metadata.options import TableOptions, check_manifest_format, options_of
from engine.formats.paimon.metadata.partitions import PartitionCodec
from engine.formats.paimon.metadata.schemas import TableSchema
from engine.formats.paimon.metadata.snapshots import Snapshot, parse_snapshot
from engine.rewriting.kernel.storage.places import normalise_uri

_READERS: Final = 8


@dataclass(frozen=True)
class TableView:
    """A loaded table. Methods raise `Malformed` and `OSError`, also for metadata that expired since.

    `meaningless`: names of options that change nothing for readers, by the catalog; see `metadata.known_options`.
    """

    ref: TableRef
    files: TableFiles
    cache: Cache
    known: KnownSnapshots
    pointer: str
    uuid: str
    schema: TableSchema
    head: Snapshot | None
    meaningless: Sequence[str] = ()

    @staticmethod
    def load(
        ref: TableRef, files: TableFiles, cache: Cache, known: KnownSnapshots, meaningless: Sequence[str] = ()
    ) -> "TableView | None":
        """Load a table; None if there is none at the location."""
        newest = files.newest_snapshot()  # before the schemas: a schema is written before its first snapshot
        ids = files.schema_ids()
        if not ids:
            return None
        schema, first = files.schema(ids[-1]), files.schema(ids[0])
        check_manifest_format(schema)
        head = None if newest is None else parse_snapshot(newest[1], number=newest[0])
        if head is not None and head.schema_id not in ids:
            raise Malformed(f"snapshot-{head.id} is of schema {head.schema_id}, which the table does not have")
        uuid = _uuid(ref, first, files) if files.managed is None else files.managed.uuid
        return TableView(ref, files, cache, known, _pointer(ids, newest), uuid, schema, head, meaningless)

    def at(self, snapshot: Snapshot) -> "TableView":
        """Return the view as of an earlier snapshot, with the current schema."""
        return replace(self, head=snapshot, pointer=f"{self.pointer} at {snapshot.id} of {snapshot.committed_at_ms}")

    def schemas(self, ids: Iterable[int]) -> Sequence[TableSchema]:
        """Return the schemas with these ids."""
        return [self.schema if each == self.schema.id else self.files.schema(each) for each in sorted(ids)]

    @cached_property
    def options(self) -> TableOptions:
        """The options of the current schema."""
        return options_of(self.schema)

    def option_problems(self, work: Activity) -> Sequence[str]:
        """Return a clause for each option of the current schema that forbids an operation."""
        location, given = self.files.location, self.schema.options
        return problems_of(work, given, location=location, meaningless=self.meaningless)

    @cached_property
    def codec(self) -> PartitionCodec:
        """The codec of the table's partitions."""
        return PartitionCodec.of(self.schema, self.options)

    @cached_property
    def reader(self) -> MetadataReader:
        """The reader of the table's manifests."""
        return MetadataReader(self.files.storage, self.files.manifests, self.cache)

    @cached_property
    def live(self) -> LiveFiles:
        """The live files of the newest snapshot."""
        return self.cache.get((f"live {self.files.location} {self.pointer}", 0), self._read_live)

    def _read_live(self) -> LiveFiles:
        entries = self.reader.entries(self.manifests)
        vectors = self.reader.vectors(self.head)
        return LiveFiles.of(entries, vectors, codec=self.codec, location=self.files.location)

    def file_digest(self) -> pa.Table:
        """Return the live files in the shape of `planning.measures.digest.FILE_DIGEST`."""
        return self.live.digest(self.arrivals, self.files.storage.places)

    @cached_property
    def manifests(self) -> Sequence[ManifestRef]:
        """The manifests of the newest snapshot."""
        return () if self.head is None else self.reader.manifests(self.head)

    @cached_property
    def snapshot_ids(self) -> Sequence[int]:
        """Ids of the snapshots up to this view's that are not expired, in order."""
        return [] if self.head is None else [each for each in self.files.snapshot_ids() if each <= self.head.id]

    def newest(self, limit: int) -> Sequence[Snapshot]:
        """Return the newest snapshots, oldest first, at most `MOST_SNAPSHOTS`."""
        return self.newest_read[-limit:] if limit > 0 else ()

    @cached_property
    def newest_read(self) -> Sequence[Snapshot]:
        """The newest snapshots, oldest first, whose changes are read."""
        return self.known.read(self.files, self.snapshot_ids[-MOST_SNAPSHOTS:])

    def every_snapshot(self) -> Sequence[Snapshot]:
        """Return all snapshots up to this view's that are not expired, oldest first."""
        older = self.snapshot_ids[:-MOST_SNAPSHOTS]
        read = overlapped(self.files.snapshot, older, at_once=_READERS)
        return [*(each for each in read if each is not None), *self.newest_read]

    def stored_snapshots(self) -> Sequence[Snapshot]:
        """Return `every_snapshot` and those with a higher number: a catalog may be about to make them visible."""
        least = 0 if self.head is None else self.head.id
        newer = overlapped(self.files.snapshot, [n for n in self.files.snapshot_ids() if n > least], at_once=_READERS)
        return [*self.every_snapshot(), *(each for each in newer if each is not None)]

    @cached_property
    def arrivals(self) -> Arrivals:
        """The files that the newest snapshots added, with the times of their commits."""
        return self.cache.get((f"arrivals {self.files.location} {self.pointer}", 0), self._read_arrivals)

    def _read_arrivals(self) -> Arrivals:
        snapshots = self.newest_read
        entries = [self.reader.entries(self.reader.listed(each.delta)) for each in snapshots]
        added = [pc.sum(each.filter(pc.equal(each["kind"], ADD))["file_bytes"]).as_py() or 0 for each in entries]
        return Arrivals.of(snapshots, [self.live.arrived(each) for each in entries], added)


def pointer_of(files: TableFiles) -> str | None:
    """Return a value that changes with every commit and change of the schema; None if there is no table.

    Takes four requests: the hint, its snapshot and the next one, a list of schemas. If the table is managed: its
    catalog, the snapshot, the list.
    """
    newest, ids = files.newest_snapshot(), files.schema_ids()
    return _pointer(ids, newest) if ids else None


def _pointer(schema_ids: Sequence[int], newest: tuple[int, bytes] | None) -> str:
    """Return the pointer of a table; after a rollback, another snapshot with an id used before gives another one."""
    if newest is None:
        return f"schema-{schema_ids[-1]}"
    number, body = newest
    return f"schema-{schema_ids[-1]} snapshot-{number} {hashlib.sha256(body).hexdigest()[:16]}"


def _uuid(ref: TableRef, first: TableSchema, files: TableFiles) -> str:
    """Return an identity of the table from the values that make up Paimon's own: address and time of creation.

    Where a catalog names the location, it is a part of it: a copy at another one is another table.
    """
    place = f" at {normalise_uri(files.location)}" if files.is_named else ""
    return str(uuid5(NAMESPACE_URL, f"paimon:{'.'.join((*ref.namespace, ref.name))}.{first.created_at_ms}{place}"))
