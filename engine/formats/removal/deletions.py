"""The deletion of a run's files from a loaded table, each part proven unneeded right before and after it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.output_names import attempt_of
from engine.domain.runs.removals import FileCount, RemovalFigures, RemovalPlan
from engine.formats.base import Condition
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.file_lists import FileList, batches_of, counts_of
from engine.formats.removal.path_keys import SeenKeys, keys_of
from engine.formats.removal.records import Records
from engine.rewriting.kernel.storage.stores.addresses import file_name

PROVEN_FILES: Final = 10_000
"""Number of files of a list after which the table is read again before the next one may be deleted."""


class References(Protocol):
    """The files that a table needs, of those that may be deleted; a file that a version needed stays needed."""

    def refresh(self, *, deletes: bool) -> None:
        """Read the current version of the table, and add what it needs.

        Args:
            deletes: whether files are deleted by what is read, which the table may forbid.

        Raises:
            NotEligible: the table forbids to delete files.
            TableReplaced, Fatal: it is another table now, or older than the list.
            Malformed: its metadata can't be read, so that it is unknown what it needs.
            OSError: the store or the catalog does not answer.
        """

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file, with the schema `file_lists.LISTED`, whether the table needs it."""


class UnneededFiles:
    """The files of a list, compared with their table while they are deleted. All calls raise as `References.refresh`.

    Memory: one byte for each file.
    """

    def __init__(
        self,
        files: FileList,
        references: References,
        *,
        are_as_listed: Callable[[pa.Table], npt.NDArray[np.bool_]] | None = None,
        times: pa.Table | None = None,
    ) -> None:
        """Take the files.

        Args:
            files: the files, none of which was needed when the list was made.
            references: what the table needs from now on.
            are_as_listed: returns for each of some files whether it is unchanged since the list was made; called after
                each time that the references were read, with the files that these do not have.
            times: the listing of the files, with the schema `listings.FOUND`: `batches` have the times then, by which
                files are compared when they are deleted.
        """
        self._files = files
        self._references = references
        self._times = times
        self._are_as_listed = are_as_listed
        self._is_sent = np.zeros(files.rows, np.bool_)

    def batches(self) -> Iterator[pa.Table]:
        """Yield the files that may be deleted; each counts as deleted for `prove`.

        The references are read before each `PROVEN_FILES` files of the list.
        """
        since = PROVEN_FILES
        for part, files in self._parts():
            if since + files.num_rows > PROVEN_FILES:
                self._references.refresh(deletes=True)
                since = 0
            since += files.num_rows
            is_free = ~self._references.needed(files)
            free = files.filter(pa.array(is_free))
            if self._are_as_listed is not None:
                is_same = self._are_as_listed(free)
                is_free[is_free] = is_same
                free = free.filter(pa.array(is_same))
            self._is_sent[part] = is_free
            yield free if self._times is None else _with_times(free, self._times)

    def prove(self) -> Sequence[Condition]:
        """Read the references again: whether the table needs a file that was sent for deletion."""
        self._references.refresh(deletes=False)
        wrong = sum(int((self._references.needed(files) & self._is_sent[part]).sum()) for part, files in self._parts())
        sent = int(self._is_sent.sum())
        return (Condition("deleted_are_unneeded", not wrong, f"{sent} files deleted, {wrong} of them are needed"),)

    def _parts(self) -> Iterator[tuple[slice, pa.Table]]:
        """Yield the files with their places in the list, at most `PROVEN_FILES` at once."""
        start = 0
        for batch in self._files.batches():
            for at in range(0, batch.num_rows, PROVEN_FILES):
                files = batch.slice(at, PROVEN_FILES)
                yield slice(start, start + files.num_rows), files
                start += files.num_rows


def _with_times(files: pa.Table, listing: pa.Table) -> pa.Table:
    """Return files with the times that a listing has, `modified_us`."""
    places = pc.index_in(files["path"], value_set=listing["path"])
    return files.append_column("modified_us", listing["modified_us"].take(places))


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


class SearchReport(Protocol):
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
    def result(self) -> SearchReport:
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
        """Return what this object, and earlier attempts at the run's search, deleted so far; also after an error."""
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


def outputs_up_to(paths: Sequence[str], run_id: str, up_to_attempt: int, keep: frozenset[str]) -> Sequence[str]:
    """Return those of a run's files whose names are of attempts up to a number, except those with a name of `keep`."""
    kept = {file_name(path) for path in keep}
    own = (path for path in paths if file_name(path) not in kept)
    return [path for path in own if (attempt_of(file_name(path), run_id) or 0) <= up_to_attempt]


def remove_outputs(
    candidates: Sequence[str],
    read_needed: Callable[[], Container[str]],
    delete: Callable[[str], None],
    *,
    key: Callable[[str], str] = file_name,
) -> Sequence[str]:
    """Delete the files that the table does not need; return the paths of those that were there.

    Args:
        candidates: paths of files.
        read_needed: reads the table and returns the keys of files that it needs; called after the candidates were
            found, before each `PROVEN_FILES` of them.
        delete: deletes a file; raises FileNotFoundError if it is gone.
        key: returns the key of a path, by default the file's name.
    """
    removed: list[str] = []
    for start in range(0, len(candidates), PROVEN_FILES):
        needed = read_needed()
        for path in candidates[start : start + PROVEN_FILES]:
            if key(path) not in needed:
                with suppress(FileNotFoundError):
                    delete(path)
                    removed.append(path)
    return removed
