"""Model the tables of a week with upkeep: commits at random instants, snapshots, manifests, and files by their use.

A table has the roles that `planning.upkeep.operations` asks for, so that the product's own functions plan its upkeep.
No object is made per file; commit times are one array.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bench.fleet.line import EPOCH
from bench.fleet.upkeep.orphans import FailedWrites, ModelOrphanRemoval
from bench.fleet.upkeep.patterns import MERGED_AT, SMALL_FILES, Pattern
from engine.domain.runs.deletes import DeletePlan
from engine.domain.runs.expiry import Expiry, ExpiryPlan, OldCopy
from engine.domain.runs.left_out import LeftOut
from engine.domain.runs.manifests import ManifestPlan
from engine.formats.base import Condition, RewrittenSnapshot, SnapshotProof
from tests.simulation.upkeep import Manifests


class Prefix(Mapping[int, datetime]):
    """The oldest snapshots of a table, by id."""

    def __init__(self, ids: Sequence[int], times: Sequence[float]) -> None:
        self._ids, self._times = ids, times

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def items(self) -> "ItemsView[int, datetime]":
        """Return ids and times, without a search for each."""
        return _PrefixItems(self)

    def pairs(self) -> Iterator[tuple[int, datetime]]:
        """Yield ids and times."""
        return ((each, EPOCH + timedelta(seconds=at)) for each, at in zip(self._ids, self._times, strict=True))

    def __getitem__(self, snapshot_id: int) -> datetime:
        return EPOCH + timedelta(seconds=self._times[bisect_left(self._ids, snapshot_id)])


class _PrefixItems(ItemsView[int, datetime]):
    _mapping: Prefix

    def __iter__(self) -> Iterator[tuple[int, datetime]]:
        return self._mapping.pairs()


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
    failed: FailedWrites
    seen: int = 0
    ids: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    manifests: Manifests = field(default_factory=Manifests)
    small: int = 0
    live_files: int = 0
    deletes: int = 0
    deletes_since: float | None = None
    copies: deque[tuple[int, float]] = field(default_factory=deque)
    superseded: deque[Superseded] = field(default_factory=deque)
    retention: float | None = None
    due_since: float | None = None
    now: float = 0.0
    deleted: int = 0
    most_snapshots: int = 0
    most_manifests: int = 0
    most_superseded: int = 0
    most_deletes: int = 0
    _next: int = 0

    def catch_up(self, now: float) -> bool:
        """Apply the commits of writers up to an instant; return whether there were any."""
        self.now = now
        self.failed.catch_up(now)
        if self.is_blocked and self.due_since is None:
            self.due_since = self.blocked_at
        until = int(np.searchsorted(self.commits, now, side="right"))
        if until == self.seen:
            return False
        pattern, instants = self.pattern, self.commits[self.seen : until].tolist()
        missing = max(0, ceil((SMALL_FILES - self.small) / pattern.files) - 1)
        if self.due_since is None and missing < len(instants):
            self.due_since = instants[missing]
        if pattern.deletes and self.deletes_since is None:
            self.deletes_since = instants[0]
        self._commit(instants, pattern.files)
        self.small += len(instants) * pattern.files
        self.live_files += (until - self.seen) * pattern.files
        self.deletes += (until - self.seen) * pattern.deletes
        self.most_deletes = max(self.most_deletes, self.deletes)
        self.seen = until
        return True

    def forget(self) -> None:
        """Forget the greatest figures so far."""
        self.most_snapshots, self.most_manifests = len(self.ids), self.manifests.count
        self.most_superseded, self.most_deletes = self.superseded_bytes, self.deletes

    def rewrite(self, now: float) -> None:
        """Replace the small files; their bytes stay until the snapshots that need them have expired.

        The delete files apply to other files and stay, unless the oldest of them blocks the end of history.
        """
        parent, left = self._next, 0 if self.is_blocked else self.deletes
        self.superseded.append(Superseded(parent, now, self.small + self.deletes - left, self.input_bytes))
        self._commit([now], self.small + 1)
        self.copies.append((parent, now))
        self.live_files += 1 - self.small
        self.small, self.due_since = 0, None
        self.deletes, self.deletes_since = left, self.deletes_since if left else None
        self.most_superseded = max(self.most_superseded, self.superseded_bytes)

    @property
    def is_blocked(self) -> bool:
        """Whether a delete file is older than the history that the policy keeps (`maintenance.reclaim`)."""
        return self.blocked_at is not None and self.now >= self.blocked_at

    @property
    def blocked_at(self) -> float | None:
        """The instant at which the oldest delete file is older than the history that is kept, None for none."""
        return None if self.retention is None or self.deletes_since is None else self.deletes_since + self.retention

    @property
    def next_commit(self) -> float:
        """The instant of the next commit, infinity without one."""
        return float(self.commits[self.seen]) if self.seen < len(self.commits) else float("inf")

    @property
    def expiry(self) -> "WeekExpiry":
        """The expiry of its snapshots."""
        return WeekExpiry(self)

    @property
    def delete_rewrite(self) -> "MergedDeletes":
        """Rewrites of its delete files."""
        return MergedDeletes(self)

    @property
    def manifest_rewrite(self) -> "MergedManifests":
        """Rewrites of its manifests."""
        return MergedManifests(self)

    @property
    def copy_removal(self) -> None:
        """None: a commit of a rewrite removes the replaced files from the table."""

    @property
    def orphan_removal(self) -> ModelOrphanRemoval:
        """The removal of its orphans as of now."""
        return ModelOrphanRemoval(self.failed, self.now)

    @property
    def input_bytes(self) -> int:
        """Bytes that a rewrite of the small files reads."""
        return self.small * self.pattern.file_bytes

    @property
    def superseded_bytes(self) -> int:
        """Bytes of files in storage that the newest snapshot does not need."""
        return sum(each.total for each in self.superseded)

    @property
    def stored_files(self) -> int:
        """The number of files that a listing finds."""
        return self.live_files + self.failed.count + sum(each.count for each in self.superseded)

    def _commit(self, instants: Sequence[float], files: int) -> None:
        """Add a snapshot at each instant, with `files` changed files."""
        count = len(instants)
        self.ids.extend(range(self._next + 1, self._next + count + 1))
        self.times.extend(instants)
        self._next += count
        while count:
            step = min(count, max(1, MERGED_AT - self.manifests.small)) if self.pattern.merges else count
            count -= step
            self.manifests = self.manifests.committed(step * files, step)
            self.most_manifests = max(self.most_manifests, self.manifests.count)
            if self.pattern.merges and self.manifests.small >= MERGED_AT:
                self.manifests = self.manifests.rewritten()
        self.most_snapshots = max(self.most_snapshots, len(self.ids))

    def merge_deletes(self) -> int:
        """Merge the delete files into one; those that it replaces stay until their snapshots have expired."""
        self.superseded.append(Superseded(self._next, self.now, self.deletes, 0))
        self._commit([self.now], 0)
        self.deletes = 1
        return self._next

    def merge_manifests(self) -> int:
        """Commit a rewrite of manifests."""
        merged = self.manifests.rewritten()
        self._commit([self.now], 0)
        self.manifests = merged
        return self._next


@dataclass(frozen=True)
class _Merge:
    """Rewrites without a proof, as the model has no rows, and without files that attempts leave."""

    table: WeekTable

    def prove(self, snapshot_id: int) -> SnapshotProof:
        """Return an empty proof."""
        del snapshot_id
        return SnapshotProof((), None)

    def remove(self, run_id: str, *, up_to_attempt: int) -> int:
        """Return 0."""
        del run_id, up_to_attempt
        return 0


class MergedDeletes(_Merge):
    """Rewrites of delete files."""

    def plan(self) -> DeletePlan:
        """Return the plan: all delete files are of one partition."""
        deletes = self.table.deletes
        count = deletes if deletes > 1 else 0
        return DeletePlan(deletes, deletes * 1000, count, count * 1000, min(1, count), 0, 0, {})

    def commit(
        self,
        run_id: str,
        attempt: int,
        *,
        before_try: Callable[[], None],
        announce: Callable[[LeftOut], None] = lambda _: None,
    ) -> RewrittenSnapshot:
        """Merge the delete files into one."""
        del run_id, attempt, announce
        if not self.plan().rewritten:
            return RewrittenSnapshot(None)
        before_try()
        return RewrittenSnapshot(self.table.merge_deletes())


class MergedManifests(_Merge):
    """Rewrites of manifests."""

    def plan(self) -> ManifestPlan:
        """Return the plan as of now."""
        return self.table.manifests.plan()

    def commit(
        self,
        run_id: str,
        attempt: int,
        *,
        before_try: Callable[[], None],
        announce: Callable[[LeftOut], None] = lambda _: None,
    ) -> RewrittenSnapshot:
        """Commit a rewrite of manifests."""
        del run_id, attempt, announce
        if not self.plan().rewritten:
            return RewrittenSnapshot(None)
        before_try()
        return RewrittenSnapshot(self.table.merge_manifests())


@dataclass(frozen=True)
class WeekExpiry:
    """The expiry of a table's snapshots."""

    table: WeekTable

    def expire(
        self,
        snapshot_ids: Sequence[int],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        """Remove snapshots, and with `deletes_for` the files that only they need."""
        gone = set(snapshot_ids) & set(self.plan(expiry).expired)
        before_try()
        kept = [(number, at) for number, at in zip(self.table.ids, self.table.times, strict=True) if number not in gone]
        self.table.ids, self.table.times = [each[0] for each in kept], [each[1] for each in kept]
        self.table.copies = deque(
            each for each in self.table.copies if each[0] >= self.table.ids[0] and each[0] not in gone
        )
        while deletes_for and self.table.superseded and self.table.superseded[0].last < self.table.ids[0]:
            self.table.deleted += self.table.superseded.popleft().count
        return ()

    def retained(self, snapshot_ids: Sequence[int]) -> frozenset[int]:
        """Return those of the snapshots that have not expired."""
        return frozenset(snapshot_ids) & frozenset(self.table.ids)

    @property
    def default_age(self) -> timedelta:
        """Five days, as Iceberg's."""
        return timedelta(days=5)

    def plan(self, expiry: Expiry) -> ExpiryPlan:
        """Return the plan as `SnapshotExpiry.plan`: one branch, no tags, no properties."""
        rule, total = expiry.rule, len(self.table.ids)
        now = (expiry.now - EPOCH).total_seconds()
        old = bisect_left(self.table.times, now - rule.older_than.total_seconds())
        count = max(0, min(old, total - max(1, rule.keep_last)))
        ids, times = self.table.ids[:count], self.table.times[:count]
        if expiry.only is not None:
            places = (bisect_left(ids, number) for number in sorted(expiry.only))
            found = [at for at, number in zip(places, sorted(expiry.only), strict=True) if ids[at : at + 1] == [number]]
            ids, times = [ids[at] for at in found], [times[at] for at in found]
        young = max(0, total - max(1, rule.keep_last) - old)
        next_at = EPOCH + timedelta(seconds=self.table.times[old]) + rule.older_than if young else None
        kept = {"younger": young, "keep_last": total - len(ids) - young}
        return ExpiryPlan(rule, Prefix(ids, times), kept, next_at)

    def old_copies(self) -> Sequence[OldCopy]:
        """Return the parents of rewrites that are left, newest first."""
        return [
            OldCopy(parent, parent + 1, "run", EPOCH + timedelta(seconds=at))
            for parent, at in reversed(self.table.copies)
        ]

    def expire_tags(
        self,
        names: Sequence[str],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        """Return nothing: there are no tags."""
        del names, expiry, before_try, deletes_for
        return ()

    def retained_tags(self, names: Sequence[str]) -> frozenset[str]:
        """Return no tag."""
        del names
        return frozenset()
