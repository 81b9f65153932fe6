"""List the files of expiring snapshots that the snapshots after them may not need.

Data files: those that a change after the first of the snapshots removed, up to that of the first snapshot that stays;
as in Paimon's `SnapshotDeletion`. Changelog files, index files, statistics, manifests and their lists: all of the
snapshots. Which of them the rest of the table needs is decided by `needed`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.errors import causes_of
from engine.formats.intake.limits import Malformed
from engine.formats.paimon.manifests.deletion_vectors import VECTORS
from engine.formats.paimon.manifests.entries import ADD
from engine.formats.paimon.manifests.lists import ManifestRef
from engine.formats.paimon.manifests.live_files import LiveFiles
from engine.formats.paimon.metadata.snapshots import ListFile, Snapshot
from engine.formats.paimon.removal.entries import FILES, live_entries, read_files, read_indexes
from engine.formats.paimon.view import TableView
from engine.formats.removal.expired_files import DAMAGED, Unread
from engine.formats.removal.file_lists import FileKind, listed

_IN_DATA_FOLDERS: Final = "index-file-in-data-file-dir"
_LOCATED: Final = FILES.append(pa.field("path", pa.string()))
"""Entries with the path of each file."""

T = TypeVar("T")


class Candidates:
    """Finds the files of expiring snapshots; what can't be read of them is counted in `unread`, and stays."""

    def __init__(self, view: TableView, unread: Unread) -> None:
        """Take the table. Raises `Malformed` if no partition of it can be read."""
        self._view = view
        self._codec = view.codec
        self._unread = unread
        self._failed: set[str] = set()

    def find(self, expired: Sequence[Snapshot], following: Snapshot) -> Iterator[pa.Table]:
        """Yield the files, with the schema `removal.file_lists.LISTED`, in the order in which they are deleted.

        Args:
            expired: the oldest snapshots, oldest first, not empty.
            following: the oldest snapshot that stays.

        Raises:
            OSError: the store does not answer.
        """
        for before, each in zip(expired, [*expired[1:], following], strict=True):
            yield from self._removed_by(each, before.id)
        for each in expired:
            yield from self._changelog_files(each)
        yield from self._index_files(expired)
        yield from self._metadata(expired)

    def find_of_tags(self, tagged: Sequence[Snapshot]) -> Iterator[pa.Table]:
        """Yield the files that tags need: those of their rows, but no changelog files. Arguments as for `find`."""
        distinct = {(each.base, each.delta): replace(each, changelog=None) for each in tagged}
        for each in distinct.values():
            entries = [_LOCATED.empty_table(), *self._entries(each.base), *self._entries(each.delta)]
            yield from self._files(live_entries(pa.concat_tables(entries)), FileKind.DATA, each.id)
        yield from self._index_files(list(distinct.values()))
        yield from self._metadata(list(distinct.values()))

    def _removed_by(self, snapshot: Snapshot, before: int) -> Iterator[pa.Table]:
        """Yield the data files that the changes of a snapshot removed, with their extra files.

        A file that only moved to another level is added again by the same change; `needed` keeps it.
        """
        for entries in self._entries(snapshot.delta):
            yield from self._files(entries.filter(pc.not_equal(entries["kind"], ADD)), FileKind.DATA, before)

    def _changelog_files(self, snapshot: Snapshot) -> Iterator[pa.Table]:
        if snapshot.changelog is not None:
            for entries in self._entries(snapshot.changelog):
                added = entries.filter(pc.equal(entries["kind"], ADD))
                yield from self._files(added, FileKind.CHANGELOG, snapshot.id)

    def _files(self, entries: pa.Table, kind: FileKind, snapshot_id: int) -> Iterator[pa.Table]:
        if not entries.num_rows:
            return
        paths = entries["path"]
        ids = pa.repeat(pa.scalar(snapshot_id, pa.int64()), entries.num_rows)
        yield listed(paths, kind, file_bytes=entries["file_bytes"], snapshot_ids=ids)
        extras = entries["extra_files"].combine_chunks()
        names = pc.list_flatten(extras)
        if len(names):
            folders = pc.replace_substring_regex(paths, "/[^/]*$", "").take(pc.list_parent_indices(extras))
            further = pc.binary_join_element_wise(folders, names, "/")
            yield listed(further, kind, snapshot_ids=pa.repeat(pa.scalar(snapshot_id, pa.int64()), len(names)))

    def _index_files(self, expired: Sequence[Snapshot]) -> Iterator[pa.Table]:
        manifests = {each.index_manifest: each.id for each in expired if each.index_manifest is not None}
        for name, snapshot_id in manifests.items():
            indexes = self._read(name, None, self._located_indexes)
            if indexes is None or not indexes.num_rows:
                continue
            ids = pa.repeat(pa.scalar(snapshot_id, pa.int64()), indexes.num_rows)
            yield listed(indexes["path"], FileKind.INDEX, file_bytes=indexes["file_bytes"], snapshot_ids=ids)

    def _located_indexes(self, stored: bytes) -> pa.Table:
        indexes = read_indexes(stored)
        in_data_folders = self._view.schema.options.get(_IN_DATA_FOLDERS, "false").strip().lower() == "true"
        return indexes.append_column(
            "path", self._paths(indexes) if in_data_folders else self._in_index_folder(indexes)
        )

    def _in_index_folder(self, indexes: pa.Table) -> pa.ChunkedArray:
        inside = pc.binary_join_element_wise(f"{self._view.files.location}/index", indexes["name"], "/")
        return pc.coalesce(indexes["external_path"], inside)

    def _metadata(self, expired: Sequence[Snapshot]) -> Iterator[pa.Table]:
        folder, location = self._view.files.manifests, self._view.files.location
        manifests: dict[ManifestRef, int] = {}
        lists: dict[ListFile, int] = {}
        for snapshot in expired:
            for file in (snapshot.base, snapshot.delta, snapshot.changelog):
                if file is not None:
                    lists.setdefault(file, snapshot.id)
                    for each in self._listed(file):
                        manifests.setdefault(each, snapshot.id)
        yield _named(folder, FileKind.MANIFEST, [(each.name, each.file_bytes, i) for each, i in manifests.items()])
        yield _named(folder, FileKind.MANIFEST_LIST, [(each.name, each.file_bytes, i) for each, i in lists.items()])
        indexes = [(each.index_manifest, None, each.id) for each in expired if each.index_manifest is not None]
        yield _named(folder, FileKind.INDEX_MANIFEST, indexes)
        statistics = [(each.statistics, None, each.id) for each in expired if each.statistics is not None]
        yield _named(f"{location}/statistics", FileKind.STATISTICS, statistics)

    def _paths(self, entries: pa.Table) -> pa.ChunkedArray:
        live = LiveFiles(entries, VECTORS.empty_table(), self._codec, self._view.files.location)
        return live.paths()

    def _entries(self, file: ListFile) -> Iterator[pa.Table]:
        for each in self._listed(file):
            found = self._read(each.name, each.file_bytes, self._located_files)
            if found is not None:
                yield found

    def _located_files(self, stored: bytes) -> pa.Table:
        entries = read_files(stored)
        return entries.append_column(_LOCATED.field("path"), self._paths(entries))

    def _listed(self, file: ListFile) -> Sequence[ManifestRef]:
        return self._left(file.name, lambda: self._view.reader.listed(file)) or ()

    def _read(self, name: str, file_bytes: int | None, decode: Callable[[bytes], pa.Table]) -> pa.Table | None:
        return self._left(name, lambda: self._view.reader.decoded(name, file_bytes, decode))

    def _left(self, name: str, read: Callable[[], T]) -> T | None:
        """Return what is read of an expiring snapshot; None if it is missing or damaged."""
        try:
            return read()
        except Malformed as error:
            is_missing = any(isinstance(each, FileNotFoundError) for each in causes_of(error))
            if name not in self._failed:
                reason, detail = ("missing", "") if is_missing else (DAMAGED, str(error))
                self._unread.add(f"{self._view.files.manifests}/{name}", reason, detail)
            self._failed.add(name)
            return None


def _named(folder: str, kind: FileKind, files: Sequence[tuple[str, int | None, int]]) -> pa.Table:
    return listed(
        [f"{folder}/{name}" for name, _, _ in files],
        kind,
        file_bytes=[size for _, size, _ in files],
        snapshot_ids=[snapshot_id for _, _, snapshot_id in files],
    )
