"""Interval between listings of a table's files that only find out whether they changed.

A Metastore does not say when a writer adds a file to a partition, so that a look lists all folders. Looks at one table
take at most 2 % of the time: after one that took a second, the answer stands for 50 s. For a table that is reported to
have changed it stands for a fifth of that, as that look most likely finds new files.
"""

from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Final

from engine.domain.tables.table import TableRef
from engine.formats.base import OWN_LOCATION, FileScope

SHARE: Final = 50.0
"""A look that took some time is not repeated for this multiple of it."""

REPORTED: Final = 0.2
"""The part of its time for which an answer stands once the table is reported to have changed."""

LONGEST_SECONDS: Final = 3600.0
"""The longest time for which an answer stands."""

_MOST: Final = 100_000


@dataclass(frozen=True, slots=True)
class _Probe:
    pointer: str
    since: float
    seconds: float
    scope: FileScope
    is_reported: bool = False

    @property
    def is_valid(self) -> bool:
        return monotonic() < self.since + self.seconds


class Looks:
    """The newest pointer of each table, valid for a time. Thread-safe."""

    def __init__(self, pause: float = SHARE) -> None:
        """Keep a pointer valid for `pause` times as long as it took to determine, at most `LONGEST_SECONDS`."""
        self._pause = pause
        self._known: dict[TableRef, _Probe] = {}
        self._lock = Lock()

    def standing(self, ref: TableRef) -> str | None:
        """Return a pointer that is still valid; None if the files must be listed."""
        with self._lock:
            known = self._known.get(ref)
        return known.pointer if known is not None and known.is_valid else None

    def shorten(self, ref: TableRef) -> None:
        """Let the present pointer of a table that is reported to have changed stand for less long, at most once."""
        with self._lock:
            known = self._known.get(ref)
            if known is not None and not known.is_reported:
                self._known[ref] = replace(known, seconds=known.seconds * REPORTED, is_reported=True)

    def scope(self, ref: TableRef) -> FileScope:
        """Return the scope of the newest look at a table, on which its pointer depends."""
        with self._lock:
            known = self._known.get(ref)
        return OWN_LOCATION if known is None else known.scope

    def took(self, ref: TableRef, pointer: str, seconds: float, scope: FileScope) -> None:
        """Remember a pointer, the seconds that it took to determine, and the scope of the listed files."""
        valid = min(self._pause * seconds, LONGEST_SECONDS)
        with self._lock:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[ref] = _Probe(pointer, monotonic(), valid, scope)
