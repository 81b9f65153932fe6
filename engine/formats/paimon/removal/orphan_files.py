"""Look for orphans of a Paimon table and delete those that an earlier look, a quarantine ago, found as well.

A look writes a probe, whose time is the store's clock, loads the table, lists every file below its location, loads the
table again, and subtracts the files to which snapshots, tags, branches or changelogs of either version refer. If some
metadata can't be read, nothing is deleted. A process that was killed is followed by another look: the stored looks and
records make it go on.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.domain.runs.removals import OrphanRule, RemovalPlan
from engine.formats.base import Condition
from engine.formats.paimon.removal.orphan_checks import check_alone, check_complete, check_options, check_rule
from engine.formats.paimon.removal.orphan_names import of_documents, orphan_kinds
from engine.formats.paimon.removal.orphan_references import References, name_keys
from engine.formats.paimon.removal.records import check_same, origin_of, records_of, records_root
from engine.formats.paimon.view import TableView
from engine.formats.removal.candidates import (
    candidates,
    check_shrinkage,
    in_scope,
    of_kinds,
    of_no_open_run,
    within_limit,
)
from engine.formats.removal.deletions import record_orphans
from engine.formats.removal.listings import ListedFiles, files_below
from engine.formats.removal.looks import Look, Looked, StoredLooks, due_files, us, with_times
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import Refused, Scope
from engine.formats.removal.unneeded import UnneededFiles


class OrphanFiles:
    """The search and deletion for one run of a table; `load` returns the current version of the table."""

    def __init__(
        self, *, load: Callable[[], TableView], run_id: str, scope: Scope, open_runs: Sequence[str] = ()
    ) -> None:
        self._load = load
        self._run_id = run_id
        self._scope = scope
        self._open_runs = open_runs
        self._references = References()
        self._looked: Looked | None = None
        self._due: UnneededFiles

    @property
    def looked(self) -> Looked:
        """The look that was taken."""
        if self._looked is None:
            raise ValueError("no look was taken yet")
        return self._looked

    def looking(
        self, rule: OrphanRule, before_page: Callable[[int], None], *, is_stored: bool = True
    ) -> Iterator[None]:
        """Take a look in parts; see `OrphanSearch.looking`.

        Raises:
            NotEligible: the table has files in other places than its location, or another table inside; it keeps
                changelogs longer than snapshots; or the rule names an inventory.
            StateConflict: the listing is incomplete, or the table lost references that no expiry explains.
            Malformed: a manifest or list can't be read.
            TableReplaced: another table has this name now.
            OSError: the store does not answer.
        """
        check_rule(rule)
        before = self._load()
        check_options(before)
        storage = before.files.storage.properties
        looks = StoredLooks(before.files.storage, records_root(before.files))
        earlier = looks.latest()
        if earlier is not None:
            check_same(before, earlier.origin)
        now_us = looks.store_time(storage, self._run_id) if is_stored else time.time_ns() // 1000
        found = ListedFiles(now_us - us(rule.age))
        ids = yield from self._refer(before, found, before_page)
        check_shrinkage(earlier, self._references.count, ids)
        refused = Refused()
        files, more = self._orphans(before, found, earlier, refused)
        look = Look(origin_of(before), now_us, self._references.count, ids, candidates(files, earlier, now_us))
        if is_stored:
            looks.write(look)
        due = due_files(look, rule, orphan_kinds(before))
        self._looked = Looked(look, found.files, due, refused, found.keys(), rule, more=more)
        self._due = UnneededFiles(due, self)

    def is_pending(self) -> bool:
        """Return False: another attempt begins with a look."""
        return False

    @property
    def records(self) -> Records:
        """The lists of the run."""
        return records_of(self._load().files, self._run_id)

    def record(self) -> RemovalPlan:
        """Store the list of the files past quarantine, for the run. Raises OSError."""
        return record_orphans(self)

    def unneeded(self) -> Iterator[pa.Table]:
        """Yield the files past quarantine that nothing refers to now; see `UnneededFiles`. Raises as `looking`."""
        return (with_times(batch, self.looked.look) for batch in self._due.batches())

    def prove(self) -> Sequence[Condition]:
        """Look at the current metadata: whether it refers to a file that was sent for deletion. Raises as `looking`."""
        return self._due.prove()

    def close(self) -> None:
        """Do nothing: the lists stay as the record of what was deleted."""

    def refresh(self, *, deletes: bool) -> None:  # noqa: ARG002 - what it may not delete by, it does not trust either
        """Read all roots that are new, as `References`. Raises as `looking`."""
        view = self._load()
        check_same(view, self.looked.look.origin)
        check_options(view)
        self._references.add(view)

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file whether the table refers to one of its name."""
        return self._references.have(name_keys(files["path"]))

    def _refer(
        self, before: TableView, found: ListedFiles, before_page: Callable[[int], None]
    ) -> Generator[None, None, Sequence[int]]:
        """List all files, and read the references before and after; return the identities of those before.

        Raises:
            NotEligible, StateConflict, Malformed, TableReplaced, OSError: as `looking`.
        """
        ids, names = self._references.add(before), [np.empty(0, np.uint64)]
        for batch in files_below(before.files.location, before.files.storage.properties, before_page):
            found.add(batch)
            names.append(name_keys(batch["path"]))
            yield
        after = self._load()
        check_options(after)
        check_same(after, origin_of(before))
        check_complete(before, after, np.sort(np.concatenate(names)))
        check_alone(found, after, self._scope)
        self._references.add(after)
        return ids

    def _orphans(
        self, before: TableView, found: ListedFiles, earlier: Look | None, refused: Refused
    ) -> tuple[pa.Table, int]:
        """Return old files that nothing refers to and that may be deleted, and the number of those beyond the limit."""
        kinds, documents = orphan_kinds(before), of_documents(before.files.location)

        def of_paimon(batch: pa.Table) -> pa.Table:
            batch = batch.filter(pa.array(~self._references.have(name_keys(batch["path"]))))
            return in_scope(of_kinds(batch, kinds, refused, untold=documents), self._scope, refused)

        files, more = within_limit((of_paimon(batch) for batch in found.old()), earlier)
        return of_no_open_run(files, self._open_runs, refused), more
