"""An open table of any format: its metadata, history and live files, and its parts."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self

import pyarrow as pa

from engine.domain.runs.deletes import DeletePlan
from engine.domain.runs.files import InputFile
from engine.domain.runs.manifests import ManifestPlan
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.domain.tables.table import TableRef
from engine.formats.base.commits import TableCommits
from engine.formats.base.engines import Engine, RewriteEngine
from engine.formats.base.history import SnapshotExpiry
from engine.formats.base.removals import CopyRemoval, ExpiredRemoval, OrphanRemoval
from engine.formats.base.rewrites import SnapshotRewrite
from engine.formats.base.views import Condition, SnapshotInfo, TableColumn
from engine.formats.base.writers import WriteGuide
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.plans.predicates import PartitionSpecFields


class OpenTable(Protocol):
    """A table as loaded at one point in time; later changes are not visible.

    Its files are those of its head snapshot. Its parts are None where its format has nothing of the kind.
    """

    @property
    def ref(self) -> TableRef:
        """The address under which it was opened."""

    @property
    def uuid(self) -> str:
        """The table's own stable identity."""

    @property
    def location(self) -> str:
        """The table's base location."""

    @property
    def locations(self) -> Sequence[str]:
        """All locations of the table's files, read or written: base, data, metadata file, as set by its properties."""

    @property
    def data_locations(self) -> Sequence[str]:
        """The folders that writers put files of the table into, its base location first. May block."""

    @property
    def pointer(self) -> str:
        """The catalog's pointer when the table was loaded, as returned by `CatalogConnection.pointers`."""

    @property
    def head_snapshot_id(self) -> int | None:
        """Id of the main branch's current snapshot; None before the first commit."""

    @property
    def schema_id(self) -> int:
        """Id of the current schema."""

    @property
    def current_spec_id(self) -> int:
        """Id of the partition spec that the table gives to new files."""

    def describe(self) -> Mapping[str, Any]:
        """Return format, version, snapshot and manifest counts, columns and partition specs, as JSON-ready values.

        `columns` are objects with at least `name` and `type`. `specs` have a `spec_id` and `fields`, each with `name`,
        `column` (null if it was dropped) and `transform`; `default_spec_id` is the one of new files.
        """

    def policy_properties(self) -> Mapping[str, Any]:
        """Return the policy fields set by the table's own properties, by dotted name."""

    def columns(self) -> Sequence[TableColumn]:
        """Return the top-level columns of the current schema, in its order."""

    def column_names(self) -> Sequence[str]:
        """Return the full names of all columns of the current schema, those inside of others too."""

    def partition_specs(self) -> Sequence[PartitionSpecFields]:
        """Return every partition spec in the form that predicates are evaluated with; the current one is last."""

    def snapshots(self, limit: int) -> Sequence[SnapshotInfo]:
        """Return the newest snapshots of the main branch, newest first."""

    def read_storage(self) -> None:
        """Read the first byte of the table's metadata, bypassing all caches.

        Raises:
            Away: the storage does not answer.
            StateConflict, Transient: it answers with an error.
        """

    def digest(self) -> pa.Table:
        """Return the live data files of the head snapshot, in the shape of `planning.measures.digest.FILE_DIGEST`."""

    def figures(self) -> TableMeasures:
        """Return table-level measurements: snapshots, manifests, commit times, deletes by partition."""

    def key_condition(self, key: DeclaredKey) -> Condition | None:
        """Return the condition that the table has the columns of a declared key, with types that can be compared.

        None: rewrites of this format never merge rows by a declared key.
        """

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        """Resolve an order by column names on this table. Raises `NotEligible` where that is not possible."""

    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        """Return the ranges of an order's columns in files, by default all of `digest`; for a sort only its first.

        The first column decides pruning: the others only order rows within equal values of the first.
        """

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path, each with the position deletes that apply to it."""

    def at_snapshot(self, snapshot_id: int) -> "OpenTable | None":
        """Return the table as of an earlier snapshot, only to be read; None if it has none of this id. May block.

        Schema, partition specs and options are those of the loaded table.
        """

    @property
    def engines(self) -> Mapping[Engine, RewriteEngine]:
        """The engines that can rewrite it, the preferred one first; the kernel is always there."""

    @property
    def commits(self) -> TableCommits:
        """The commits of rewrites to it."""

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
        """See `OpenTable`."""
        return None

    def at_snapshot(self, snapshot_id: int) -> Self | None:  # noqa: ARG002
        """See `OpenTable`: tables of its format keep no history."""
        return None

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
