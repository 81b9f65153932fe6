"""The deletion of a run's files from a loaded table, as `formats.base.FileDeletion` defines it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import pyarrow as pa

from engine.domain.runs.removals import RemovalFigures, RemovalPlan
from engine.formats.base import Condition
from engine.formats.deletion.removal import Removal


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
        self._removal: Removal | None = None

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
                self._removal = Removal(self._storage(), before_batch=self._ask)
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
