"""Delete the files that only expired snapshots needed; the steps can be repeated, by another process too.

1. `announce`, before each commit that removes snapshots: stores what the metadata names for them.
2. `find`, after the last commit: finds the files and stores their list. With a list that is stored already, by a
   process that ended, it only removes files from it that are needed again.
3. `unneeded`: looks at the current metadata before each part of the list, see `formats.removal.unneeded`.
4. `prove`: looks at the metadata after it.

What was stored is untrusted, and the table may have changed in any way between two steps: a file is deleted only if the
version of the table that was read last does not need it. A writer that adds a file of an expired snapshot in the moment
between that look and the deletion (`add_files`, a cherry-pick that was prepared before the expiry) loses it, as with
Iceberg's own procedure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from engine.domain.runs.removals import FileCount, RemovalPlan
from engine.formats.base import Condition
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.expired_candidates import Found, find_files, roots_of
from engine.formats.iceberg.removal.reachability import Reachability, TableReferences, check_may_delete, check_newer
from engine.formats.iceberg.removal.records import records_of
from engine.formats.removal.bulk_deletes import BulkDelete, Tally
from engine.formats.removal.file_lists import FileList
from engine.formats.removal.plans import Unread, plan_of
from engine.formats.removal.scopes import RefusedFiles, Scope
from engine.formats.removal.unneeded import UnneededFiles


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stored list of files that will be deleted.

    Attributes:
        path: of the list; empty if nothing was announced.
        files: the files.
        unread: manifests and lists of expired snapshots whose content is unknown; empty for a list found in the store.
        refused: files that may not be deleted whatever needs them.
        still_needed: number of the files in question that the table needs.
    """

    path: str
    files: FileList
    unread: Unread
    refused: RefusedFiles
    still_needed: int

    def plan(self) -> RemovalPlan:
        """Return it as the plan that a run records."""
        return plan_of(self.files, self.unread, self.refused, self.still_needed, path=self.path)


class ExpiredFiles:
    """The deletion for one run of a table; `load` returns the current version of the table."""

    def __init__(self, *, load: Callable[[], TableView], run_id: str, scope: Scope) -> None:
        self._load = load
        self._run_id = run_id
        self._scope = scope
        self._unneeded: UnneededFiles | None = None

    def announce(self, view: TableView, snapshot_ids: Sequence[int]) -> None:
        """Store what this version names for snapshots that a commit on it is about to remove.

        Raises:
            OSError: the store does not answer; nothing may be sent then.
        """
        records_of(view, self._run_id).write_roots(roots_of(view.metadata, snapshot_ids))

    def is_pending(self) -> bool:
        """Return whether something is stored that is not deleted yet. Raises OSError."""
        return bool(records_of(self._load(), self._run_id).roots())

    def looking(self, before_page: Callable[[int], None]) -> Iterator[None]:  # noqa: ARG002 - nothing is listed
        """Yield nothing: the files are found in the metadata."""
        return iter(())

    def gone(self) -> Mapping[str, FileCount]:
        """Return nothing: an attempt that follows another continues with its list."""
        return {}

    def record(self) -> RemovalPlan:
        """Find the files to delete and store their list, as `find`; return the plan that a run records."""
        return self.find().plan()

    def find(self) -> Recorded:
        """Find the files to delete and store their list; with a stored list, check it against the current metadata.

        Raises:
            NotEligible: the table forbids to delete files, or a kept snapshot has a file in a forbidden location.
            Malformed: a manifest or list that a kept snapshot needs can't be read.
            Fatal: the catalog's pointer moved to older metadata.
            TableReplaced: the catalog has another table under this name.
            OSError: the store does not answer.
        """
        view = self._load()
        check_may_delete(view)
        records = records_of(view, self._run_id)
        roots = records.roots()
        for each in roots:
            check_newer(view.metadata, each.origin)
        stored = records.files()
        if stored is not None:
            recorded, reachability = self._checked(view, *stored)
        else:
            found = _not_listed(find_files(view, roots, self._scope), records.finished())
            path = records.write_files(found.files) if roots else ""
            reachability = found.reachability
            recorded = Recorded(path, found.files, found.unread, found.refused, found.still_needed)
        references = TableReferences(recorded.files.origin, reachability, load=self._load, check=check_may_delete)
        self._unneeded = UnneededFiles(recorded.files, references)
        return recorded

    def delete(self, removal: BulkDelete) -> Tally:
        """Delete the recorded files that the current metadata does not need.

        Raises:
            Away, CredentialsExpired, StateConflict, Exception: as `BulkDelete.advance`; call again to go on.
            NotEligible, Malformed, Fatal, TableReplaced, OSError: as `find`.
        """
        removal.remove(self.unneeded())
        return removal.tally

    def unneeded(self) -> Iterator[pa.Table]:
        """Yield the recorded files that may be deleted; see `UnneededFiles.batches`. Raises as `find`."""
        return self._recorded.batches()

    def prove(self) -> Sequence[Condition]:
        """Look at the current metadata: whether it needs a file that was sent for deletion. Raises as `find`."""
        return self._recorded.prove()

    def close(self) -> None:
        """Remove the records that only a repetition needs; the list of deleted files stays. Raises OSError."""
        records = records_of(self._load(), self._run_id)
        records.remove_roots()

    def _checked(self, view: TableView, path: str, stored: FileList) -> tuple[Recorded, Reachability]:
        """Return a stored list without files that are needed or may not be deleted."""
        check_newer(view.metadata, stored.origin)
        refused = RefusedFiles()
        allowed = stored.filtered(lambda files: self._scope.allowed(files, refused))
        keys = allowed.keys()
        reachability = Reachability(keys)
        reachability.look(view)
        is_free = ~reachability.are_needed(keys)
        recorded = Recorded(path, allowed.only(is_free), Unread(), refused, int((~is_free).sum()))
        return recorded, reachability.only(keys)

    @property
    def _recorded(self) -> UnneededFiles:
        if self._unneeded is None:
            raise ValueError("nothing is recorded yet")
        return self._unneeded


def _not_listed(found: Found, finished: Iterator[FileList]) -> Found:
    """Return found files without those of closed deletions of the run, which manifests may still name as deleted."""
    listed = np.concatenate([np.empty(0, np.uint64), *(each.keys() for each in finished)])
    keys = found.files.keys()
    is_new = ~np.isin(keys, listed)
    return replace(found, files=found.files.only(is_new), reachability=found.reachability.only(keys[is_new]))


def preview(view: TableView, snapshot_ids: Sequence[int], scope: Scope) -> Found:
    """Return which files would be deleted if these snapshots expired now. Nothing is written. Raises as `find`."""
    check_may_delete(view)
    gone = frozenset(snapshot_ids)
    kept = [each for each in view.metadata.snapshots if each.snapshot_id not in gone]
    return find_files(view, [roots_of(view.metadata, snapshot_ids)], scope, kept=kept)
