"""Search a table for orphans and delete those that an earlier search, a quarantine ago, found as well.

A search writes a probe, whose time is the store's clock, loads the table, lists every file below its location, loads
the table again, and subtracts the files that either version refers to. Nothing is deleted on a listing that lacks a
file that must exist, or if some metadata can't be read. A process that was killed is followed by another search: the
stored searches and records make it go on.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import StateConflict
from engine.domain.runs.removals import OrphanRule, RemovalPlan
from engine.formats.removal.deletions import References, SearchedFiles, UnneededFiles
from engine.formats.removal.file_lists import FileKind, FileList, Origin
from engine.formats.removal.listings import FOUND, FileSource, ListedFiles
from engine.formats.removal.path_keys import Keys, are_in, keys_of
from engine.formats.removal.records import RecordFiles, Records
from engine.formats.removal.scopes import RefusedFiles, of_no_open_run
from engine.formats.removal.searches import (
    CANDIDATES,
    Search,
    SearchResult,
    StoredSearches,
    are_past_quarantine,
    due_files,
    us,
)

CHANGED: Final = "changed_since_inventory"
SEARCH_BYTES: Final = 2**29
"""Size in memory from which a search takes no more files, about 4 million: what is stored can be read again."""

_CHECKED_AT_ONCE: Final = 50_000
_NO_KEY: Final = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True)
class SearchedTable:
    """The version of a table with which a search begins.

    Attributes:
        origin: the version.
        kinds: each kind of files that can be orphans, with a regular expression of their paths; the first that matches
            counts.
        stored: the table's files, among which records are kept.
        root: the folder of the records of all runs.
        storage: properties of file access.
    """

    origin: Origin
    kinds: Sequence[tuple[FileKind, str]]
    stored: RecordFiles
    root: str
    storage: Mapping[str, str]


class OrphanSource(Protocol):
    """Facts of a format about one table that is searched for orphans; the methods are called in this order.

    All raise `NotEligible` if the table can't be searched, `TableReplaced` or `Fatal` if it is another one or older
    than before, `Malformed` if its metadata can't be read, and OSError if the store does not answer.
    """

    def begin(self, rule: OrphanRule) -> SearchedTable:
        """Load the table, and check that it may be searched by this rule."""

    def check_same(self, origin: Origin) -> None:
        """Check that the table is the one of an earlier list or search, and not older."""

    def find_files(self, rule: OrphanRule, now_us: int, before_page: Callable[[int], None]) -> FileSource:
        """Read what the table refers to; return where its files are found.

        Args:
            rule: which files are orphans.
            now_us: the time by the store's clock, in microseconds since 1970.
            before_page: called with the number of requests before files are listed; may wait, or raise to stop.
        """

    def check_listing(self, found: ListedFiles, now_us: int, before_page: Callable[[int], None]) -> Sequence[int]:
        """Load the table again, read what it refers to now, and check the listing against both versions.

        Arguments are those of `find_files`.

        Returns:
            The ids of the snapshots that the table had before, or numbers for them and for its tags.

        Raises:
            StateConflict: the listing is incomplete.
        """

    def referenced(self) -> Keys:
        """Return the sorted keys of all files that either version refers to."""

    def allowed(self, files: pa.Table, refused: RefusedFiles) -> pa.Table:
        """Return those of the files that nothing refers to and that may be deleted; count the others in `refused`.

        Args:
            files: old files, with the schema `listings.FOUND`.
            refused: counts files that nothing refers to, but that are in the wrong place or have the wrong name.
        """

    def marks_of_open_runs(self, paths: pa.ChunkedArray) -> Sequence[str]:
        """Return texts of which each path of a live run's file contains one."""

    def references(self, files: FileList) -> References:
        """Return what the table needs of these files from now on."""

    def records(self, run_id: str) -> Records:
        """Return the lists of a run of the table; called at any time."""


