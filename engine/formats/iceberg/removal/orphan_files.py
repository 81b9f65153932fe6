"""Look for orphans and delete those that an earlier look, a quarantine ago, found as well.

A look writes a probe, whose time is the store's clock, loads the table, lists every file below its location (or reads
an inventory of it), loads the table again, and subtracts the files that either version refers to. Nothing is deleted on
a listing that lacks a file that must exist. A process that was killed is followed by another look: the stored looks and
records make it go on.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table.metadata import TableMetadata

from engine.domain.errors import StateConflict
from engine.domain.runs.removals import OrphanRule, RemovalPlan
from engine.formats.base import Condition
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.orphan_checks import check_complete, check_places, check_versions
from engine.formats.iceberg.removal.orphan_names import orphan_kinds
from engine.formats.iceberg.removal.orphan_references import References
from engine.formats.iceberg.removal.owners import check_one_table
from engine.formats.iceberg.removal.reachability import Reachability, TableReferences, check_newer, origin_of
from engine.formats.iceberg.removal.records import RecordFolder, records_of, records_root
from engine.formats.iceberg.removal.sources import FileSource, source_of
from engine.formats.removal.bulk_deletes import BulkDelete, Tally
from engine.formats.removal.candidates import (
    candidates,
    check_shrinkage,
    in_scope,
    of_kinds,
    of_no_open_run,
    within_limit,
)
from engine.formats.removal.deletions import record_orphans
from engine.formats.removal.listings import ListedFiles
from engine.formats.removal.looks import Look, Looked, StoredLooks, are_past_quarantine, due_files, us, with_times
from engine.formats.removal.path_keys import Keys, are_in, keys_of
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import Refused, Scope
from engine.formats.removal.unneeded import UnneededFiles

HIDDEN, CHANGED = "hidden", "changed_since_inventory"
_CHECKED_AT_ONCE: Final = 50_000
_HIDDEN: Final = r"/[._]"
"""Files and folders of other programs, as Iceberg's procedure takes them: `_delta_log`, `_temporary`, `.x.crc`."""

_HIDDEN_FILE: Final = r"/[._][^/]*$"
_MOST_PARTITION_NAMES: Final = 100

_COMMIT: Final = r"(?P<commit>[0-9a-f-]{36})-m[0-9]+\.avro$"


