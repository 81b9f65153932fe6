"""Facts of Paimon about orphans of a table: files of snapshots, tags, branches and changelogs, folders and names.

An orphan has a place and a name that Paimon or Packhouse gives, and is of no live run.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.domain.runs.removals import OrphanRule
from engine.formats.paimon.removal.orphan_checks import check_alone, check_complete, check_options, check_rule
from engine.formats.paimon.removal.orphan_names import of_documents, orphan_kinds
from engine.formats.paimon.removal.orphan_references import References, name_keys
from engine.formats.paimon.removal.records import check_same, origin_of, records_of, records_root
from engine.formats.paimon.view import TableView
from engine.formats.removal.file_lists import FileList, Origin
from engine.formats.removal.listings import ListedFiles, Listing
from engine.formats.removal.orphan_files import SearchedTable
from engine.formats.removal.path_keys import Keys
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RefusedFiles, Scope, in_scope, of_kinds


@dataclass(frozen=True, slots=True)
class NamedListing(Listing):
    """A listing that keeps the keys of the names of all files."""

    names: list[Keys] = field(default_factory=list)

    def files(self) -> Iterator[pa.Table]:
        """Yield all files. Raises `NotEligible`, OSError."""
        for batch in Listing.files(self):
            self.names.append(name_keys(batch["path"]))
            yield batch


class PaimonOrphans:
    """Facts of Paimon about orphans of one table, an `OrphanSource`; `load` returns its current version."""

    def __init__(self, *, load: Callable[[], TableView], scope: Scope, open_runs: Sequence[str] = ()) -> None:
        self._load = load
        self._scope = scope
        self._open_runs = open_runs
        self._references = References()
        self._before: TableView
        self._ids: Sequence[int] = ()
        self._listing: NamedListing

    def begin(self, rule: OrphanRule) -> SearchedTable:
        """Load the table, and check that all of its files can be found."""
        check_rule(rule)
        view = self._before = self._load()
        check_options(view)
        stored = view.files.storage
        return SearchedTable(origin_of(view), orphan_kinds(view), stored, records_root(view.files), stored.properties)

    def check_same(self, origin: Origin) -> None:
        """Raise `TableReplaced` unless the table is that of an earlier search."""
        check_same(self._before, origin)

    def find_files(self, rule: OrphanRule, now_us: int, before_page: Callable[[int], None]) -> NamedListing:  # noqa: ARG002
        """Read what the table refers to; return a listing."""
        files = self._before.files
        self._ids = self._references.add(self._before)
        self._listing = NamedListing(files.location, files.storage.properties, before_page)
        return self._listing

    def check_listing(self, found: ListedFiles, now_us: int, before_page: Callable[[int], None]) -> Sequence[int]:  # noqa: ARG002
        """Check a listing against the versions before and after it; see `OrphanSource.check_listing`."""
        before, after = self._before, self._load()
        check_options(after)
        check_same(after, origin_of(before))
        check_complete(before, after, np.sort(np.concatenate([np.empty(0, np.uint64), *self._listing.names])))
        check_alone(found, after, self._scope)
        self._references.add(after)
        return self._ids

    def referenced(self) -> Keys:
        """Return the sorted keys of the names that either version refers to."""
        return self._references.keys()

    def allowed(self, files: pa.Table, refused: RefusedFiles) -> pa.Table:
        """Return those of the files that nothing refers to and that may be deleted; count the others."""
        orphans, documents = files.filter(pa.array(~self.needed(files))), of_documents(self._before.files.location)
        named = of_kinds(orphans, orphan_kinds(self._before), refused, untold=documents)
        return in_scope(named, self._scope, refused)

    def marks_of_open_runs(self, paths: pa.ChunkedArray) -> Sequence[str]:  # noqa: ARG002 - ids are in all names
        """Return the ids of open runs."""
        return self._open_runs

    def references(self, files: FileList) -> "PaimonOrphans":  # noqa: ARG002 - those of all files are known
        """Return what the table refers to from now on, as `References`: this object."""
        return self

    def records(self, run_id: str) -> Records:
        """Return the lists of a run of the table."""
        return records_of(self._load().files, run_id)

    def refresh(self, *, deletes: bool) -> None:  # noqa: ARG002 - with other options, the references are not all
        """Read all snapshots, tags, branches and changelogs that are new."""
        view = self._load()
        check_same(view, origin_of(self._before))
        check_options(view)
        self._references.add(view)

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file whether the table refers to one of its name."""
        return self._references.have(name_keys(files["path"]))
