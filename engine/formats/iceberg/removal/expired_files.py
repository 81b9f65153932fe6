"""Facts of Iceberg about the files of expired snapshots: what an expiry announces, and what the table needs of them.

Only manifests that no kept snapshot lists can name such files, so only those of the expired snapshots are read, with
entries of any status; then the kept manifests, if there is any content file in question.

The record of an expiry also has the manifest lists of the snapshots that it keeps. Where the catalog's later answer
lacks some of these, the files that they need stay all the same, as long as their lists are in the store: an answer that
lacks the table's snapshots does not make its files unneeded.

Of the earlier metadata files those are listed that the metadata's log dropped since the expiry, and only if the table
has `write.metadata.delete-after-commit.enabled`: it is the table's own setting for the same deletion, which commits
through this catalog client do not carry out; without it the owner keeps these files.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot

from engine.formats.iceberg.intake.storage import MeasuredFiles
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.paths_in_files import MANIFESTS, entries_in, manifests_in
from engine.formats.iceberg.removal.reachability import (
    KeptManifests,
    Reachability,
    TableReferences,
    check_may_delete,
    check_newer,
    origin_of,
)
from engine.formats.iceberg.removal.records import records_of
from engine.formats.iceberg.removal.stored_paths import StoredPaths
from engine.formats.removal.expired_files import FoundFiles, Unread
from engine.formats.removal.file_lists import LISTED, FileKind, FileList, ListWriter, Origin, listed
from engine.formats.removal.path_keys import Keys, SeenKeys, first_of_each, keys_of
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RefusedFiles, Scope

_DELETES_METADATA = "write.metadata.delete-after-commit.enabled"


class IcebergExpired:
    """Facts of Iceberg about the files of one run, an `ExpirySource`; `load` returns the table's current version."""

    def __init__(self, *, load: Callable[[], TableView], run_id: str, scope: Scope) -> None:
        self._load = load
        self._run_id = run_id
        self._scope = scope
        self._view: TableView
        self._reachability: Reachability

    def announce(self, view: TableView, snapshot_ids: Sequence[int]) -> None:
        """Store what this version names for snapshots that a commit on it is about to remove.

        Raises:
            OSError: the store does not answer; nothing may be sent then.
        """
        records_of(view, self._run_id).write_roots(roots_of(view.metadata, snapshot_ids))

    def records(self) -> Records:
        """Return the lists of the run. Raises OSError."""
        return records_of(self._load(), self._run_id)

    def begin(self) -> Records:
        """Load the table, check that its files may be deleted, and return the lists of the run."""
        self._view = self._load()
        check_may_delete(self._view)
        return records_of(self._view, self._run_id)

    def check_same(self, origin: Origin) -> None:
        """Raise `TableReplaced` or `Fatal` unless the table is that of a stored list, and not older."""
        check_newer(self._view.metadata, origin)

    def find(self, roots: Sequence[FileList]) -> FoundFiles:
        """Return the files that only snapshots in these roots needed. Raises as `find_files`."""
        found, self._reachability = find_files(self._view, roots, self._scope)
        return found

    def check(self, stored: FileList) -> FoundFiles:
        """Return the files of a stored list that may be deleted and that no snapshot needs. Raises as `find_files`."""
        refused = RefusedFiles()
        allowed = stored.filtered(lambda files: self._scope.allowed(files, refused))
        keys = allowed.keys()
        self._reachability = Reachability(keys)
        self._reachability.look(self._view)
        is_free = ~self._reachability.are_needed(keys)
        return FoundFiles(allowed.only(is_free), refused, int((~is_free).sum()), Unread())

    def references(self, files: FileList) -> TableReferences:
        """Return what the table needs of these files from now on."""
        return TableReferences(
            files.origin, self._reachability.only(files.keys()), load=self._load, check=check_may_delete
        )


def preview(view: TableView, snapshot_ids: Sequence[int], scope: Scope) -> FoundFiles:
    """Return which files would be deleted if these snapshots expired now. Nothing is written.

    Raises:
        NotEligible: the table forbids to delete files, or a kept snapshot has a file in a forbidden location.
        Malformed, OSError: as `find_files`.
    """
    check_may_delete(view)
    gone = frozenset(snapshot_ids)
    kept = [each for each in view.metadata.snapshots if each.snapshot_id not in gone]
    return find_files(view, [roots_of(view.metadata, snapshot_ids)], scope, kept=kept)[0]


def roots_of(metadata: TableMetadata, snapshot_ids: Sequence[int]) -> FileList:
    """Return what the metadata itself names for these snapshots, and its log: what an expiry removes from it.

    The manifest lists of the other snapshots are in it as `FileKind.KEPT`.
    """
    ids = frozenset(snapshot_ids)
    lists = [(each.manifest_list, each.snapshot_id) for each in metadata.snapshots if each.snapshot_id in ids]
    roots = ListWriter(origin_of(metadata))
    roots.add(listed([p for p, _ in lists], FileKind.MANIFEST_LIST, snapshot_ids=[i for _, i in lists]))
    for kind, every in (
        (FileKind.STATISTICS, metadata.statistics),
        (FileKind.PARTITION_STATISTICS, metadata.partition_statistics),
    ):
        some = [each for each in every if each.snapshot_id in ids]
        sizes, owners = [each.file_size_in_bytes for each in some], [each.snapshot_id for each in some]
        roots.add(listed([each.statistics_path for each in some], kind, file_bytes=sizes, snapshot_ids=owners))
    roots.add(listed([each.metadata_file for each in metadata.metadata_log], FileKind.METADATA))
    kept = [(each.manifest_list, each.snapshot_id) for each in metadata.snapshots if each.snapshot_id not in ids]
    roots.add(listed([path for path, _ in kept], FileKind.KEPT, snapshot_ids=[each for _, each in kept]))
    return roots.finish()