class OrphanFiles:
    """The search and deletion for one run of a table; `load` returns the current version of the table."""

    def __init__(
        self, *, load: Callable[[], TableView], run_id: str, scope: Scope, open_runs: Sequence[str] = ()
    ) -> None:
        self._load = load
        self._run_id = run_id
        self._scope = scope
        self._open_runs = open_runs
        self._looked: Looked | None = None
        self._due: UnneededFiles

    def look(self, rule: OrphanRule) -> Looked:
        """List the files, and store those that nothing refers to. Raises as `looking`."""
        for _ in self.looking(rule, lambda _: None):
            pass
        return self.looked

    @property
    def looked(self) -> Looked:
        """The look that was taken."""
        if self._looked is None:
            raise ValueError("no look was taken yet")
        return self._looked

    def looking(
        self, rule: OrphanRule, before_page: Callable[[int], None], *, is_stored: bool = True
    ) -> Iterator[None]:
        """Take a look in parts; it is taken when the iterator ends.

        Args:
            rule: which files are orphans.
            before_page: called with the number of requests before files are listed; may wait, or raise to stop.
            is_stored: whether the look is stored; otherwise nothing is written, and this machine's clock counts.

        Raises:
            NotEligible: the table forbids to delete files, has files in other places than its location, or has another
                table inside; or its inventory can't be used.
            StateConflict: the listing or the inventory is incomplete, or the table lost references that no expiry
                explains.
            Malformed: a manifest or list can't be read.
            TableReplaced: the catalog has another table under this name.
            Fatal: the catalog's pointer moved to older metadata.
            OSError: the store does not answer.
        """
        before = self._load()
        check_places(before, self._scope)
        looks = StoredLooks(RecordFolder(before), records_root(before))
        earlier = looks.latest()
        if earlier is not None:
            check_newer(before.metadata, earlier.origin)
        now_us = looks.store_time(before.table.io.properties, self._run_id) if is_stored else time.time_ns() // 1000
        source = source_of(before, self._scope.own, rule, before_page, now_us)
        found = ListedFiles(now_us - us(rule.age))
        keys = yield from self._references(before, source, found, now_us, before_page)
        ids = sorted(each.snapshot_id for each in before.metadata.snapshots)
        check_shrinkage(earlier, len(keys), ids)
        refused = Refused()
        orphans, more = self._orphans(before, found, keys, earlier, refused)
        files = candidates(orphans if source.taken_us is None else _without_repeats(orphans), earlier, now_us)
        changed = yield from _changed(source, files.filter(are_past_quarantine(files, now_us, rule.quarantine)))
        refused.add(changed, CHANGED)
        files = files.filter(pc.invert(pc.is_in(files["path"], value_set=changed)))
        look = Look(origin_of(before.metadata), now_us, len(keys), ids, files)
        if is_stored:
            looks.write(look)
        exist = np.setdiff1d(found.keys(), keys_of(changed))
        due = due_files(look, rule, orphan_kinds(before.metadata))
        every = np.union1d(keys, exist)
        self._looked = Looked(look, found.files, due, refused, every, rule, inventory_us=source.taken_us, more=more)
        check: Callable[[TableView], None] = partial(check_places, scope=self._scope)
        references = TableReferences(due.origin, Reachability(due.keys()), load=self._load, check=check)
        self._due = UnneededFiles(due, references)

    def is_pending(self) -> bool:
        """Return False: another attempt begins with a look."""
        return False

    @property
    def records(self) -> Records:
        """The lists of the run."""
        return records_of(self._load(), self._run_id)

    def record(self) -> RemovalPlan:
        """Store the list of the files past quarantine, for the run. Raises OSError."""
        return record_orphans(self)

    def delete(self, removal: BulkDelete) -> Tally:
        """Record the files past quarantine, then delete those that the current metadata does not need.

        Raises:
            Away, CredentialsExpired, StateConflict, Exception: as `BulkDelete.remove`; begin again with `look`.
            NotEligible, Malformed, TableReplaced, Fatal, OSError: as `looking`.
        """
        if self.record().total.files:
            removal.remove(self.unneeded())
        return removal.tally

    def unneeded(self) -> Iterator[pa.Table]:
        """Yield the files past quarantine that may be deleted; see `UnneededFiles.batches`. Raises as `looking`."""
        return (with_times(batch, self.looked.look) for batch in self._due.batches())

    def prove(self) -> Sequence[Condition]:
        """Look at the current metadata: whether it needs a file that was sent for deletion. Raises as `looking`."""
        return self._due.prove()

    def close(self) -> None:
        """Do nothing: the lists stay as the record of what was deleted."""

    def _references(
        self,
        before: TableView,
        source: FileSource,
        found: ListedFiles,
        now_us: int,
        before_page: Callable[[int], None],
    ) -> Generator[None, None, Keys]:
        """Find all files; return the keys of those that versions of before and after refer to. Raises as `looking`."""
        references = References(self._scope, source.listed, source.settled_ms)
        references.add(before)
        for batch in source.files():
            found.add(batch)
            yield
        after = self._load()
        check_places(after, self._scope)
        check_newer(after.metadata, origin_of(before.metadata))
        left = {each.snapshot_id for each in after.metadata.snapshots}
        if lost := {each.snapshot_id for each in before.metadata.snapshots} - left:
            raise StateConflict(f"{len(lost)} snapshots were removed while files were listed: look again")
        check_complete(found, references)
        references.add(after)
        keys = references.keys()
        check_one_table(check_versions(found, after, keys, self._scope, now_us), after, before_page)
        return keys

    def _orphans(
        self, before: TableView, found: ListedFiles, keys: Keys, earlier: Look | None, refused: Refused
    ) -> tuple[pa.Table, int]:
        """Return old files that nothing refers to and that may be deleted, and the number of those beyond the limit."""
        orphans = (batch.filter(pa.array(~are_in(keys, keys_of(batch["path"])))) for batch in found.old())
        kinds = orphan_kinds(before.metadata)

        def of_iceberg(batch: pa.Table) -> pa.Table:
            shown = _without_hidden(in_scope(batch, self._scope, refused), before.metadata, refused)
            return of_kinds(shown, kinds, refused)

        files, more = within_limit(map(of_iceberg, orphans), earlier)
        return of_no_open_run(files, self._marks(files["path"]), refused), more

    def _marks(self, paths: pa.ChunkedArray) -> list[str]:
        """Return texts that the paths of files of open runs contain: their ids, and the UUIDs of their commits."""
        commits: list[str] = []
        for run_id in self._open_runs:
            own = pc.extract_regex(paths.filter(pc.match_substring(paths, run_id)), _COMMIT)
            commits += pc.struct_field(own, "commit").unique().drop_null().to_pylist()
        return [*self._open_runs, *dict.fromkeys(commits)]


def _without_hidden(files: pa.Table, metadata: TableMetadata, refused: Refused) -> pa.Table:
    """Return the files of which no part of the path below the table's location is hidden.

    Folders of the table's own partition fields are not hidden, whatever these are called.
    """
    below = pc.utf8_slice_codeunits(files["path"], len(metadata.location.rstrip("/")))
    is_hidden = pc.match_substring_regex(below, _HIDDEN_FILE)
    for name in _hidden_partition_names(metadata):
        below = pc.replace_substring(below, pattern=f"/{name}=", replacement="/=")
    is_hidden = pc.or_(is_hidden, pc.match_substring_regex(below, _HIDDEN))
    refused.add(files.filter(is_hidden)["path"], HIDDEN)
    return files.filter(pc.invert(is_hidden))


def _hidden_partition_names(metadata: TableMetadata) -> list[str]:
    """Return the first names of partition fields, of all specs, with which a folder looks hidden."""
    fields = (each.name for spec in metadata.specs().values() for each in spec.fields)
    names = dict.fromkeys(each for each in fields if each.startswith((".", "_")) and "/" not in each)
    return list(islice(names, _MOST_PARTITION_NAMES))


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
