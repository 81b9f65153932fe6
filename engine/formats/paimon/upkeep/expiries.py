"""The expiry of a loaded table's snapshots and tags, as `formats.base.SnapshotExpiry`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from engine.domain.runs.expiry import Expiry, ExpiryPlan, OldCopy
from engine.formats.base import Condition
from engine.formats.intake.guards import Reading, reads
from engine.formats.paimon.removal.expired_files import PaimonExpired
from engine.formats.paimon.upkeep.expiry import expire, old_copies, plan_expiry
from engine.formats.paimon.upkeep.retention import DEFAULT_TIME
from engine.formats.paimon.upkeep.tags import expire_tags, retained_tags
from engine.formats.paimon.view import TableView


@dataclass(frozen=True)
class TableExpiry:
    """Expiry of snapshots and tags: plans are of `view`, removals of what `same` loads.

    `files_of`: the files that what a run expires needs.
    """

    view: TableView
    same: Callable[[], TableView]
    files_of: Callable[[str], PaimonExpired]
    reading: Reading

    @property
    def default_age(self) -> timedelta:
        """Paimon's default of `snapshot.time-retained`."""
        return DEFAULT_TIME

    @reads("read the snapshots of")
    def plan(self, expiry: Expiry) -> ExpiryPlan:
        """Return which snapshots and tags would be removed; see `SnapshotExpiry.plan`."""
        return plan_expiry(self.view, expiry)

    @reads("expire snapshots of")
    def expire(
        self,
        snapshot_ids: Sequence[int],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        """Remove snapshots; see `SnapshotExpiry.expire`."""
        announce = None if deletes_for is None else self.files_of(deletes_for).announce
        return expire(self.same, snapshot_ids, expiry, before_try=before_try, announce=announce)

    @reads("remove tags of")
    def expire_tags(
        self,
        names: Sequence[str],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        """Remove tags whose time is over; see `SnapshotExpiry.expire_tags`."""
        announce = None if deletes_for is None else self.files_of(deletes_for).announce_tags
        return expire_tags(self.same, names, expiry, before_try=before_try, announce=announce)

    @reads("read the tags of")
    def retained_tags(self, names: Sequence[str]) -> frozenset[str]:
        """Return those of the tags that the table has now."""
        return retained_tags(self.same().files, names)

    @reads("read the snapshots of")
    def old_copies(self) -> Sequence[OldCopy]:
        """Return the snapshots whose child is a compaction by Packhouse; see `SnapshotExpiry.old_copies`."""
        return old_copies(self.view.every_snapshot())

    @reads("read the snapshots of")
    def retained(self, snapshot_ids: Sequence[int]) -> frozenset[int]:
        """Return those of the snapshots that the table has now."""
        return frozenset(snapshot_ids) & frozenset(self.same().files.snapshot_ids())
