"""Find out which of many files the snapshots of a table need: all snapshots of its metadata, on every branch and tag.

A snapshot needs its manifest list, the manifests in it, the files that these have as live entries, and its statistics;
the metadata needs itself, its statistics files and the earlier metadata files in its log. An entry that marks a file as
deleted does not need it: if an older snapshot still has the file, it has a live entry for it.

Manifests and manifest lists never change, so that each is read once, also when a newer version of the table is looked
at. Memory: 9 bytes for each file in question, and the path of each manifest.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import structlog
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot

from engine.domain.errors import Fatal, NotEligible, TableReplaced
from engine.formats.iceberg.commits.expiry import GC_ENABLED, MAY_DELETE
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.paths_in_files import entries_in, manifests_in
from engine.formats.iceberg.removal.stored_paths import StoredPaths
from engine.formats.intake.errors import printable_path
from engine.formats.removal.expired_files import Unread
from engine.formats.removal.file_lists import Origin
from engine.formats.removal.path_keys import Keys, are_in, keys_of, places_in

_log = structlog.get_logger(__name__)


class KeptManifests:
    """The manifests of kept snapshots; lists that were read are not read again."""

    def __init__(self) -> None:
        self._lists: set[str] = set()
        self.paths: dict[str, None] = {}

    def add(self, view: TableView, snapshots: Sequence[Snapshot]) -> Sequence[str]:
        """Read the manifest lists of snapshots; return the manifests that are new.

        Raises:
            Malformed, NotEligible: a list can't be read.
            OSError: the store does not answer.
        """
        lists = [each.manifest_list for each in snapshots if each.manifest_list not in self._lists]
        lists = list(dict.fromkeys(lists))
        new: dict[str, None] = {}
        for manifests in StoredPaths(view.io).needed(lists, manifests_in):
            for path in manifests["path"].unique().to_pylist():
                if path not in self.paths:
                    new[path] = None
        self._lists |= set(lists)
        self.paths |= new
        return list(new)

    def have(self, paths: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
        """Return for each path whether a kept snapshot may have the manifest."""
        return np.isin(keys_of(paths), keys_of(pa.array(list(self.paths), pa.string())))


class Reachability:
    """The needed ones of some files; a file that was found to be needed stays so."""

    def __init__(
        self, keys: Keys, manifests: KeptManifests | None = None, *, unread: Iterable[str] | None = None
    ) -> None:
        """Take the keys of the files in question, and manifests of kept snapshots that are known already.

        `unread` are those of the manifests whose entries were not compared with these files; by default all.
        """
        self._keys = np.unique(keys)
        self._is_needed = np.zeros(len(self._keys), np.bool_)
        self.manifests = manifests or KeptManifests()
        self._unread = list(self.manifests.paths if unread is None else unread)

    def are_needed(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Return for each key whether its file is needed; one that is not in question counts as needed."""
        if not len(self._keys):
            return np.ones(len(keys), np.bool_)
        needed: npt.NDArray[np.bool_] = self._is_needed[places_in(self._keys, keys)] | ~are_in(self._keys, keys)
        return needed

    def look(self, view: TableView, snapshots: Sequence[Snapshot] | None = None, *, has_content: bool = True) -> None:
        """Mark the files that snapshots of this version need.

        Args:
            view: a version of the table.
            snapshots: by default all that the version has.
            has_content: False if none of the files in question is named by a manifest: no manifest is read then.

        Raises:
            Malformed, NotEligible: a manifest or list that a snapshot needs can't be read; the message names it.
            OSError: the store does not answer.
        """
        kept = view.metadata.snapshots if snapshots is None else snapshots
        self._mark_paths(needed_by_metadata(view, kept))
        self._unread += self.manifests.add(view, kept)
        self._mark_paths(list(self.manifests.paths))
        if len(self._keys) and has_content:
            for entries in StoredPaths(view.io).needed(self._unread, entries_in):
                self._mark(keys_of(entries.filter(entries["is_live"])["path"]))
            self._unread = []

    def look_at_lost(self, view: TableView, lists: Sequence[str]) -> None:
        """Mark the files that snapshots need which the table lost, though no expiry of this run removed them.

        Another program may have expired them. It may also be the catalog's answer that lacks them: as long as their
        manifest lists are in the store, their files stay. Lists and manifests that are missing or damaged need nothing.

        Args:
            view: a version of the table.
            lists: the manifest lists of these snapshots.

        Raises:
            OSError: the store does not answer.
        """
        if not lists:
            return
        _log.warning(
            "kept_snapshots_are_gone", manifest_lists=len(lists), table=printable_path(view.metadata.location, end=True)
        )
        # not reported: no reader can follow a missing or damaged list, so no snapshot that can be read depends on it
        unread = Unread()
        stored, manifests = StoredPaths(view.io), dict[str, None]()
        for found, some in stored.left(lists, manifests_in, unread):
            self._mark_paths(some)
            manifests |= dict.fromkeys(found["path"].to_pylist())
        for entries, some in stored.left(list(manifests), entries_in, unread):
            self._mark_paths(some)
            self._mark(keys_of(entries.filter(entries["is_live"])["path"]))

    def only(self, keys: Keys) -> "Reachability":
        """Return the same for some of the files that are not needed: what was read is not read again."""
        return Reachability(keys[~self.are_needed(keys)], self.manifests, unread=self._unread)

    def _mark_paths(self, paths: Iterable[str]) -> None:
        self._mark(keys_of(pa.array(list(paths), pa.string())))

    def _mark(self, keys: Keys) -> None:
        if len(keys) and len(self._keys):
            self._is_needed[places_in(self._keys, keys[are_in(self._keys, keys)])] = True