class OrphanFiles(SearchedFiles):
    """The search and deletion for one run of a table, as `deletions.DeletedFiles`: `looking` comes first."""

    def __init__(self, source: OrphanSource, run_id: str, rule: OrphanRule) -> None:
        """Take the table, and the rule by which files are orphans."""
        self._source = source
        self._run_id = run_id
        self._rule = rule
        self._result: SearchResult | None = None

    @property
    def result(self) -> SearchResult:
        """The search that was made. Raises ValueError before."""
        if self._result is None:
            raise ValueError("no search was made yet")
        return self._result

    @property
    def records(self) -> Records:
        """The lists of the run. Raises OSError."""
        return self._source.records(self._run_id)

    def looking(self, before_page: Callable[[int], None], *, is_stored: bool = True) -> Iterator[None]:
        """Search in parts; it is done when the iterator ends.

        Args:
            before_page: called with the number of requests before files are listed; may wait, or raise to stop.
            is_stored: whether the search is stored; otherwise nothing is written, and this machine's clock counts.

        Raises:
            NotEligible: the table forbids to delete files, has files in other places than its location, or has another
                table inside; or its inventory can't be used.
            StateConflict: the listing or the inventory is incomplete, or the table lost references that no expiry
                explains.
            Malformed, TableReplaced, Fatal, OSError: as `OrphanSource`.
        """
        rule = self._rule
        table = self._source.begin(rule)
        searches = StoredSearches(table.stored, table.root)
        earlier = searches.latest()
        if earlier is not None:
            self._source.check_same(earlier.origin)
        now_us = searches.store_time(table.storage, self._run_id) if is_stored else time.time_ns() // 1000
        listing = self._source.find_files(rule, now_us, before_page)
        found = ListedFiles(now_us - us(rule.age))
        for batch in listing.files():
            found.add(batch)
            yield
        ids = self._source.check_listing(found, now_us, before_page)
        referenced, refused = self._source.referenced(), RefusedFiles()
        _check_shrinkage(earlier, len(referenced), ids)
        orphans, more = self._orphans(found, earlier, refused)
        files = _candidates(orphans if listing.taken_us is None else _without_repeats(orphans), earlier, now_us)
        changed = yield from _changed(listing, files.filter(are_past_quarantine(files, now_us, rule.quarantine)))
        refused.add(changed, CHANGED)
        files = files.filter(pc.invert(pc.is_in(files["path"], value_set=changed)))
        search = Search(table.origin, now_us, len(referenced), ids, files)
        if is_stored:
            searches.write(search)
        keys = np.union1d(referenced, np.setdiff1d(found.keys(), keys_of(changed)))
        due = due_files(search, rule, table.kinds)
        self._result = SearchResult(
            search, found.files, due, refused, keys, rule, inventory_us=listing.taken_us, more=more
        )
        self._due = UnneededFiles(due, self._source.references(due), times=search.files)

    def _orphans(self, found: ListedFiles, earlier: Search | None, refused: RefusedFiles) -> tuple[pa.Table, int]:
        """Return old files that nothing refers to and that may be deleted, and the number of those beyond the limit."""
        files, more = _within_limit((self._source.allowed(batch, refused) for batch in found.old()), earlier)
        return of_no_open_run(files, self._source.marks_of_open_runs(files["path"]), refused), more

    def exist(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file of a stored list whether the search found it, or the table refers to it."""
        return are_in(self.result.keys, keys_of(files["path"]))


def preview_orphans(files: OrphanFiles, before_page: Callable[[int], None]) -> RemovalPlan:
    """Return which orphans would be deleted now. Nothing is written. Raises as `OrphanFiles.looking`."""
    for _ in files.looking(before_page, is_stored=False):
        pass
    return files.result.plan()


def _without_repeats(files: pa.Table) -> pa.Table:
    """Return files in the order of their paths, of several rows with one path the latest."""
    files = files.sort_by([("path", "ascending"), ("modified_us", "descending")])
    paths = files["path"].combine_chunks()
    is_first = pc.not_equal(paths.slice(1), paths.slice(0, max(0, len(paths) - 1)))
    return files.filter(pa.concat_arrays([pa.array([True] * min(1, len(paths)), pa.bool_()), is_first]))


def _changed(source: FileSource, files: pa.Table) -> Generator[None, None, pa.ChunkedArray]:
    """Yield between requests; return the paths of those files that the store has not, or with another size or time."""
    changed = [pa.chunked_array([], pa.string())]
    for start in range(0, files.num_rows, _CHECKED_AT_ONCE):
        part = files.slice(start, _CHECKED_AT_ONCE)
        changed.append(part.filter(pc.invert(source.are_unchanged(part)))["path"])
        yield
    return pa.chunked_array([chunk for each in changed for chunk in each.chunks], pa.string())


def _candidates(orphans: pa.Table, earlier: Search | None, now_us: int) -> pa.Table:
    """Return orphans, with the schema `listings.FOUND`, as `CANDIDATES`: with the first search that found each."""
    if earlier is None or earlier.taken_us > now_us:
        since = pa.repeat(now_us, orphans.num_rows)
    else:
        since = earlier.first_seen(orphans, now_us)
    return pa.table([*orphans.columns, since], schema=CANDIDATES)


def _within_limit(orphans: Iterator[pa.Table], earlier: Search | None) -> tuple[pa.Table, int]:
    """Return orphans, with the schema `listings.FOUND`, and the number of those beyond the limit of a search.

    Files that the earlier search has come first: so their quarantine goes on, however many others there are.
    """
    before = CANDIDATES.empty_table() if earlier is None else earlier.files
    known, room = np.append(np.sort(keys_of(before["path"])), _NO_KEY), SEARCH_BYTES - before.nbytes
    kept, more = [FOUND.empty_table()], 0
    for batch in orphans:
        is_known = pa.array(are_in(known, keys_of(batch["path"])))
        if room <= 0:
            more += batch.num_rows - pc.sum(is_known, min_count=0).as_py()
            kept.append(batch.filter(is_known))
        else:
            room -= batch.filter(pc.invert(is_known)).nbytes
            kept.append(batch)
    return pa.concat_tables(kept), more


def _check_shrinkage(earlier: Search | None, referenced: int, ids: Sequence[int]) -> None:
    """Raise `StateConflict` if the table lost references since the last search that no expiry explains.

    No expiry removes the newest snapshot, so a table that had snapshots has some. An expiry explains fewer references;
    if no snapshot is gone, at most a tenth of them may be.
    """
    if earlier is None:
        return
    if earlier.snapshot_ids and not ids:
        raise StateConflict(
            f"the table has no snapshot, {len(earlier.snapshot_ids)} at the last search, and no expiry removes all: "
            "the catalog's answer may be incomplete, so no file is deleted; if the table was emptied, commit to it "
            "first"
        )
    if referenced * 10 < earlier.referenced * 9 and set(earlier.snapshot_ids) <= set(ids):
        raise StateConflict(
            f"the table refers to {referenced} files, {earlier.referenced} at the last search, though no snapshot was "
            "removed since: no file is deleted"
        )
