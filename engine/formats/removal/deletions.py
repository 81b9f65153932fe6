"""Deletions of a run's files from a loaded table, as `formats.base` defines `FileDeletion` and `OrphanDeletion`."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import pyarrow as pa

from engine.domain.runs.removals import FileCount, OrphanRule, RemovalFigures, RemovalPlan
from engine.formats.base import Condition
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.orphan_files import OrphanFiles
from engine.formats.removal.path_keys import SeenKeys, are_in


class DeletedFiles(Protocol):
    """What a deletion deletes: finds and records the files, and compares them with the current metadata."""

    def is_pending(self) -> bool:
        """Return whether something is stored that is not deleted yet."""

    def record(self) -> RemovalPlan:
        """Find the files to delete and store their list."""

    def unneeded(self) -> Iterator[pa.Table]:
        """Yield the recorded files that the current metadata does not need."""

    def prove(self) -> Sequence[Condition]:
        """Look at the current metadata: whether it needs a file that was sent for deletion."""

    def close(self) -> None:
        """Remove the records that only a repetition needs."""


class TableDeletion:
    """The deletion for one run, a `FileDeletion`.

    Args:
        reading: runs a block that reads metadata, with what it does and for which table in the messages of its errors:
            its argument, which ends with "of", and the table's address complete "Could not …".
        storage: returns the current properties of file access.
        files: finds, records and checks the files.
        what: what the files are, in messages.
    """

    def __init__(
        self,
        *,
        reading: Callable[[str], AbstractContextManager[None]],
        storage: Callable[[], Mapping[str, str]],
        files: DeletedFiles,
        what: str,
    ) -> None:
        self._reading = reading
        self._storage = storage
        self._files = files
        self._what = what
        self._before_batch: Callable[[int], None] = lambda _: None
        self._removal: BulkDelete | None = None

    def is_pending(self) -> bool:
        """Return whether something is stored for the run that is not deleted yet."""
        with self._reading("read the lists of deleted files of"):
            return self._files.is_pending()

    def record(self) -> RemovalPlan:
        """Find the files that nothing needs and store their list; a stored list is checked again."""
        with self._reading(f"find the {self._what} of"):
            return self._files.record()

    def advance(self, before_batch: Callable[[int], None], seconds: float) -> bool:
        """Delete recorded files for a time; see `FileDeletion.advance`."""
        self._before_batch = before_batch
        with self._reading(f"delete the {self._what} of"):
            if self._removal is None:
                self._removal = BulkDelete(self._storage(), before_batch=self._ask)
                self._removal.begin(self._files.unneeded())
            return self._removal.advance(seconds)

    def figures(self) -> RemovalFigures:
        """Return what this object deleted so far, also after an error."""
        return RemovalFigures() if self._removal is None else self._removal.tally.figures()

    def prove(self) -> Sequence[Condition]:
        """Check in the current metadata that nothing needs a file that was deleted."""
        with self._reading("read the manifests of"):
            return self._files.prove()

    def close(self) -> None:
        """Remove the records that only a repetition needs; the list of deleted files stays."""
        with self._reading("remove the lists of deleted files of"):
            self._files.close()

    def _ask(self, requests: int) -> None:
        self._before_batch(requests)


class LookingDeletion(TableDeletion):
    """The deletion of files that a look at the table's storage finds, an `OrphanDeletion`.

    Args:
        reading, storage, files, what: as for `TableDeletion`.
        looking: takes the look in parts, as `OrphanFiles.looking` does; called with `before_page`.
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
        files: OrphanFiles,
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


def _gone(files: OrphanFiles) -> dict[str, FileCount]:
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