def find_files(
    view: TableView, roots: Sequence[FileList], scope: Scope, *, kept: Sequence[Snapshot] | None = None
) -> tuple[FoundFiles, Reachability]:
    """Return the files that only snapshots in `roots` needed which the table does not have any more.

    What is needed of them is returned as well, to look at newer versions of the table.

    Args:
        view: the table as it is now.
        roots: as `roots_of` returned them, before the expiry.
        scope: where files may be deleted.
        kept: instead of the snapshots that the table has now, for a preview: those that it would have.

    Raises:
        Malformed, NotEligible: a manifest or list that a kept snapshot needs can't be read; the message names it.
        OSError: the store does not answer.
    """
    kept = view.metadata.snapshots if kept is None else kept
    gone = _of_gone_snapshots(view.metadata, roots, kept)
    known = KeptManifests()
    known.add(view, kept)
    search = _Search(view, scope, ListWriter(origin_of(view.metadata)))
    search.add_from_lists(gone[FileKind.MANIFEST_LIST], known)
    for kind in (FileKind.STATISTICS, FileKind.PARTITION_STATISTICS, FileKind.METADATA):
        search.add(gone[kind])
    keys = search.keys()
    reached = Reachability(keys, known)
    reached.look(view, kept, has_content=search.has_content)
    reached.look_at_lost(view, gone[FileKind.KEPT]["path"].unique().to_pylist())
    is_free = ~reached.are_needed(keys)
    found = FoundFiles(search.files.finish().only(is_free), search.refused, int((~is_free).sum()), search.unread)
    return found, reached


def _of_gone_snapshots(
    metadata: TableMetadata, roots: Sequence[FileList], kept: Sequence[Snapshot]
) -> dict[FileKind, pa.Table]:
    """Return the roots of snapshots that are not kept, and the metadata files that may go, by kind.

    Those of the kind `KEPT` are of snapshots that every expiry of the run kept.
    """
    every = pa.concat_tables([LISTED.empty_table(), *(batch for root in roots for batch in root.batches())])
    ids = pa.array([each.snapshot_id for each in kept], pa.int64())
    rows = every.num_rows
    is_kept = pc.is_in(every["snapshot_id"], value_set=ids)
    is_metadata = pc.equal(every["kind"], FileKind.METADATA.value)
    has_snapshot = pc.is_valid(every["snapshot_id"])
    drops_metadata = metadata.properties.get(_DELETES_METADATA, "false").strip().lower() == "true"
    may_go = pc.if_else(is_metadata, pa.repeat(drops_metadata, rows), pc.and_(has_snapshot, pc.invert(is_kept)))
    expired = every.filter(pc.equal(every["kind"], FileKind.MANIFEST_LIST.value))["snapshot_id"]
    was_kept = pc.equal(every["kind"], FileKind.KEPT.value)
    gone = every.filter(pc.and_not(may_go, pc.and_(was_kept, pc.is_in(every["snapshot_id"], value_set=expired))))
    return {kind: gone.filter(pc.equal(gone["kind"], kind.value)) for kind in FileKind}


class _Search:
    """Files in question, each once, in the order in which they are deleted."""

    def __init__(self, view: TableView, scope: Scope, files: ListWriter) -> None:
        self.files = files
        self.unread = Unread()
        self.refused = RefusedFiles()
        self.has_content = False
        self._files = view.reader.io
        self._stored = StoredPaths(self._files)
        self._scope = scope
        self._keys: list[Keys] = []
        self._seen = SeenKeys()

    def keys(self) -> Keys:
        """Return the keys of the files, in their order."""
        return np.concatenate([np.empty(0, np.uint64), *self._keys])

    def add(self, files: pa.Table) -> None:
        """Add those of the files that may be deleted and are new."""
        files = self._scope.allowed(files, self.refused)
        keys = keys_of(files["path"])
        is_new = self._seen.add(keys)
        self._keys.append(keys[is_new])
        self.files.add(files.filter(pa.array(is_new)))

    def add_from_lists(self, lists: pa.Table, known: KeptManifests) -> None:
        """Add the content of manifests that only these lists name, then these manifests and the lists."""
        read: list[str] = []
        parts = []
        paths = lists["path"].unique().to_pylist()
        of_lists = MeasuredFiles(self._files)
        for manifests, some in StoredPaths(of_lists).left(paths, manifests_in, self.unread):
            read += some
            parts.append(_distinct(manifests))
        every = _distinct(pa.concat_tables([MANIFESTS.empty_table(), *parts]))
        own = every.filter(pa.array(~known.have(every["path"])))
        seen: list[str] = []
        for entries, some in self._stored.left(own["path"].to_pylist(), entries_in, self.unread):
            seen += some
            self.has_content |= entries.num_rows > 0
            self.add(entries.select(LISTED.names).cast(LISTED))
        own = own.filter(pc.is_in(own["path"], value_set=pa.array(seen, pa.string())))
        of_manifests = listed(
            own["path"], FileKind.MANIFEST, file_bytes=own["file_bytes"], snapshot_ids=own["snapshot_id"]
        )
        self.add(of_manifests)
        known_bytes = pa.array([of_lists.stored_bytes.get(path) for path in lists["path"].to_pylist()], pa.int64())
        lists = lists.set_column(lists.schema.get_field_index("file_bytes"), "file_bytes", known_bytes)
        self.add(lists.filter(pc.is_in(lists["path"], value_set=pa.array(read, pa.string()))))


def _distinct(manifests: pa.Table) -> pa.Table:
    return manifests.filter(pa.array(first_of_each(keys_of(manifests["path"]))))
