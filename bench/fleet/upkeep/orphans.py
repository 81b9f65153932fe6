"""Model the files of failed writes in a table's storage, and the two looks that find and delete them.

Age, quarantine and what a look remembers are the product's: `OrphanRule` and `Search`. All files of a failed write have
one row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.domain.runs.removals import FileCount, OrphanRule, RemovalFigures, RemovalPlan
from engine.formats.base import Condition
from engine.formats.removal.file_lists import Origin
from engine.formats.removal.searches import CANDIDATES, Search

_ORIGIN = Origin("uuid", 1, 1)


@dataclass(slots=True)
class FailedWrites:
    """Files of failed writes: the instants of all of the week, those in storage, and the last look at them.

    `seen`: number of writes that have failed so far. `left`: numbers of those whose files are still in storage.
    """

    instants: NDArray[np.float64]
    files: int
    file_bytes: int
    seen: int = 0
    left: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    look: Search | None = None
    deleted: int = 0
    most: int = 0

    def catch_up(self, now: float) -> None:
        """Add the files of the writes that failed up to an instant."""
        until = int(np.searchsorted(self.instants, now, side="right"))
        if until > self.seen:
            self.left = np.concatenate([self.left, np.arange(self.seen, until)])
            self.seen = until
            self.most = max(self.most, self.count)

    @property
    def count(self) -> int:
        """The number of files in storage that nothing refers to."""
        return len(self.left) * self.files

    def old(self, now: float, rule: OrphanRule) -> pa.Table:
        """Return the writes whose files are old enough to be orphans, as the listing of a look."""
        numbers = self.left[self.instants[self.left] <= now - rule.age.total_seconds()]
        modified = (self.instants[numbers] * 1e6).astype(np.int64)
        sizes = np.full(len(numbers), self.files * self.file_bytes, np.int64)
        return pa.table({"path": pa.array(numbers).cast(pa.string()), "file_bytes": sizes, "modified_us": modified})


class ModelOrphans:
    """The deletion of a run's orphans, an `FileDeletion`, at one instant."""

    def __init__(self, writes: FailedWrites, rule: OrphanRule, now: float) -> None:
        self._writes, self._rule, self._now = writes, rule, now
        self._due: NDArray[np.int64] = np.empty(0, np.int64)
        self._deleted = FileCount()

    def look(self, before_page: Callable[[int], None], seconds: float) -> bool:
        """List the files, and store which nothing refers to."""
        del seconds
        before_page(1)
        now_us, found = int(self._now * 1e6), self._writes.old(self._now, self._rule)
        earlier = self._writes.look
        since = pa.repeat(now_us, found.num_rows) if earlier is None else earlier.first_seen(found, now_us)
        look = Search(_ORIGIN, now_us, 1, (), pa.table([*found.columns, since], schema=CANDIDATES))
        self._writes.look = look
        due = look.past_quarantine(self._rule.quarantine)
        self._due = look.files.filter(due)["path"].cast(pa.int64()).to_numpy()
        return False

    def is_pending(self) -> bool:
        """Return False: another attempt begins with a look."""
        return False

    def record(self) -> RemovalPlan:
        """Return the files past quarantine."""
        files = len(self._due) * self._writes.files
        return RemovalPlan({"data": FileCount(files, files * self._writes.file_bytes)})

    def advance(self, before_batch: Callable[[int], None], seconds: float) -> bool:
        """Delete the files past quarantine."""
        del seconds
        before_batch(1)
        self._deleted = self.record().total
        self._writes.left = np.setdiff1d(self._writes.left, self._due)
        self._writes.deleted += self._deleted.files
        return False

    def figures(self) -> RemovalFigures:
        """Return what was deleted."""
        return RemovalFigures({"data": self._deleted})

    def prove(self) -> Sequence[Condition]:
        """Check that only files were deleted that are old enough, at a second look."""
        youngest = max((float(self._writes.instants[each]) for each in self._due), default=0.0)
        least = self._rule.age + self._rule.quarantine if len(self._due) else timedelta(0)
        holds = self._now - youngest >= least.total_seconds()
        return (Condition("only_orphans", holds, f"the youngest is of {youngest:.0f} s"),)

    def close(self) -> None:
        """Do nothing: the look stays."""


@dataclass(frozen=True)
class ModelOrphanRemoval:
    """The removal of orphans, an `OrphanRemoval`, at an instant at which no other run is live."""

    writes: FailedWrites
    now: float

    def check(self) -> None:
        """Permit the search."""

    def preview(
        self, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str], before_page: Callable[[int], None]
    ) -> RemovalPlan:
        """Return the files past quarantine."""
        del others, open_runs
        found = ModelOrphans(replace(self.writes), rule, self.now)
        found.look(before_page, 0.0)
        return found.record()

    def deletion(self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> ModelOrphans:
        """Return the deletion of orphans as of now."""
        del run_id, others, open_runs
        return ModelOrphans(self.writes, rule, self.now)
