"""Facts of Iceberg about the files of expired snapshots: what an expiry announces, and what the table needs of them."""

from collections.abc import Callable, Sequence

from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.expired_candidates import find_files, roots_of
from engine.formats.iceberg.removal.reachability import Reachability, TableReferences, check_may_delete, check_newer
from engine.formats.iceberg.removal.records import records_of
from engine.formats.removal.expired_files import FoundFiles, Unread
from engine.formats.removal.file_lists import FileList, Origin
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RefusedFiles, Scope


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
