"""Lists of a run's files in the table's location, written before any snapshot or file is deleted.

Each run has a folder of its own, `<location>/packhouse-deletions/<run id>`; Paimon looks at no such folder.

- `expired-<number>.parquet`, before snapshots are removed: the files that then nothing needs.
- `files-<number>.parquet`, before the first deletion: every file that is deleted, of the `expired` lists up to this
  number. It stays after the run as the record of what was deleted.

Who can write to the table's location can change them: a list that is read is checked again.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from engine.domain.errors import Fatal
from engine.formats.deletion.file_lists import FileList
from engine.formats.deletion.scopes import RECORDS
from engine.formats.intake.errors import decoding_file
from engine.formats.intake.limits import MANIFEST_BYTES, Malformed
from engine.formats.paimon.files import TableFiles

_RUN_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")
_EXPIRED: Final = re.compile(r"expired-([0-9]{1,9})\.parquet")
_FILES: Final = re.compile(r"files-([0-9]{1,9})\.parquet")


@dataclass(frozen=True, slots=True)
class Records:
    """The lists of one run of a table."""

    table: TableFiles
    run_id: str

    @property
    def folder(self) -> str:
        """The folder of the lists."""
        if not _RUN_ID.fullmatch(self.run_id):
            raise Fatal(f"{self.run_id!r} is no id of a run")
        return f"{self.table.location}/{RECORDS}/{self.run_id}"

    def write_expired(self, files: FileList) -> None:
        """Store files of snapshots that are about to be removed. Raises OSError."""
        self._write(f"expired-{self._last(_EXPIRED) + 1}.parquet", files)

    def expired(self) -> Sequence[FileList]:
        """Return what `write_expired` stored. A list that was not written completely is left out. Raises OSError."""
        found = (self._read(each) for each in self._names(_EXPIRED))
        return [each for each in found if each is not None]

    def is_pending(self) -> bool:
        """Return whether `write_expired` stored something that `close` did not remove. Raises OSError."""
        return bool(self._names(_EXPIRED))

    def write_files(self, files: FileList) -> str:
        """Store the files that are about to be deleted; return the path of the list. Raises OSError."""
        return self._write(f"files-{self._last(_EXPIRED)}.parquet", files)

    def files(self) -> Iterator[FileList]:
        """Yield the last list of `write_files`. Raises OSError."""
        names = self._names(_FILES)
        if names and (found := self._read(names[-1])) is not None:
            yield found

    def close(self) -> None:
        """Remove what `write_expired` stored, after the last deletion. Raises OSError."""
        for each in self._names(_EXPIRED):
            with suppress(FileNotFoundError):
                self.table.storage.delete(f"{self.folder}/{each}")

    def _last(self, pattern: re.Pattern[str]) -> int:
        names = self._names(pattern)
        return _number(pattern, names[-1]) if names else 0

    def _names(self, pattern: re.Pattern[str]) -> Sequence[str]:
        found = (each for each in self.table.storage.files(self.folder) if pattern.fullmatch(each))
        return sorted(found, key=lambda each: _number(pattern, each))

    def _write(self, name: str, files: FileList) -> str:
        path = f"{self.folder}/{name}"
        self.table.storage.write(path, files.body)
        return path

    def _read(self, name: str) -> FileList | None:
        path = f"{self.folder}/{name}"
        try:
            with decoding_file(path):
                return FileList.read(self.table.storage.read(path, MANIFEST_BYTES))
        except Malformed:
            return None


def _number(pattern: re.Pattern[str], name: str) -> int:
    found = pattern.fullmatch(name)
    return int(found[1]) if found is not None else 0
