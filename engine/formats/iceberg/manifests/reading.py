"""Read manifest lists, and manifest entries as Arrow columns, once per manifest: the content of a path never changes.

Small manifests of one schema are decoded together (`batches`): what decoding costs per call is more than their entries
do. No per-file object outlives the reading of its manifest.

Limit: the cache is in memory and bounded by bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.avro.file import AvroFile
from pyiceberg.manifest import MANIFEST_LIST_FILE_SCHEMAS, ManifestContent, ManifestFile, PartitionFieldSummary

from engine.formats.iceberg.catalog.file_access import outside
from engine.formats.iceberg.errors import decoding, is_of_content
from engine.formats.iceberg.intake.storage import AvroFiles, HeldFiles
from engine.formats.iceberg.manifests.batches import read_together
from engine.formats.iceberg.manifests.decoding import DELETED, ENTRIES, IS_OUTSIDE, read_entries
from engine.formats.iceberg.manifests.inheritance import first_row_id_of, inherited, with_row_ids
from engine.formats.iceberg.manifests.lineage import LIST_SCHEMA
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.metadata.row_ids import WITH_ROW_IDS
from engine.formats.intake.avro.blocks import readable, schema_of
from engine.formats.intake.caches import Cache, CacheableValue
from engine.formats.intake.checks import check_entries, check_live, check_size
from engine.formats.intake.limits import Malformed
from engine.formats.intake.outside_files import PathSummary, are_outside
from engine.formats.intake.overlapping import helped, overlapped
from engine.rewriting.kernel.storage.places import AllowedFolders

T = TypeVar("T", bound=CacheableValue)

_READ_AT_ONCE: Final = 256
_PARTITIONS: Final = 508
"""Field id of the summaries of partitions in a manifest list."""
_READERS: Final = (8, 64)
_SMALL_BYTES: Final = 64 * 1024  # stored bytes of manifests that are decoded together
_READ_BYTES: Final = 64 * 2**20  # stored bytes that are read at once, where more than the least number read


@dataclass(frozen=True, slots=True)
class _Decoded:
    """The entries of a manifest as written, without `is_outside`, and a summary of their paths."""

    entries: pa.Table
    paths: PathSummary

    @property
    def nbytes(self) -> int:
        return int(self.entries.nbytes)

    def within(self, places: AllowedFolders) -> pa.Table:
        rows = self.entries.num_rows
        if not rows or self.paths.is_inside(places):
            return self.entries.append_column(IS_OUTSIDE, pa.repeat(False, rows))
        return self.entries.append_column(IS_OUTSIDE, are_outside(self.entries["path"], places))


@dataclass(frozen=True, slots=True)
class ManifestReader:
    """Reads manifests of one table through its storage; `codecs` by spec id, `places`: where its files may be."""

    io: AvroFiles
    codecs: Mapping[int, PartitionCodec]
    cache: Cache
    places: AllowedFolders

    def entries(self, manifest: ManifestFile) -> pa.Table:
        """Return all entries of one manifest, including deleted ones, with the schema `ENTRIES`.

        Raises:
            NotEligible: the manifest is outside of the table's places.
        """
        if not self.places.contains(manifest.manifest_path):
            raise outside([manifest.manifest_path], self.places)
        held = self.cache.get(_key(manifest), lambda: self._decoded(manifest, self._body(manifest)))
        number = pa.scalar(manifest.sequence_number or 0, pa.int64())
        found = inherited(held.within(self.places), number, pa.scalar(manifest.added_snapshot_id, pa.int64()))
        with decoding(f"manifest {manifest.manifest_path}"):
            return with_row_ids(found, first_row_id_of(manifest))

    def each(self, manifests: Sequence[ManifestFile]) -> list[pa.Table]:
        """Return the entries of several manifests, read in parallel, in the order of the manifests.

        Raises:
            Malformed: one can't be read, or together they exceed the memory limit of one table.
        """
        found: list[pa.Table] = []
        size = 0
        for start in range(0, len(manifests), _READ_AT_ONCE):
            for table in self._read_batch(manifests[start : start + _READ_AT_ONCE], at_once=_readers(manifests)):
                found.append(table)
                size += table.nbytes
                check_size(size)
        return found

    def _read_batch(self, manifests: Sequence[ManifestFile], *, at_once: int) -> Iterator[pa.Table]:
        """Yield the entries of manifests in their order. Large and small manifests are read at the same time."""
        with ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="manifests") as pool:
            try:
                entries = helped(self.entries)
                large = [None if self._is_small(each) else pool.submit(entries, each) for each in manifests]
                self._read_small_ones(manifests, pool)
                for manifest, read in zip(manifests, large, strict=True):
                    yield self.entries(manifest) if read is None else read.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def bodies(self, manifests: Sequence[ManifestFile]) -> Iterator[bytes]:
        """Yield the contents of manifests in their order, several of which are fetched at the same time.

        Raises:
            NotEligible: one is outside of the table's places.
            Malformed: one can't be read.
        """
        return overlapped(self._body, manifests, at_once=_readers(manifests))

    def stored(self, manifests: Sequence[ManifestFile]) -> Iterator[bytes]:
        """Yield the bytes of manifests as they are stored, which `avro_blocks.readable` converts. Raises as `bodies`.

        Several are fetched at the same time.
        """

        def read(manifest: ManifestFile) -> bytes:
            with decoding(f"manifest {manifest.manifest_path}"):
                return self.io.stored(manifest.manifest_path)

        return overlapped(read, manifests, at_once=_readers(manifests))

    def cache_entries(self, manifest: ManifestFile, body: bytes) -> None:
        """Decode and cache the entries of a manifest from its content, as `bodies` yields it. Raises Malformed."""
        if not self.cache.holds(_key(manifest)):
            self.cache.get(_key(manifest), lambda: self._decoded(manifest, body))

    def uncached(self, cache: Cache) -> "ManifestReader":
        """Return a reader that has nothing in its cache but what `cache` has."""
        return replace(self, cache=cache)

    def live(self, manifests: Iterable[ManifestFile]) -> pa.Table:
        """Return the live entries of several manifests as one table, with one dictionary per column.

        Shares memory with the cached entries, as far as nothing was deleted.
        """
        parts = [live(table) for table in self.each(list(manifests))]
        together = pa.concat_tables([ENTRIES.empty_table(), *parts]).unify_dictionaries()
        check_live(together)
        return together

    def _read_small_ones(self, manifests: Sequence[ManifestFile], pool: ThreadPoolExecutor) -> None:
        """Read the small data manifests that are not cached into the cache, those of one schema together."""
        new = [each for each in manifests if self._is_small(each) and not self.cache.holds(_key(each))]
        self._cache_together(new, list(pool.map(helped(self._body), new)))

    def _cache_together(self, manifests: Sequence[ManifestFile], bodies: Sequence[bytes]) -> None:
        """Decode and cache small data manifests that are not cached, those of one schema together."""
        alike: dict[tuple[int, bytes], list[tuple[ManifestFile, bytes]]] = {}
        for manifest, body in zip(manifests, bodies, strict=True):
            if not self._is_small(manifest) or self.cache.holds(_key(manifest)):
                continue
            alike.setdefault((manifest.partition_spec_id, schema_of(body)), []).append((manifest, body))
        for (spec_id, _), some in alike.items():
            tables = _together([body for _, body in some], self.codecs[spec_id])
            for number, (manifest, body) in enumerate(some):
                held = self._decoded(manifest, body) if tables is None else _checked(manifest, tables[number])
                self.cache.get(_key(manifest), partial(_same, held))

    def _is_small(self, manifest: ManifestFile) -> bool:
        return (
            manifest.content == ManifestContent.DATA
            and manifest.manifest_length <= _SMALL_BYTES
            and manifest.partition_spec_id in self.codecs
            and self.places.contains(manifest.manifest_path)
        )

    def _body(self, manifest: ManifestFile) -> bytes:
        with decoding(f"manifest {manifest.manifest_path}"):
            if manifest.partition_spec_id not in self.codecs:
                raise Malformed(f"the table has no partition spec {manifest.partition_spec_id}")
            return readable(self.io.stored(manifest.manifest_path))

    def _decoded(self, manifest: ManifestFile, body: bytes) -> _Decoded:
        codec = self.codecs[manifest.partition_spec_id]
        with decoding(f"manifest {manifest.manifest_path}"):
            entries = read_entries(body, codec=codec, with_targets=manifest.content == ManifestContent.DELETES)
        return _checked(manifest, entries)


def _key(manifest: ManifestFile) -> tuple[str, int]:
    return manifest.manifest_path, manifest.manifest_length


def _together(bodies: Sequence[bytes], codec: PartitionCodec) -> list[pa.Table] | None:
    """Return what `read_together` returns; None if one of them is damaged: read alone, its error names it."""
    try:
        return read_together(bodies, codec=codec)
    except BaseException as error:
        if not is_of_content(error):
            raise
        return None


def _checked(manifest: ManifestFile, entries: pa.Table) -> _Decoded:
    with decoding(f"manifest {manifest.manifest_path}"):
        check_entries(entries)
        return _Decoded(entries, PathSummary.of(entries["path"]))


def _same(value: T) -> T:
    return value


def _readers(manifests: Sequence[ManifestFile]) -> int:
    """Return the number of manifests to read at once: more of small ones, whose time is the latency of the store."""
    largest = max((each.manifest_length for each in manifests), default=1)
    return max(_READERS[0], min(_READERS[1], _READ_BYTES // max(1, largest)))


def live(table: pa.Table) -> pa.Table:
    """Return the entries of files that were not deleted."""
    is_live = pc.not_equal(table["status"], DELETED)
    return table if pc.all(is_live).as_py() else table.filter(is_live)


def manifests_in(path: str, body: bytes, format_version: int) -> list[ManifestFile]:
    """Return the manifests that a manifest list names, from its content.

    Records of version 3 have one field more (`inheritance.first_row_id_of`), which PyIceberg's function (0.12) leaves
    out.
    """
    with AvroFile[ManifestFile](
        HeldFiles(body).new_input(path),
        LIST_SCHEMA if format_version >= WITH_ROW_IDS else MANIFEST_LIST_FILE_SCHEMAS[2],
        read_types={-1: ManifestFile, _PARTITIONS: PartitionFieldSummary},
        read_enums={517: ManifestContent},
    ) as reader:
        return list(reader)
