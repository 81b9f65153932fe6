"""The expiry of a loaded table's snapshots, as `formats.base.SnapshotExpiry`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pyiceberg.catalog import Catalog

from engine.domain.runs.expiry import Expiry, ExpiryPlan, OldCopy
from engine.formats.base import Condition
from engine.formats.iceberg.commits.expiry import DEFAULT_EXPIRY, expire, old_copies, plan_expiry
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.expired_files import IcebergExpired
from engine.formats.intake.guards import Reading, reads


@dataclass(frozen=True)
class TableExpiry:
    """Expiry of snapshots: plans are of `view`, removals of what `fresh` loads.

    `files_of`: the files that the snapshots expired by a run need.
    """

    view: TableView
    catalog: Catalog
    fresh: Callable[[], TableView]
    files_of: Callable[[str], IcebergExpired]
    reading: Reading

    @property
    def default_age(self) -> timedelta:
        """Iceberg's default of `history.expire.max-snapshot-age-ms`."""
        return DEFAULT_EXPIRY

    @reads("read the metadata of")
    def plan(self, expiry: Expiry) -> ExpiryPlan:
        """Return which snapshots would be removed; see `SnapshotExpiry.plan`."""
        self.view.check_features(Activity.UPKEEP)
        return plan_expiry(self.view.metadata, expiry)

    @reads("read the metadata of")
    def expire(
        self,
        snapshot_ids: Sequence[int],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        """Remove snapshots from the metadata; see `SnapshotExpiry.expire`."""
        announce = None if deletes_for is None else self.files_of(deletes_for).announce
        return expire(self.catalog, self.fresh, snapshot_ids, expiry, before_try=before_try, announce=announce)

    def expire_tags(
        self,
        names: Sequence[str],  # noqa: ARG002 - plans have no tags
        expiry: Expiry,  # noqa: ARG002
        *,
        before_try: Callable[[], None],  # noqa: ARG002
        deletes_for: str | None = None,  # noqa: ARG002
    ) -> Sequence[Condition]:
        """Remove nothing: the time of a tag is part of `plan`, as that of its snapshot."""
        return ()

    def retained_tags(self, names: Sequence[str]) -> frozenset[str]:
        """Return the names: nothing was removed."""
        return frozenset(names)

    @reads("read the metadata of")
    def old_copies(self) -> Sequence[OldCopy]:
        """Return the snapshots of main whose child is a rewrite by Packhouse; see `SnapshotExpiry.old_copies`."""
        return old_copies(self.view.metadata)

    @reads("read the metadata of")
    def retained(self, snapshot_ids: Sequence[int]) -> frozenset[int]:
        """Return those of the snapshots that the table has now."""
        return frozenset(snapshot_ids) & {each.snapshot_id for each in self.fresh().metadata.snapshots}
