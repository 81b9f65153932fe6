"""Read many documents of a table, within limits; their writers may be writing them.

Paimon writes tags, and copies for branches, in place.
"""

from collections.abc import Callable, Sequence
from functools import partial
from time import sleep
from typing import Final, Protocol, TypeVar

from engine.domain.errors import Transient
from engine.formats.intake.limits import Malformed
from engine.formats.intake.overlapping import overlapped
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.metadata.snapshots import SNAPSHOT_BYTES

_MOST_READS: Final = 10
_WAIT_SECONDS: Final = 0.2

MOST_DOCUMENTS: Final = 100_000
MOST_BYTES: Final = 512 * 2**20
"""Limit of the sizes of all documents together: one is about 1 kB, and can have 4 MiB."""

_READERS: Final = 8


class Parsed(Protocol):
    """A parsed document."""

    @property
    def file_bytes(self) -> int:
        """Size of its file."""


T = TypeVar("T")
D = TypeVar("D", bound=Parsed)


class Documents:
    """Reads documents of one table; the limits are those of all documents that an object reads."""

    def __init__(self, files: TableFiles) -> None:
        self._files = files
        self._count = 0
        self._bytes = 0

    def read(self, paths: Sequence[str], parse: Callable[[str, bytes], D]) -> Sequence[D]:
        """Return documents, parsed from their path and content; those that are removed at the same time are left out.

        Raises:
            Malformed: one can't be read, or there are too many, or they are too large.
            Transient, OSError: as `read_document`.
        """
        self._count += len(paths)
        if self._count > MOST_DOCUMENTS:
            raise Malformed(f"it has more than {MOST_DOCUMENTS:,} snapshots, tags and changelogs")
        found: list[D] = []
        for each in overlapped(partial(self._read, parse), paths, at_once=_READERS):
            if each is not None:
                found.append(each)
                self._bytes += each.file_bytes
            if self._bytes > MOST_BYTES:
                raise Malformed(f"its snapshots, tags and changelogs have more than {MOST_BYTES // 2**20} MiB")
        return found

    def _read(self, parse: Callable[[str, bytes], D], path: str) -> D | None:
        return read_document(self._files, path, partial(parse, path))


def read_document(files: TableFiles, path: str, parse: Callable[[bytes], T]) -> T | None:
    """Return a parsed document, None if there is none. One that can't be parsed is read again after 0.2 s.

    Raises:
        Malformed: it can't be parsed, and did not change since.
        Transient: it changed ten times, and could never be parsed.
        OSError: the store does not answer.
    """
    before = None
    for _ in range(_MOST_READS):
        body = files.storage.read_if_present(path, SNAPSHOT_BYTES)
        if body is None:
            return None
        try:
            return parse(body)
        except Malformed:
            if body == before:
                raise
        before = body
        sleep(_WAIT_SECONDS)
    raise Transient(f"{path} is being written: it could not be parsed, and changed {_MOST_READS} times")
