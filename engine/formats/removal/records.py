"""Lists of a run's files in the table's location, written before anything is expired or deleted.

They are there because any worker on any host can read them then, with the rights that the deletion needs anyway, and no
other place is common to all workers; a database would get a row of megabytes. Each run has a folder of its own,
`packhouse-deletions/<run id>` below the metadata of an Iceberg table or the location of a Paimon table, so that finding
its lists takes one request:

- `expired-<number>.parquet`, before snapshots are removed: the files that lead to those that nothing needs then, or all
  of these. Afterwards the metadata does not have them any more. For Iceberg also the manifest lists of the snapshots
  that the expiry keeps (`FileKind.KEPT`), which are never deleted.
- `files-<number>.parquet`, before the first deletion: every file that is deleted, for the `expired` lists up to this
  number. It stays after the run as the record of what was deleted, until `Records.remove`.
- `orphans-<time>.parquet`, before the first deletion of orphans: every file that is deleted.

Who can write to the table's location can change them: a list that is read is checked like the table's own metadata,
against the current version of the table and its location.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from engine.domain.errors import Fatal
from engine.formats.intake.errors import decoding_file
from engine.formats.intake.limits import MANIFEST_BYTES, Malformed
from engine.formats.removal.file_lists import FileList

_log = structlog.get_logger(__name__)

_RUN_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")
_ORPHANS: Final = re.compile(r"orphans-[0-9]{1,20}\.parquet")
_NUMBERED: Final = re.compile(r"(expired)?(?:files)?-([0-9]{1,9})\.parquet")


class RecordFiles(Protocol):
    """Whole files below the location of one table; every method raises OSError if the store does not answer."""

    def files(self, folder: str) -> Sequence[str]:
        """Return the names of the files directly in a folder; none if it is missing."""

    def read(self, path: str, limit: int) -> bytes:
        """Return the content of a file. Raises FileNotFoundError, and `Malformed` above `limit` bytes."""

    def write(self, path: str, body: bytes) -> None:
        """Write a whole file, also over one that exists."""

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError if there is none."""


@dataclass(frozen=True, slots=True)
class Records:
    """The lists of one run of a table; `root` is the folder of the records of all runs."""

    stored: RecordFiles
    root: str
    run_id: str

    @property
    def folder(self) -> str:
        """The folder of the lists."""
        if not _RUN_ID.fullmatch(self.run_id):
            raise Fatal(f"{self.run_id!r} is not an id of a run")
        return f"{self.root}/{self.run_id}"

    def write_roots(self, roots: FileList) -> None:
        """Store what is needed to delete the files of snapshots that are about to be removed. Raises OSError."""
        number = max((int(found[2]) for each in self._names() if (found := _NUMBERED.fullmatch(each))), default=0) + 1
        self._write(f"expired-{number}.parquet", roots)

    def roots(self) -> Sequence[FileList]:
        """Return what `write_roots` stored. A list that was not written completely is left out. Raises OSError."""
        found = (self._read(each) for each in self._roots())
        return [each for each in found if each is not None]

    def write_files(self, files: FileList) -> str:
        """Store the files that are about to be deleted; return the path of the list. Raises OSError."""
        return self._write(_files_of(self._roots()), files)

    def files(self) -> tuple[str, FileList] | None:
        """Return the path and the files that were about to be deleted for the roots; None without a complete list.

        Raises:
            OSError: the store does not answer.
        """
        roots = self._roots()
        if not roots or _files_of(roots) not in self._names():
            return None
        found = self._read(_files_of(roots))
        return None if found is None else (f"{self.folder}/{_files_of(roots)}", found)

    def recorded(self) -> Iterator[FileList]:
        """Yield the lists of files that were about to be deleted: the last one of expired snapshots, all of orphans.

        Raises:
            OSError: the store does not answer.
        """
        names = sorted(self._names())
        numbers = {int(found[2]): each for each in names if (found := _NUMBERED.fullmatch(each)) and not found[1]}
        last = [numbers[max(numbers)]] if numbers else []
        for each in last:
            if (files := self._read(each)) is not None:
                yield files
        yield from self.orphans()

    def finished(self) -> Iterator[FileList]:
        """Yield the lists of files of deletions that were closed: all roots that they were written for are removed.

        Raises:
            OSError: the store does not answer.
        """
        found = [(int(named[2]), bool(named[1])) for each in self._names() if (named := _NUMBERED.fullmatch(each))]
        first_root = min((number for number, is_root in found if is_root), default=None)
        for number in sorted(number for number, is_root in found if not is_root):
            if (first_root is None or number < first_root) and (files := self._read(f"files-{number}.parquet")):
                yield files

    def remove_roots(self) -> None:
        """Remove the roots, after the last deletion, the newest last: it identifies the list. Raises OSError."""
        for each in self._roots():
            self._delete(each)

    def remove(self) -> None:
        """Remove all lists of the run. Raises OSError."""
        for each in self._names():
            self._delete(each)

    def _roots(self) -> Sequence[str]:
        found = {int(named[2]): each for each in self._names() if (named := _NUMBERED.fullmatch(each)) and named[1]}
        return [found[number] for number in sorted(found)]

    def write_orphans(self, files: FileList, taken_us: int) -> str:
        """Store the orphans of a search that are about to be deleted; return the path of the list. Raises OSError."""
        return self._write(f"orphans-{taken_us}.parquet", files)

    def orphans(self) -> Iterator[FileList]:
        """Yield what `write_orphans` stored. Raises OSError."""
        for each in self._names():
            if _ORPHANS.fullmatch(each) and (files := self._read(each)) is not None:
                yield files

    def _names(self) -> Sequence[str]:
        return self.stored.files(self.folder)

    def _write(self, name: str, files: FileList) -> str:
        path = f"{self.folder}/{name}"
        self.stored.write(path, files.body)
        return path

    def _read(self, name: str) -> FileList | None:
        """Return a list; None for one that is damaged, as an attempt died while it wrote it: another one follows."""
        path = f"{self.folder}/{name}"
        try:
            with decoding_file(path):
                return FileList.read(self.stored.read(path, MANIFEST_BYTES))
        except Malformed as error:
            _log.warning("list_of_files_not_read", error=str(error))
            return None

    def _delete(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self.stored.delete(f"{self.folder}/{name}")


def _files_of(roots: Sequence[str]) -> str:
    """Return the name of the list of files for roots, which are ordered."""
    return roots[-1].replace("expired", "files")
