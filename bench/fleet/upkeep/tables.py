"""Model the tables of a week with upkeep: commits at random instants, snapshots, manifests, small and superseded files.

A table has the roles that `planning.upkeep.operations` asks for, so that the product's own functions plan its upkeep.
No object is made per file; commit times are one array.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from bench.fleet.line import EPOCH
from engine.domain.runs.expiry import Expiry, ExpiryPlan, OldCopy
from engine.domain.runs.manifests import ManifestPlan
from engine.formats.base import Condition, ManifestProof
from tests.simulation.upkeep import Manifests

MIB = 2**20
DAY = 86_400.0
MERGED_AT = 100
"""Writers of Spark merge manifests when there are this many small ones (`commit.manifest.min-count-to-merge`)."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """How a table is written: seconds between commits, files per commit, bytes per file.

    `burst`: commits come in bursts of this number, ten seconds apart. `merges`: the writer merges manifests.
    """

    name: str
    share: float
    seconds: float
    files: int
    file_bytes: int
    burst: int = 1
    merges: bool = False


PATTERNS = (
    Pattern("stream, 30 s", 0.05, 30, 4, 2 * MIB),
    Pattern("stream, 5 min", 0.15, 300, 8, 4 * MIB),
    Pattern("stream, 5 min, merging", 0.10, 300, 8, 4 * MIB, merges=True),
    Pattern("hourly", 0.25, 3600, 20, 16 * MIB),
    Pattern("daily", 0.20, DAY, 50, 64 * MIB),
    Pattern("bursts", 0.10, 0.5 * DAY, 10, 4 * MIB, burst=200),
    Pattern("idle", 0.15, 30 * DAY, 10, 64 * MIB),
)


def commits_of(pattern: Pattern, since: float, until: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the instants of a table's commits, in order."""
    phase, count = random.random() * pattern.seconds, int((until - since) / pattern.seconds) + 1
    starts = since + phase + pattern.seconds * (np.arange(count) + random.uniform(-0.2, 0.2, count))
    every = (starts[:, None] + 10.0 * np.arange(pattern.burst)[None, :]).ravel()
    return np.sort(every[(every > since) & (every < until)])


class Prefix(Mapping[int, datetime]):
    """The oldest snapshots of a table, by id."""

    def __init__(self, ids: Sequence[int], times: Sequence[float]) -> None:
        self._ids, self._times = ids, times

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def __getitem__(self, snapshot_id: int) -> datetime:
        return EPOCH + timedelta(seconds=self._times[bisect_left(self._ids, snapshot_id)])


@dataclass(slots=True)
class Superseded:
    """Files that a rewrite replaced: their bytes are needed until every snapshot up to `last` has expired."""

    last: int
    at: float
    count: int
    total: int


