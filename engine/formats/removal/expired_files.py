"""Delete the files that only expired snapshots needed; the steps can be repeated, by another process too.

1. The format announces each removal of snapshots before it: it stores the roots that lead to their files.
2. `record`, after the last removal: finds the files and stores their list. With a list that is stored already, by a
   process that ended, files are only removed from it that are needed again or may not be deleted.
3. The files of the list are deleted, compared with the current metadata before each part; see `UnneededFiles`.
4. `close` removes the roots. The list stays as the record of what was deleted.

What was stored is untrusted, and the table may have changed in any way between two steps: a file is deleted only if the
version of the table that was read last does not need it. A writer that adds a file of an expired snapshot in the moment
between that look and the deletion (`add_files`, a cherry-pick that was prepared before the expiry) loses it, as with
Iceberg's own procedure.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import numpy as np

from engine.domain.runs.left_out import MOST_NAMED, LeftOut, LeftOutItem
from engine.domain.runs.removals import FileCount, RemovalPlan
from engine.formats.intake.errors import printable_path
from engine.formats.removal.deletions import Recorded, References, UnneededFiles
from engine.formats.removal.file_lists import FileList, Origin
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RefusedFiles

DAMAGED: Final = "damaged"
"""Reason of a file that can't be decoded."""

_SAMPLES: Final = 10


@dataclass(slots=True)
class Unread:
    """Files of expired snapshots that could not be read: what only they name stays in the store.

    Attributes:
        counts: number of files by reason.
        items: the first of them.
    """

    counts: Counter[str] = field(default_factory=Counter)
    items: list[LeftOutItem] = field(default_factory=list)

    def add(self, path: str, reason: str, detail: str = "") -> None:
        """Count a file. A missing one is not an error: another program may have deleted it before."""
        self.counts[reason] += 1
        if len(self.items) < MOST_NAMED:
            name = printable_path(path)
            self.items.append(LeftOutItem(name, reason, detail, is_error=reason == DAMAGED))

    def include(self, others: "Unread") -> None:
        """Count other files as well."""
        self.counts += others.counts
        self.items += others.items[: MOST_NAMED - len(self.items)]

    def left_out(self) -> LeftOut:
        """Return the files as a run's result has them."""
        return LeftOut(dict(self.counts), self.counts[DAMAGED], list(self.items))


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Files that only expired snapshots needed.

    Attributes:
        files: the files that may be deleted.
        refused: files that may not be deleted whatever needs them.
        still_needed: number of the files in question that the table needs.
        unread: files of expired snapshots whose content is not known; what only they name is not in `files`.
        path: of the stored list; empty if none is stored.
    """

    files: FileList
    refused: RefusedFiles
    still_needed: int
    unread: Unread
    path: str = ""

    def plan(self) -> RemovalPlan:
        """Return the files as the plan that a run records, with what is left alone and why."""
        left_out = self.unread.left_out()
        samples = [each.name for each in self.unread.items[:_SAMPLES]]
        details = {
            "samples": self.files.samples(_SAMPLES),
            "unread": {"counts": dict(self.unread.counts), "samples": samples},
            **({"left_out": left_out.document()} if left_out.count else {}),
            "refused": self.refused.document(),
            "still_needed": self.still_needed,
        }
        return RemovalPlan(self.files.counts(), details, self.path)


class ExpirySource(Protocol):
    """Facts of a format about the files of snapshots that one run of a table expired.

    Except for `records`, the methods are called in this order. All raise `NotEligible` if the table forbids to delete
    files, `TableReplaced` or `Fatal` if it is another one or older than a list, `Malformed` if the files that must stay
    can't be determined, and OSError if the store does not answer.
    """

    def records(self) -> Records:
        """Return the lists of the run."""

    def begin(self) -> Records:
        """Load the table, check that its files may be deleted, and return the lists of the run."""

    def check_same(self, origin: Origin) -> None:
        """Check that the table is the one of a stored list, and not older."""

    def find(self, roots: Sequence[FileList]) -> FoundFiles:
        """Return the files that these roots lead to, that may be deleted, and that the table does not need."""

    def check(self, stored: FileList) -> FoundFiles:
        """Return the files of a stored list that may be deleted and that the table does not need."""

    def references(self, files: FileList) -> References:
        """Return what the table needs of these files, of those found, from now on."""


class ExpiredFiles:
    """The deletion for one run of a table, as `deletions.DeletedFiles`."""

    def __init__(self, source: ExpirySource) -> None:
        self._source = source

    def is_pending(self) -> bool:
        """Return whether something is announced that is not deleted yet. Raises OSError."""
        return bool(self._source.records().roots())

    def looking(self, before_page: Callable[[int], None]) -> Iterator[None]:  # noqa: ARG002 - nothing is listed
        """Yield nothing: the files are found in the metadata."""
        return iter(())

    def gone(self) -> Mapping[str, FileCount]:
        """Return nothing: an attempt that follows another continues with its list."""
        return {}

    def record(self) -> Recorded:
        """Find the files to delete and store their list; with a stored list, check it. Raises as `ExpirySource`."""
        found = self.find()
        return Recorded(found.plan(), UnneededFiles(found.files, self._source.references(found.files)))

    def find(self) -> FoundFiles:
        """Return the files to delete, whose list is stored if any was announced. Raises as `ExpirySource`."""
        records = self._source.begin()
        roots, stored = records.roots(), records.files()
        for each in roots:
            self._source.check_same(each.origin)
        if stored is not None:
            path, files = stored
            self._source.check_same(files.origin)
            return replace(self._source.check(files), path=path)
        found = self._source.find(roots)
        found = replace(found, files=_not_listed(found.files, records.finished()))
        return replace(found, path=records.write_files(found.files) if roots else "")

    def close(self) -> None:
        """Remove the roots. Raises OSError."""
        self._source.records().remove_roots()


def _not_listed(files: FileList, finished: Iterator[FileList]) -> FileList:
    """Return the files without those of closed deletions of the run, which manifests may still name as deleted."""
    listed = np.concatenate([np.empty(0, np.uint64), *(each.keys() for each in finished)])
    return files.only(~np.isin(files.keys(), listed)) if len(listed) else files
