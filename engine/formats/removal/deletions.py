"""The deletion of a run's files from a loaded table, as `formats.base.FileDeletion` defines it."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import pyarrow as pa

from engine.domain.runs.removals import FileCount, RemovalFigures, RemovalPlan
from engine.formats.base import Condition
from engine.formats.removal.bulk_deletes import BulkDelete


class DeletedFiles(Protocol):
    """Source of the files of a deletion: finds and records them, and compares them with the current metadata."""

    def is_pending(self) -> bool:
        """Return whether something is stored that is not deleted yet."""

    def looking(self, before_page: Callable[[int], None]) -> Iterator[None]:
        """List files in parts, which is done when the iterator ends; nothing if the metadata has all files.

        `before_page` is called with the number of requests before files are listed; may wait, or raise to stop.
        """

    def gone(self) -> Mapping[str, FileCount]:
        """Return, after `looking`, the files that earlier attempts of the run recorded and that are gone, by kind."""

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
        self._before_request: Callable[[int], None] = lambda _: None
        self._looking: Iterator[None] | None = None
        self._earlier: Mapping[str, FileCount] = {}
        self._deletes: BulkDelete | None = None

    def is_pending(self) -> bool:
        """Return whether something is stored for the run that is not deleted yet."""
        with self._reading("read the lists of deleted files of"):
            return self._files.is_pending()

    def look(self, before_page: Callable[[int], None], seconds: float) -> bool:
        """List files for a time; see `FileDeletion.look`."""
        self._before_request = before_page
        until = time.monotonic() + seconds
        with self._reading(f"look for {self._what} of"):
            if self._looking is None:
                self._looking = self._files.looking(self._ask)
            for _ in self._looking:
                if time.monotonic() >= until:
                    return True
            self._earlier = self._files.gone()
        return False

    def record(self) -> RemovalPlan:
        """Find the files that nothing needs and store their list; a stored list is checked again."""
        with self._reading(f"find the {self._what} of"):
            return self._files.record()

    def advance(self, before_batch: Callable[[int], None], seconds: float) -> bool:
        """Delete recorded files for a time; see `FileDeletion.advance`."""
        self._before_request = before_batch
        with self._reading(f"delete the {self._what} of"):
            if self._deletes is None:
                self._deletes = BulkDelete(self._storage(), before_batch=self._ask)
                self._deletes.begin(self._files.unneeded())
            return self._deletes.advance(seconds)

    def figures(self) -> RemovalFigures:
        """Return what this object, and earlier attempts at the run's look, deleted so far; also after an error."""
        own = RemovalFigures() if self._deletes is None else self._deletes.tally.figures()
        return own.with_earlier(self._earlier)

    def prove(self) -> Sequence[Condition]:
        """Check in the current metadata that nothing needs a file that was deleted."""
        with self._reading("read the manifests of"):
            return self._files.prove()

    def close(self) -> None:
        """Remove the records that only a repetition needs; the list of deleted files stays."""
        with self._reading("remove the lists of deleted files of"):
            self._files.close()

    def _ask(self, requests: int) -> None:
        self._before_request(requests)