@dataclass(slots=True)
class WeekTable:
    """A table, its state, and the figures of its week. Instants are seconds since `EPOCH`."""

    name: str
    team: str
    pattern: Pattern
    commits: NDArray[np.float64]
    policy: int
    seen: int = 0
    ids: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    manifests: Manifests = field(default_factory=Manifests)
    small: int = 0
    live_bytes: int = 0
    copies: deque[tuple[int, float]] = field(default_factory=deque)
    superseded: deque[Superseded] = field(default_factory=deque)
    due_since: float | None = None
    now: float = 0.0
    deleted: int = 0
    most_snapshots: int = 0
    most_manifests: int = 0
    most_superseded: int = 0
    _next: int = 0

    def catch_up(self, now: float) -> bool:
        """Apply the commits of writers up to an instant; return whether there were any."""
        self.now = now
        until = int(np.searchsorted(self.commits, now, side="right"))
        if until == self.seen:
            return False
        pattern = self.pattern
        for at in self.commits[self.seen : until]:
            self._commit(float(at), pattern.files)
            self.small += pattern.files
            if self.due_since is None and self.small >= 20:
                self.due_since = float(at)
            if pattern.merges and self.manifests.small >= MERGED_AT:
                self.manifests = self.manifests.rewritten()
        self.live_bytes += (until - self.seen) * pattern.files * pattern.file_bytes
        self.seen = until
        return True

    def rewrite(self, now: float) -> None:
        """Replace the small files; their bytes stay until the snapshots that need them have expired."""
        parent = self._next
        self.superseded.append(Superseded(parent, now, self.small, self.input_bytes))
        self._commit(now, self.small + 1)
        self.copies.append((parent, now))
        self.small, self.due_since = 0, None
        self.most_superseded = max(self.most_superseded, self.superseded_bytes)

    def rewrite_manifests(self, run_id: str, attempt: int, *, before_try: Callable[[], None]) -> int | None:
        """Commit a rewrite of manifests."""
        del run_id, attempt
        if not self.manifests.plan().rewritten:
            return None
        before_try()
        merged = self.manifests.rewritten()
        self._commit(self.now, 0)
        self.manifests = merged
        return self._next

    def prove_manifests(self, snapshot_id: int) -> ManifestProof:
        """Return an empty proof: the model has no files."""
        del snapshot_id
        return ManifestProof((), None)

    def remove_manifests(self, run_id: str, *, up_to_attempt: int) -> int:
        """Return 0: no attempt leaves files."""
        del run_id, up_to_attempt
        return 0

    def expire(
        self,
        snapshot_ids: Sequence[int],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        """Remove snapshots, and with `deletes_for` the files that only they need."""
        gone = set(snapshot_ids) & set(self.plan_expiry(expiry).expired)
        before_try()
        kept = [(number, at) for number, at in zip(self.ids, self.times, strict=True) if number not in gone]
        self.ids, self.times = [each[0] for each in kept], [each[1] for each in kept]
        self.copies = deque(each for each in self.copies if each[0] >= self.ids[0] and each[0] not in gone)
        while deletes_for and self.superseded and self.superseded[0].last < self.ids[0]:
            self.deleted += self.superseded.popleft().count
        return ()

    def retained(self, snapshot_ids: Sequence[int]) -> frozenset[int]:
        """Return those of the snapshots that have not expired."""
        return frozenset(snapshot_ids) & frozenset(self.ids)

    @property
    def default_expiry(self) -> timedelta:
        """Five days, as Iceberg's."""
        return timedelta(days=5)

    @property
    def input_bytes(self) -> int:
        """Bytes that a rewrite of the small files reads."""
        return self.small * self.pattern.file_bytes

    @property
    def superseded_bytes(self) -> int:
        """Bytes of files in storage that the newest snapshot does not need."""
        return sum(each.total for each in self.superseded)

    def plan_expiry(self, expiry: Expiry) -> ExpiryPlan:
        """Return the plan as `HistoryKeeper.plan_expiry`: one branch, no tags, no properties."""
        rule, total = expiry.rule, len(self.ids)
        now = (expiry.now - EPOCH).total_seconds()
        old = bisect_left(self.times, now - rule.older_than.total_seconds())
        count = max(0, min(old, total - max(1, rule.keep_last)))
        ids, times = self.ids[:count], self.times[:count]
        if expiry.only is not None:
            found = [(number, at) for number, at in zip(ids, times, strict=True) if number in expiry.only]
            ids, times = [each[0] for each in found], [each[1] for each in found]
        young = max(0, total - max(1, rule.keep_last) - old)
        next_at = EPOCH + timedelta(seconds=self.times[old]) + rule.older_than if young else None
        kept = {"younger": young, "keep_last": total - len(ids) - young}
        return ExpiryPlan(rule, Prefix(ids, times), kept, next_at)

    def old_copies(self) -> Sequence[OldCopy]:
        """Return the parents of rewrites that are left, newest first."""
        return [
            OldCopy(parent, parent + 1, "run", EPOCH + timedelta(seconds=at)) for parent, at in reversed(self.copies)
        ]

    def plan_manifests(self) -> ManifestPlan:
        """Return the plan as `ManifestKeeper.plan_manifests`."""
        return self.manifests.plan()

    def _commit(self, at: float, files: int) -> None:
        self._next += 1
        self.ids.append(self._next)
        self.times.append(at)
        self.manifests = self.manifests.committed(files)
        self.most_snapshots = max(self.most_snapshots, len(self.ids))
        self.most_manifests = max(self.most_manifests, self.manifests.count)
