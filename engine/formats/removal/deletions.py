"""The deletion of a run's files from a loaded table, as `formats.base.FileDeletion` defines it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.domain.runs.removals import FileCount, RemovalFigures, RemovalPlan
from engine.formats.base import Condition
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.file_lists import FileList, batches_of, counts_of
from engine.formats.removal.path_keys import SeenKeys, keys_of
from engine.formats.removal.records import Records
from engine.formats.removal.unneeded import UnneededFiles


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stored list of files that will be deleted: the plan that a run records, and the files."""

    plan: RemovalPlan
    files: UnneededFiles


class DeletedFiles(Protocol):
    """Source of the files of a deletion: finds and records them."""

    def is_pending(self) -> bool:
        """Return whether something is stored that is not deleted yet."""

    def looking(self, before_page: Callable[[int], None]) -> Iterator[None]:
        """List files in parts, which is done when the iterator ends; nothing if the metadata has all files.

        `before_page` is called with the number of requests before files are listed; may wait, or raise to stop.
        """

    def gone(self) -> Mapping[str, FileCount]:
        """Return, after `looking`, the files that earlier attempts of the run recorded and that are gone, by kind."""

    def record(self) -> Recorded:
        """Find the files to delete and store their list."""

    def close(self) -> None:
        """Remove the records that only a repetition needs."""


class SearchResult(Protocol):
    """Files that a search of a table's location found."""

    @property
    def due(self) -> FileList:
        """The files to delete."""

    @property
    def taken_us(self) -> int:
        """The time of the search, in microseconds since 1970."""

    def plan(self, path: str = "") -> RemovalPlan:
        """Return what was found as the plan that a run records; `path` is that of the stored list, if it has files."""


class SearchedFiles(ABC):
    """Base of `DeletedFiles` that are found by listing: every attempt begins with a search, whose list is stored."""

    _due: UnneededFiles

    @property
    @abstractmethod
    def result(self) -> SearchResult:
        """The result of `looking`. Raises ValueError before."""

    @property
    @abstractmethod
    def records(self) -> Records:
        """The lists of the run. Raises OSError."""

    @abstractmethod
    def exist(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file of a stored list whether it may exist. Raises OSError."""

    def is_pending(self) -> bool:
        """Return False: another attempt begins with a search."""
        return False

    def gone(self) -> Mapping[str, FileCount]:
        """Return the files that earlier attempts of this run recorded and that are gone now, by kind. Raises OSError.

        A file that several attempts recorded counts once.
        """
        counts: dict[str, FileCount] = {}
        seen = SeenKeys()
        for files in batches_of(list(self.records.orphans())):
            gone = files.filter(pa.array(~self.exist(files)))
            for kind, count in counts_of(gone.filter(pa.array(seen.add(keys_of(gone["path"]))))).items():
                counts[kind] = counts.get(kind, FileCount()) + count
        return counts

    def record(self) -> Recorded:
        """Store the list of the files to delete, for the run. Raises OSError."""
        found = self.result
        path = self.records.write_orphans(found.due, found.taken_us) if found.due.rows else ""
        return Recorded(found.plan(path), self._due)

    def close(self) -> None:  # noqa: B027 - the same for all
        """Do nothing: the lists stay as the record of what was deleted."""


class TableDeletion:
    """The deletion for one run, a `FileDeletion`.

    Args:
        reading: runs a block that reads metadata, with what it does and for which table in the messages of its errors:
            its argument, which ends with "of", and the table's address complete "Could not …".
        storage: returns the current properties of file access.
        files: finds and records the files.
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
        self._recorded: Recorded | None = None
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
            self._recorded = self._files.record()
        return self._recorded.plan

    def advance(self, before_batch: Callable[[int], None], seconds: float) -> bool:
        """Delete recorded files for a time; see `FileDeletion.advance`."""
        self._before_request = before_batch
        with self._reading(f"delete the {self._what} of"):
            if self._deletes is None:
                self._deletes = BulkDelete(self._storage(), before_batch=self._ask)
                self._deletes.begin(self._unneeded.batches())
            return self._deletes.advance(seconds)

    def figures(self) -> RemovalFigures:
        """Return what this object, and earlier attempts at the run's look, deleted so far; also after an error."""
        own = RemovalFigures() if self._deletes is None else self._deletes.tally.figures()
        return own.with_earlier(self._earlier)

    def prove(self) -> Sequence[Condition]:
        """Check in the current metadata that nothing needs a file that was deleted."""
        with self._reading("read the manifests of"):
            return self._unneeded.prove()

    def close(self) -> None:
        """Remove the records that only a repetition needs; the list of deleted files stays."""
        with self._reading("remove the lists of deleted files of"):
            self._files.close()

    @property
    def _unneeded(self) -> UnneededFiles:
        if self._recorded is None:
            raise ValueError("no list of files was recorded yet")
        return self._recorded.files

    def _ask(self, requests: int) -> None:
        self._before_request(requests)
