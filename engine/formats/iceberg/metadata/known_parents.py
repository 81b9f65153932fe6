"""Parents of commits to tables whose catalog shows the current snapshot alone, as Nessie does.

A commit replaces the snapshot that it was made on, and its proof compares the two.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final
from uuid import UUID

from pyiceberg.table.snapshots import Snapshot

from engine.formats.base import Condition

NO_PARENT: Final = Condition(
    "parent_present", True, "the parent has expired, or the catalog hides it: not compared with it"
)
_MOST: Final = 1_000


class KnownParents:
    """Parents of the last 1,000 commits to tables whose catalog shows the current snapshot alone. Thread-safe."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[UUID, int], Snapshot] = OrderedDict()
        self._lock = Lock()

    def add(self, table: UUID, snapshot_id: int, parent: Snapshot) -> None:
        """Keep the parent of a snapshot of the table with a uuid."""
        with self._lock:
            self._held[table, snapshot_id] = parent
            if len(self._held) > _MOST:
                self._held.popitem(last=False)

    def get(self, table: UUID, snapshot_id: int) -> Snapshot | None:
        """Return the parent of a snapshot, if it is kept."""
        with self._lock:
            return self._held.get((table, snapshot_id))
