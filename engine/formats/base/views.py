"""Values of an open table: snapshots, columns, and conditions of what is done with it."""

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of eligibility: `holds` is False when it is not met; `detail` has the value found."""

    name: str
    holds: bool
    detail: str
