"""Yield the files of a list that their table does not need, proven again before each part, and prove it afterwards."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.base import Condition
from engine.formats.removal.file_lists import FileList

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
