"""Interval between listings of a table's files that only find out whether they changed.

A Metastore does not say when a writer adds a file to a partition, so that a look lists all folders. Looks at one table
take at most 2 % of the time: after one that took a second, the answer stands for 50 s.
"""

from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Final

from engine.domain.tables.table import TableRef
from engine.formats.base import OWN_LOCATION, FileScope

SHARE: Final = 50.0
"""A look that took some time is not repeated for this multiple of it."""

LONGEST_SECONDS: Final = 3600.0
"""The longest time for which an answer stands."""

_MOST: Final = 100_000


@dataclass(frozen=True, slots=True)
class _Probe:
    pointer: str
    until: float
    scope: FileScope


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
        return known.pointer if known is not None and monotonic() < known.until else None

    def scope(self, ref: TableRef) -> FileScope:
        """Return the scope of the newest look at a table, on which its pointer depends."""
        with self._lock:
            known = self._known.get(ref)
        return OWN_LOCATION if known is None else known.scope

    def took(self, ref: TableRef, pointer: str, seconds: float, scope: FileScope) -> None:
        """Remember a pointer, the seconds that it took to determine, and the scope of the listed files."""
        until = monotonic() + min(self._pause * seconds, LONGEST_SECONDS)
        with self._lock:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[ref] = _Probe(pointer, until, scope)
