"""Deletions of files that a listing of the table's storage finds, as `formats.base.OrphanDeletion` defines them."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from engine.domain.runs.removals import FileCount, OrphanRule, RemovalFigures, RemovalPlan
from engine.formats.deletion.path_keys import SeenKeys, are_in
from engine.formats.deletion.records import Records
from engine.formats.deletion.table_deletions import DeletedFiles, TableDeletion
from engine.formats.orphans.looked import Looked


class OrphanSearch(DeletedFiles, Protocol):
    """The search and deletion for one run of a table: `looking` comes first."""

    @property
    def looked(self) -> Looked:
        """The look that was taken. Raises ValueError before."""

    @property
    def records(self) -> Records:
        """The lists of the run."""

    def looking(
        self, rule: OrphanRule, before_page: Callable[[int], None], *, is_stored: bool = True
    ) -> Iterator[None]:
        """Take a look in parts; it is taken when the iterator ends.

        Args:
            rule: which files are orphans.
            before_page: called with the number of requests before files are listed; may wait, or raise to stop.
            is_stored: whether the look is stored; otherwise nothing is written, and this machine's clock counts.
        """


class LookingDeletion(TableDeletion):
    """The deletion of files that a look at the table's storage finds, an `OrphanDeletion`.

    Args:
        reading, storage, files, what: as for `TableDeletion`.
        looking: takes the look in parts, as `OrphanSearch.looking` does; called with `before_page`.
        earlier: returns, after the look, what earlier attempts of the run deleted, by kind.
    """

    def __init__(
        self,
        *,
        reading: Callable[[str], AbstractContextManager[None]],
        storage: Callable[[], Mapping[str, str]],
        files: DeletedFiles,
        what: str,
        looking: Callable[[Callable[[int], None]], Iterator[None]],
        earlier: Callable[[], Mapping[str, FileCount]],
    ) -> None:
        super().__init__(reading=reading, storage=storage, files=files, what=what)
        self._begin = looking
        self._count_earlier = earlier
        self._looking: Iterator[None] | None = None
        self._earlier: Mapping[str, FileCount] = {}

    def look(self, before_page: Callable[[int], None], seconds: float) -> bool:
        """List files for a time; see `OrphanDeletion.look`."""
        self._before_batch = before_page
        until = time.monotonic() + seconds
        with self._reading(f"look for {self._what} of"):
            if self._looking is None:
                self._looking = self._begin(self._ask)
            for _ in self._looking:
                if time.monotonic() >= until:
                    return True
            self._earlier = self._count_earlier()
        return False

    def figures(self) -> RemovalFigures:
        """Return what this object, and earlier attempts of the run, deleted so far."""
        return super().figures().with_earlier(self._earlier)


class TableOrphans(LookingDeletion):
    """The deletion of one run's orphans; arguments as for `TableDeletion`."""

    def __init__(
        self,
        *,
        reading: Callable[[str], AbstractContextManager[None]],
        storage: Callable[[], Mapping[str, str]],
        files: OrphanSearch,
        rule: OrphanRule,
    ) -> None:
        super().__init__(
            reading=reading,
            storage=storage,
            files=files,
            what="orphans",
            looking=lambda before_page: files.looking(rule, before_page),
            earlier=lambda: _gone(files),
        )


def preview_orphans(files: OrphanSearch, rule: OrphanRule, before_page: Callable[[int], None]) -> RemovalPlan:
    """Return which orphans would be deleted now. Nothing is written. Raises as `OrphanSearch.looking`."""
    for _ in files.looking(rule, before_page, is_stored=False):
        pass
    return files.looked.plan()


def record_orphans(files: OrphanSearch) -> RemovalPlan:
    """Store the list of the files past quarantine, for the run. Raises OSError."""
    looked = files.looked
    path = files.records.write_orphans(looked.due, looked.look.taken_us) if looked.due.rows else ""
    return looked.plan(path=path)


def _gone(files: OrphanSearch) -> dict[str, FileCount]:
    """Return the files that earlier attempts of this run recorded and that are gone now, by kind. Raises OSError.

    A file that several attempts recorded counts once.
    """
    counts: dict[str, FileCount] = {}
    seen = SeenKeys()
    for stored in files.records.orphans():
        keys = stored.keys()
        is_gone = ~are_in(files.looked.keys, keys)
        for kind, count in stored.only(is_gone & seen.add(keys)).counts().items():
            counts[kind] = counts.get(kind, FileCount()) + count
    return counts
