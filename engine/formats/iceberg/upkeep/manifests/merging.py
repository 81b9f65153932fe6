"""Merge manifests of one kind: the entries of all, ordered by partition, in new manifests of about equal size.

The order makes the partition summaries of the new manifests narrow: readers with a filter on partitions skip most of
them. Entries of deleted files are left out, as they matter only to the snapshot that deleted them.
"""

import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import structlog
from pyiceberg.manifest import (
    UNASSIGNED_SEQ,
    ManifestContent,
    ManifestFile,
    PartitionFieldSummary,
    construct_partition_summaries,
)
from pyiceberg.typedef import Record
from pyiceberg.types import UUIDType

from engine.formats.iceberg.errors import decoding, is_of_content, summary_of
from engine.formats.iceberg.manifests.batches import read_as_one
from engine.formats.iceberg.manifests.decoding import DELETED, EXISTING, read_entries
from engine.formats.iceberg.manifests.entry_bytes import EntryLayout, cut_all, data_files, joined_entries
from engine.formats.iceberg.manifests.entry_row_ids import RowIdPlace
from engine.formats.iceberg.manifests.inheritance import first_row_id_of, inherited, with_row_ids_of_each
from engine.formats.iceberg.manifests.lineage import check_row_ids
from engine.formats.iceberg.manifests.summaries import uuid_signs, widen_zeros
from engine.formats.iceberg.metadata.partitions import PartitionCodec, SpecToWrite
from engine.formats.iceberg.statistics.bounds import order_key
from engine.formats.iceberg.upkeep.manifests.entries import plain
from engine.formats.intake.avro.blocks import container, metadata_of, readable
from engine.formats.intake.limits import Malformed

_log = structlog.get_logger(__name__)

_BLOCK_BYTES: Final = 2**20
_NONE: Final = -1  # in place of a number that no entry of a new manifest inherits
_NUMBERS: Final = ["snapshot_id", "sequence_number", "file_sequence_number"]


@dataclass(frozen=True, slots=True)
class Sources:
    """Manifests to merge, whose content, partition spec and Avro schema are the same.

    Attributes:
        manifests: their entries in the manifest list.
        bodies: their contents, as `avro_blocks.readable` returns them.
        counts: number of entries of each.
        written: entries of all, with the columns of `decoding.WRITTEN`.
        entries: the same with the numbers that they inherit.
    """

    manifests: Sequence[ManifestFile]
    bodies: Sequence[bytes]
    counts: Sequence[int]
    written: pa.Table
    entries: pa.Table

    @classmethod
    def of(cls, manifests: Sequence[ManifestFile], bodies: Sequence[bytes], codec: PartitionCodec) -> "Sources":
        """Decode manifests. Raises `Malformed` if one is damaged."""
        named = [(each.manifest_path, body) for each, body in zip(manifests, bodies, strict=True)]
        is_deletes = manifests[0].content == ManifestContent.DELETES
        written, counts = read_as_one(named, codec=codec, with_targets=is_deletes)
        numbers = [each.sequence_number or 0 for each in manifests]
        snapshot_ids = [each.added_snapshot_id for each in manifests]
        places = pa.array(np.repeat(np.arange(len(manifests)), counts))
        of_each = (pa.array(values, pa.int64()).take(places) for values in (numbers, snapshot_ids))
        entries = inherited(written, *of_each)
        if not is_deletes:
            with decoding("manifests"):
                entries = with_row_ids_of_each(entries, [first_row_id_of(each) for each in manifests], counts)
        return cls(manifests, bodies, counts, written, entries)

    def check_row_ids(self, *, below: int) -> None:
        """Check the row ids of live data files. Raises Malformed as `lineage.check_row_ids`."""
        is_taken = pc.and_(pc.is_valid(self.entries["first_row_id"]), pc.greater(self.entries["record_count"], 0))
        rows = self.entries.filter(pc.and_(is_taken, pc.not_equal(self.entries["status"], DELETED)))
        firsts, counts = rows["first_row_id"].to_numpy(), rows["record_count"].to_numpy()
        check_row_ids(firsts, counts, below=below, name=lambda row: str(rows["path"][row]))

    @property
    def has_implicit_row_ids(self) -> bool:
        """Whether an entry has a row id that it takes from its manifest, and has not stored."""
        return not self.written["first_row_id"].equals(self.entries["first_row_id"])

    @property
    def content(self) -> ManifestContent:
        """Whether they list data files or delete files."""
        return self.manifests[0].content


