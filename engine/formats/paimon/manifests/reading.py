"""Read the metadata files of a table that never change: once each, cached, several at the same time.

Memory: entries of all manifests of a snapshot are in memory at once, at most `intake.limits.LIVE_BYTES`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import pyarrow as pa

from engine.formats.intake.caches import Cache
from engine.formats.intake.checks import check_size
from engine.formats.intake.errors import decoding_file
from engine.formats.intake.limits import MANIFEST_BYTES, Malformed
from engine.formats.intake.overlapping import overlapped
from engine.formats.intake.table_storage import TableStorage
from engine.formats.paimon.manifests.deletion_vectors import VECTORS, read_vectors
from engine.formats.paimon.manifests.entries import ENTRIES, read_entries
from engine.formats.paimon.manifests.lists import ManifestRef, read_list
from engine.formats.paimon.metadata.snapshots import ListFile, Snapshot

_READERS: Final = 8
_BYTES_OF_A_REF: Final = 300

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Refs:
    refs: tuple[ManifestRef, ...]

    @property
    def nbytes(self) -> int:
        return len(self.refs) * _BYTES_OF_A_REF


@dataclass(frozen=True, slots=True)
class MetadataReader:
    """Reads the files in the `manifest` folder of one table. Every method raises `Malformed`, with the file's name."""

    storage: TableStorage
    folder: str
    cache: Cache

    def manifests(self, snapshot: Snapshot) -> Sequence[ManifestRef]:
        """Return all manifests of a snapshot: those of the snapshot before, and those of its own changes."""
        return [*self.listed(snapshot.base), *self.listed(snapshot.delta)]

    def listed(self, file: ListFile) -> Sequence[ManifestRef]:
        """Return the manifests in a manifest list."""
        key = (f"list {self._path(file.name)}", file.file_bytes or 0)
        return self.cache.get(key, lambda: _Refs(tuple(self.decoded(file.name, file.file_bytes, read_list)))).refs

    def entries(self, manifests: Sequence[ManifestRef]) -> pa.Table:
        """Return the entries of manifests as one table, in their order."""
        found, size = [ENTRIES.empty_table()], 0
        for table in overlapped(self._entries, manifests, at_once=_READERS):
            found.append(table)
            size += table.nbytes
            check_size(size)
        return pa.concat_tables(found)

    def vectors(self, snapshot: Snapshot | None) -> pa.Table:
        """Return the deletion vectors of a snapshot; none before the first."""
        name = None if snapshot is None else snapshot.index_manifest
        if name is None:
            return VECTORS.empty_table()
        return self.cache.get((f"vectors {self._path(name)}", 0), lambda: self.decoded(name, None, read_vectors))

    def _entries(self, manifest: ManifestRef) -> pa.Table:
        key = (f"entries {self._path(manifest.name)}", manifest.file_bytes)
        return self.cache.get(
            key, lambda: self.decoded(manifest.name, manifest.file_bytes, lambda body: read_entries(body, manifest))
        )

    def decoded(self, name: str, file_bytes: int | None, decode: Callable[[bytes], T]) -> T:
        """Return the decoded content of a file, which is not cached.

        Args:
            name: of the file.
            file_bytes: its size as the metadata has it, None if it does not.
            decode: decodes the content.
        """
        path = self._path(name)
        with decoding_file(f"metadata file {path}"):
            body = self.storage.read(path, MANIFEST_BYTES)
            if file_bytes is not None and len(body) != file_bytes:
                raise Malformed(f"it has {len(body)} bytes; the metadata states {file_bytes}")
            return decode(body)

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}"
