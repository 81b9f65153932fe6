"""A table as its metadata describes it: identity, schema, partitioning, properties, history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from engine.domain.tables.table import TableRef
from engine.planning.plans.predicates import PartitionSpecFields


class SnapshotKind(StrEnum):
    """The effect of a snapshot on the rows of its table."""

    APPEND = "append"
    """Rows were added only."""

    CHANGE = "change"
    """Rows were deleted or replaced."""

    REWRITE = "rewrite"
    """Files were replaced by others with the same rows."""

    UNKNOWN = "unknown"
    """The table does not record it."""


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A snapshot for advice and history; `added_bytes`: size of the data files that it added, 0 if not recorded.

    `compactor`: engine and application of a compaction by another client than Packhouse, otherwise None.
    """

    snapshot_id: int
    parent_id: int | None
    committed_at_ms: int
    kind: SnapshotKind
    added_bytes: int = 0
    compactor: tuple[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A top-level column of the current schema.

    `is_nested`: a struct, list or map, which has no order. `in_any_case`: its name, in lower case here, is compared
    without regard to case.
    """

    name: str
    is_nested: bool
    in_any_case: bool = False


class TableView(Protocol):
    """A table as loaded at one point in time; later changes are not visible."""

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