@dataclass(frozen=True, slots=True)
class MergedManifest:
    """A new manifest that is not written yet, and the figures for its entry in the manifest list.

    Attributes:
        files: number of its entries; rows: those in them; least_number: least data sequence number.
        unassigned_rows: rows in them without row ids, in an upgraded table.
        entries: those that were decoded from `body`, with the columns of `comparing.plain`.
        seconds: how long decoding them took.
    """

    body: bytes
    spec_id: int
    content: ManifestContent
    files: int
    rows: int
    least_number: int
    unassigned_rows: int
    partitions: list[PartitionFieldSummary]
    entries: pa.Table
    seconds: float

    def listed(self, path: str, *, snapshot_id: int) -> ManifestFile:
        """Return its entry in the manifest list of a snapshot."""
        return ManifestFile.from_args(
            manifest_path=path,
            manifest_length=len(self.body),
            partition_spec_id=self.spec_id,
            content=self.content,
            sequence_number=UNASSIGNED_SEQ,
            min_sequence_number=self.least_number,
            added_snapshot_id=snapshot_id,
            added_files_count=0,
            existing_files_count=self.files,
            deleted_files_count=0,
            added_rows_count=0,
            existing_rows_count=self.rows,
            deleted_rows_count=0,
            partitions=self.partitions,
            key_metadata=None,
        )


@dataclass(frozen=True, slots=True)
class ManifestMerge:
    """A merge of manifests.

    Attributes:
        sources: the manifests.
        layout: of their schema.
        codec: partition codec of their spec.
        format_version: of the table, 1, 2 or 3.
        compression: codec of the new manifests' blocks, `deflate` or `null`.
        row_ids: where their entries store row ids, if some have not stored theirs.
    """

    sources: Sources
    layout: EntryLayout
    codec: PartitionCodec
    format_version: int
    compression: str
    row_ids: RowIdPlace | None = None

    def merged(self, target_bytes: int) -> list[MergedManifest]:
        """Return the new manifests, each of at most about `target_bytes` as stored; none without a live entry.

        Each was decoded again, and has the entries that it was made of.

        Raises:
            Malformed: the entries of a manifest can't be told apart.
        """
        entries = self.sources.entries
        is_live = pc.not_equal(entries["status"], DELETED)
        live = entries.filter(is_live)
        if not live.num_rows:
            return []
        for files_of in (data_files, cut_all):
            files = files_of(self.sources.bodies, self.sources.counts, self.sources.written, self.layout)
            some = self._with_row_ids(list(compress(files, is_live.to_pylist())), is_live)
            found = [None] if some is None else list(self._pieces(some, live, target_bytes))
            if None not in found:
                return [each for each in found if each is not None]
        raise Malformed(f"manifest {self.sources.manifests[0].manifest_path} or one like it has damaged entries")

    def _with_row_ids(self, files: list[bytes], is_live: pa.ChunkedArray) -> list[bytes] | None:
        if self.row_ids is None:
            return files
        had, has = (each["first_row_id"].filter(is_live) for each in (self.sources.written, self.sources.entries))
        return self.row_ids.stored(files, had.to_pylist(), has.to_pylist())

    def _pieces(self, files: Sequence[bytes], entries: pa.Table, target_bytes: int) -> Iterator[MergedManifest | None]:
        """Yield the new manifests; None for one whose entries are not those that it was made of."""
        layout = self.layout if self.row_ids is None else self.row_ids.layout
        layout = layout if self.format_version == 1 else layout.with_sequence_numbers()
        headers = _headers(entries, layout)
        partitions = _Partitions.of(entries, self.codec)
        order = np.argsort(partitions.ranks, kind="stable")
        sizes = np.fromiter(map(len, files), np.int64, len(files))[order]
        schema, metadata = json.dumps(layout.schema).encode(), self._metadata()

        def block(chosen: Any) -> tuple[int, bytes]:
            some = chosen.tolist()
            return len(some), joined_entries([headers[at] for at in some], [files[at] for at in some])

        sample = block(order[: max(1, int(np.searchsorted(np.cumsum(sizes), _BLOCK_BYTES)))])
        plain_target = target_bytes * len(sample[1]) / len(container(b"", {}, [sample], codec=self.compression))
        for begin, end in _ranges(sizes, partitions.parts[order], plain_target):
            chosen = order[begin:end]
            blocks = [block(chosen[a:b]) for a, b in _ranges(sizes[begin:end], None, _BLOCK_BYTES)]
            body = container(schema, metadata, blocks, codec=self.compression)
            yield self._checked(body, entries.take(chosen), partitions)

    def _checked(self, body: bytes, entries: pa.Table, partitions: "_Partitions") -> MergedManifest | None:
        """Return the new manifest with this content if its entries are these; None otherwise."""
        started = time.perf_counter()
        number = pa.scalar(0 if self.format_version == 1 else _NONE, pa.int64())
        try:
            written = read_entries(
                readable(body), codec=self.codec, with_targets=self.sources.content == ManifestContent.DELETES
            )
            found = plain(inherited(written, number, pa.scalar(_NONE, pa.int64())))
        except BaseException as error:
            if not is_of_content(error):
                raise
            _log.warning("merged_manifest_not_read", error=summary_of(error))  # `merged` tries another way, or fails
            return None
        seconds = time.perf_counter() - started
        is_same = found.equals(plain(entries)) and pc.all(pc.equal(written["status"], EXISTING)).as_py()
        return self._manifest(body, entries, partitions, found, seconds) if is_same else None

    def _manifest(
        self, body: bytes, entries: pa.Table, partitions: "_Partitions", found: pa.Table, seconds: float
    ) -> MergedManifest:
        codes = pc.unique(entries["partition"].combine_chunks().indices).to_pylist()
        spec = SpecToWrite(*self.codec.spec.fields, spec_id=self.codec.spec.spec_id)
        summaries = construct_partition_summaries(spec, self.codec.schema, [partitions.records[at] for at in codes])
        widen_zeros(summaries, self.codec.types)
        return MergedManifest(
            body=body,
            spec_id=self.codec.spec.spec_id,
            content=self.sources.content,
            files=entries.num_rows,
            rows=pc.sum(entries["record_count"]).as_py(),
            least_number=pc.min(entries["sequence_number"]).as_py(),
            unassigned_rows=pc.sum(entries.filter(pc.is_null(entries["first_row_id"]))["record_count"]).as_py() or 0,
            partitions=summaries,
            entries=found,
            seconds=seconds,
        )

    def _metadata(self) -> dict[str, bytes]:
        """Return the header of the newest manifest, with the table's format version."""
        numbers = [each.sequence_number or 0 for each in self.sources.manifests]
        newest = self.sources.bodies[numbers.index(max(numbers))]
        found = metadata_of(newest) | {"format-version": str(self.format_version).encode()}
        if self.format_version > 1:
            content = "deletes" if self.sources.content == ManifestContent.DELETES else "data"
            found |= {"content": content.encode()}
        return found


