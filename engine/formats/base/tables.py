"""A table of any format: the roles that all of them have, and the parts of some."""

from collections.abc import Mapping, Sequence
from typing import Protocol, Self

from engine.domain.runs.deletes import DeletePlan
from engine.domain.runs.manifests import ManifestPlan
from engine.domain.tables.keys import DeclaredKey
from engine.formats.base.commits import Committer, RollBack
from engine.formats.base.engines import Engine, RewriteEngine
from engine.formats.base.files import Condition, FileInventory
from engine.formats.base.history import SnapshotExpiry
from engine.formats.base.removals import CopyRemoval, ExpiredRemoval, OrphanRemoval
from engine.formats.base.rewrites import SnapshotRewrite
from engine.formats.base.views import TableView
from engine.formats.base.writers import WriteGuide


class OpenTable(TableView, FileInventory, Committer, Protocol):
    """A table as loaded at one point in time. Its parts are None where its format has nothing of the kind."""

    def at_snapshot(self, snapshot_id: int) -> "OpenTable | None":
        """Return the table as of an earlier snapshot, only to be read; None if it has none of this id. May block.

        Schema, partition specs and options are those of the loaded table.
        """

    @property
    def engines(self) -> Mapping[Engine, RewriteEngine]:
        """The engines that can rewrite it, the preferred one first; the kernel is always there."""

    @property
    def expiry(self) -> SnapshotExpiry | None:
        """The expiry of snapshots; None: tables of its format keep none."""

    @property
    def write_guide(self) -> WriteGuide | None:
        """Folders for files of writers; None: writers commit their files, and a rewrite never moves a folder."""

    @property
    def manifest_rewrite(self) -> SnapshotRewrite[ManifestPlan] | None:
        """Rewrites of manifests; None: tables of its format have no manifests that can be merged."""

    @property
    def delete_rewrite(self) -> SnapshotRewrite[DeletePlan] | None:
        """Rewrites of delete files; None: tables of its format have no delete files that can be merged."""

    @property
    def expired_removal(self) -> ExpiredRemoval | None:
        """The removal of files of expired snapshots; None: tables of its format keep no snapshots."""

    @property
    def orphan_removal(self) -> OrphanRemoval | None:
        """The removal of files that nothing refers to; None: what refers to files of its format is not known."""

    @property
    def copy_removal(self) -> CopyRemoval | None:
        """The removal of replaced files; None: a commit of a rewrite removes these from the table."""


class NoParts:
    """Base of tables, with nothing of what only some formats have."""

    def key_condition(self, key: DeclaredKey) -> Condition | None:  # noqa: ARG002
        """See `FileInventory`."""
        return None

    def at_snapshot(self, snapshot_id: int) -> Self | None:  # noqa: ARG002
        """See `OpenTable`: tables of its format keep no history."""
        return None

    @property
    def commits_apart(self) -> bool:
        """See `Committer`: a batch of groups is one commit."""
        return False

    def roll_back(self, snapshot_id: int) -> RollBack:  # noqa: ARG002
        """See `Committer`: a table can't go back."""
        return RollBack.NOT_POSSIBLE

    def protect_parent(self, run_id: str, snapshot_id: int) -> int | None:  # noqa: ARG002
        """See `Committer`: a table can't go back, so no parent is protected."""
        return None

    def release_parents(self) -> Sequence[str]:
        """See `Committer`: no parent is protected."""
        return ()

    @property
    def expiry(self) -> SnapshotExpiry | None:
        """See `OpenTable`."""
        return None

    @property
    def write_guide(self) -> WriteGuide | None:
        """See `OpenTable`."""
        return None

    @property
    def manifest_rewrite(self) -> SnapshotRewrite[ManifestPlan] | None:
        """See `OpenTable`."""
        return None

    @property
    def delete_rewrite(self) -> SnapshotRewrite[DeletePlan] | None:
        """See `OpenTable`."""
        return None

    @property
    def expired_removal(self) -> ExpiredRemoval | None:
        """See `OpenTable`."""
        return None

    @property
    def orphan_removal(self) -> OrphanRemoval | None:
        """See `OpenTable`."""
        return None

    @property
    def copy_removal(self) -> CopyRemoval | None:
        """See `OpenTable`."""
        return None