class TableReferences:
    """The files of a list that a table needs, a `References`.

    Args:
        origin: the version of the table that the list was made from.
        reachability: of the files, with what was read of the table already.
        load: returns the current version of the table.
        check: raises if that version forbids to delete files.
    """

    def __init__(
        self,
        origin: Origin,
        reachability: Reachability,
        *,
        load: Callable[[], TableView],
        check: Callable[[TableView], None],
    ) -> None:
        self._origin = origin
        self._reachability = reachability
        self._load = load
        self._check = check

    def refresh(self, *, deletes: bool) -> None:
        """Read the current version; raises as `References.refresh` and `Reachability.look`."""
        view = self._load()
        if deletes:
            self._check(view)
        check_newer(view.metadata, self._origin)
        self._reachability.look(view)

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file whether a version that was read needs it."""
        return self._reachability.are_needed(keys_of(files["path"]))


def needed_by_metadata(view: TableView, snapshots: Sequence[Snapshot]) -> list[str]:
    """Return the files that the metadata itself names: of these snapshots, its log, and its own."""
    metadata = view.metadata
    ids = {each.snapshot_id for each in snapshots}
    gone = {each.snapshot_id for each in metadata.snapshots} - ids
    statistics = [*metadata.statistics, *metadata.partition_statistics]
    return [
        view.table.metadata_location,
        *(each.metadata_file for each in metadata.metadata_log),
        *(each.manifest_list for each in snapshots),
        *(each.statistics_path for each in statistics if each.snapshot_id not in gone),
    ]


def origin_of(metadata: TableMetadata) -> Origin:
    """Return the origin of a list of files that is made from this metadata."""
    return Origin(str(metadata.table_uuid), metadata.next_sequence_number(), metadata.last_updated_ms)


def check_newer(metadata: TableMetadata, origin: Origin) -> None:
    """Check that metadata is of the same table as a list of files, and not older.

    Raises:
        TableReplaced: the catalog has another table under this name.
        Fatal: the catalog's pointer moved to older metadata.
    """
    now = origin_of(metadata)
    if now.uuid != origin.uuid:
        raise TableReplaced(f"the table under this name is another one now ({now.uuid}, it was {origin.uuid})")
    if now.updated_ms < origin.updated_ms or now.next_sequence_number < origin.next_sequence_number:
        moved = f"next sequence number {origin.next_sequence_number} → {now.next_sequence_number}"
        moved += f", updated {origin.updated_ms} → {now.updated_ms}"
        raise Fatal(f"the catalog's pointer went back in time ({moved}): no file is deleted by older metadata")


def check_may_delete(view: TableView) -> None:
    """Raise `NotEligible` if a feature of the table, or its property `gc.enabled`, forbids to delete files."""
    view.check_features(Activity.UPKEEP)
    if (given := view.metadata.properties.get(GC_ENABLED, "true")).strip().lower() != "true":
        raise NotEligible(f"the table property {GC_ENABLED} is {given[:40]!r}, so no file is deleted: {MAY_DELETE}")
