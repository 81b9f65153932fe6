"""Declarations of the operations: title, needs, setting, who may request one, what it deletes; each fact once.

The services, the API, the command line and the console go by these. Which tables can have an operation is in the
capabilities of each table format.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from engine.domain.access.callers import Role
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.runs.run import Operation

_TABLE: Final = frozenset({DependencyKind.CATALOG, DependencyKind.STORAGE})


class DeletionKind(StrEnum):
    """Kind of what an operation deletes: snapshots with the files that only they need, or files that nothing needs."""

    HISTORY = "history"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class OperationDeclaration:
    """The facts about an operation that do not depend on a table.

    Attributes:
        operation: the operation.
        title: its name for people, an imperative.
        summary: what a run does, in one or two sentences.
        needs: dependencies without which its runs do not start, in addition to the database. Without Spark the worker
            itself reads and commits the metadata.
        setting: the setting of the policy that switches it on, and has its `interval`; empty: it needs none.
        example: a value of the setting as written in a policy, which is proposed where it is off.
        deletes: what it deletes; None: nothing.
        caller_role: the least role that may request it.
        needs_confirmation: whether a request has to repeat the address of the table and the hash of a preview.
    """

    operation: Operation
    title: str
    summary: str
    needs: frozenset[DependencyKind] = _TABLE
    setting: str = ""
    example: Mapping[str, Any] = field(default_factory=dict)
    deletes: DeletionKind | None = None
    caller_role: Role = Role.OPERATOR
    needs_confirmation: bool = False

    @property
    def preview_role(self) -> Role:
        """The least role that may ask for a dry run of it."""
        return Role.PLANNER if self.caller_role is Role.OPERATOR else self.caller_role

    @property
    def lists_files(self) -> bool:
        """Whether the files that it would delete can be listed before a run: those of history."""
        return self.deletes is DeletionKind.HISTORY


_DECLARED: Final = (
    OperationDeclaration(
        Operation.REWRITE,
        "Rewrite data files",
        "Replaces small files, files with deletes and files in the wrong order by well-sized ones with the same rows.",
        needs=_TABLE | {DependencyKind.SPARK},
    ),
    OperationDeclaration(
        Operation.REWRITE_DELETES,
        "Merge delete files",
        "Replaces many delete files by few, and removes those without effect. Data files stay as they are.",
        setting="maintenance.rewrite_deletes",
        example={"interval": "1d", "at_least_files": 10},
    ),
    OperationDeclaration(
        Operation.REWRITE_MANIFESTS,
        "Merge manifests",
        "Replaces many small manifests by few that are sorted by partition, so that queries are planned faster.",
        setting="maintenance.rewrite_manifests",
        example={"interval": "7d"},
    ),
    OperationDeclaration(
        Operation.EXPIRE_SNAPSHOTS,
        "Expire snapshots",
        "Removes old snapshots, and with `delete_files` the files that only they need.",
        setting="maintenance.expire_snapshots",
        example={"older_than": "5d", "keep_last": 10},
        deletes=DeletionKind.HISTORY,
    ),
    OperationDeclaration(
        Operation.DELETE_OLD_COMPACTIONS,
        "Delete old compactions",
        "Deletes the copies of files that rewrites replaced, once their grace is over.",
        setting="maintenance.delete_old_compactions",
        example={"grace": "1d"},
        deletes=DeletionKind.HISTORY,
    ),
    OperationDeclaration(
        Operation.RECLAIM,
        "Reclaim storage",
        "Removes history past its retention with its files, and starts the rewrites of what blocks that.",
        setting="maintenance.reclaim",
        example={"retention": "7d"},
        deletes=DeletionKind.HISTORY,
    ),
    OperationDeclaration(
        Operation.REMOVE_ORPHANS,
        "Remove orphans",
        "Deletes files in the table's folders that no snapshot needs and that are old enough.",
        setting="maintenance.remove_orphans",
        example={"older_than": "3d", "interval": "7d"},
        deletes=DeletionKind.FILES,
    ),
    OperationDeclaration(
        Operation.PURGE,
        "Purge history",
        "Removes all history but the present state at once, whatever the policy keeps. On request only.",
        deletes=DeletionKind.HISTORY,
        caller_role=Role.ADMIN,
        needs_confirmation=True,
    ),
)

OPERATIONS: Final[Mapping[Operation, OperationDeclaration]] = MappingProxyType(
    {each.operation: each for each in _DECLARED}
)
"""Every operation, in the order in which they run when several are due."""

OF_SPARK: Final = frozenset(each.operation for each in _DECLARED if DependencyKind.SPARK in each.needs)
"""Operations whose runs need a Spark endpoint."""
