"""Snapshots of tables that were read before, so that a look at a table reads only those that are new.

A snapshot file never changes, but a rollback removes the newest ones, and later commits use their ids again. A removed
snapshot never returns: its manifest lists have unique names. So the newest known one is read again, and if it is the
same, those before it are too.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Final

from engine.formats.intake.overlapping import overlapped
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.metadata.snapshots import Snapshot

_MOST_TABLES: Final = 2000  # with 128 snapshots of 600 bytes each: 150 MB
_READERS: Final = 8


class KnownSnapshots:
    """The newest snapshots of tables by location, the least recently used tables dropped. Thread-safe."""

    def __init__(self, *, most_tables: int = _MOST_TABLES) -> None:
        self._most = most_tables
        self._kept: OrderedDict[str, Mapping[int, Snapshot]] = OrderedDict()
        self._lock = Lock()

    def read(self, files: TableFiles, ids: Sequence[int]) -> Sequence[Snapshot]:
        """Return snapshots in the order of their ids; those that expire at the same time are left out.

        Args:
            files: the files of the table.
            ids: consecutive ids, in order.

        Raises:
            Malformed: one is damaged.
        """
        with self._lock:
            kept = self._kept.get(files.location, {})
        shared = [each for each in ids if each in kept]
        if not shared or files.snapshot(shared[-1]) != kept[shared[-1]]:
            kept = {}
        new = [each for each in ids if each not in kept]
        read = dict(zip(new, overlapped(files.snapshot, new, at_once=_READERS), strict=True))
        found = [kept.get(each) or read.get(each) for each in ids]
        expired = max((at for at, each in enumerate(found, start=1) if each is None), default=0)
        left = [each for each in found[expired:] if each is not None]
        with self._lock:
            self._kept[files.location] = {each.id: each for each in left}
            self._kept.move_to_end(files.location)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return left