def _headers(entries: pa.Table, layout: EntryLayout) -> list[bytes]:
    """Return the bytes before the data file of each entry; entries of one snapshot share them."""
    rows = zip(*(entries[name].to_pylist() for name in _NUMBERS), strict=True)
    made: dict[Any, bytes] = {}
    found = []
    for numbers in rows:
        if (header := made.get(numbers)) is None:
            header = made[numbers] = layout.header(EXISTING, numbers)
        found.append(header)
    return found


@dataclass(frozen=True, slots=True)
class _Partitions:
    """The partitions of entries. `records`: by code; `ranks`, `parts`: of each entry.

    A rank orders partitions by value; entries of different parts are never in one manifest: readers order their uuids
    differently (see `summaries`).
    """

    records: list[Record]
    ranks: Any
    parts: Any

    @classmethod
    def of(cls, entries: pa.Table, codec: PartitionCodec) -> "_Partitions":
        column = entries["partition"].combine_chunks()
        records = [codec.decode(text) for text in column.dictionary.to_pylist()]
        uuids = [at for at, of in enumerate(codec.types) if isinstance(of, UUIDType)]
        signs = [uuid_signs(each, uuids) for each in records]
        numbers = {each: number for number, each in enumerate(sorted(set(signs)))}
        keys = [(numbers[sign], *_key(record)) for sign, record in zip(signs, records, strict=True)]
        rank_of = np.empty(len(records), np.int64)
        rank_of[sorted(range(len(records)), key=keys.__getitem__)] = np.arange(len(records))
        codes = column.indices.to_numpy(zero_copy_only=False)
        return cls(records, rank_of[codes], np.array([numbers[each] for each in signs], np.int64)[codes])


def _key(record: Record) -> tuple[Any, ...]:
    """Return the sort key of a partition: nulls first, NaN last."""
    values = (record[at] for at in range(len(record)))
    return tuple(
        (0,) if value is None else (2,) if isinstance(value, float) and math.isnan(value) else (1, order_key(value))
        for value in values
    )


def _ranges(sizes: Any, parts: Any | None, limit: float) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges of about equal size, as few as keep to the limit; a range is within one part."""
    count = len(sizes)
    edges = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), count] if parts is not None else [0, count]
    for begin, end in pairwise(edges):
        ends = np.cumsum(sizes[begin:end])
        number = min(end - begin, math.ceil(float(ends[-1]) / limit)) or 1
        inner = np.searchsorted(ends, ends[-1] * np.arange(1, number) / number) + begin
        cuts = np.unique(np.concatenate([[begin], inner, [end]]))
        yield from pairwise(cuts.tolist())
