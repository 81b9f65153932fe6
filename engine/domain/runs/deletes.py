"""Rewrites of delete files: the plan of one, and what one did. Delete files mark rows of data files as deleted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class DeletePlan:
    """Plan of a rewrite of delete files.

    Attributes:
        files: number of live position-delete files, and of Puffin files with deletion vectors.
        file_bytes: their stored size.
        rewritten: number of those that would be read and replaced or dropped.
        rewritten_bytes: their stored size.
        added: predicted number of files in their place; an upper bound.
        equality_files: number of live equality-delete files, which are never changed.
        equality_bytes: their stored size.
        left: number of position-delete files that are left alone, by reason.
    """

    files: int
    file_bytes: int
    rewritten: int
    rewritten_bytes: int
    added: int
    equality_files: int
    equality_bytes: int
    left: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """Return the plan as JSON-ready values."""
        return {
            "delete_files": self.files,
            "delete_file_bytes": self.file_bytes,
            "rewritten_delete_files": self.rewritten,
            "rewritten_delete_bytes": self.rewritten_bytes,
            "added_delete_files": self.added,
            "equality_delete_files": self.equality_files,
            "equality_delete_bytes": self.equality_bytes,
            "left_alone": dict(self.left),
        }


@dataclass(frozen=True, slots=True)
class DeleteFigures:
    """Figures of a committed rewrite of delete files.

    `rewritten` files had `rows`, of which `positions` apply to live data files; the `added` files have those.
    `files_before` and `files_after` count the position-delete files of the whole snapshot, and its Puffin files with
    deletion vectors. Sizes are stored bytes, of deletion vectors those of their blobs.
    """

    rewritten: int
    added: int
    rewritten_bytes: int
    added_bytes: int
    rows: int
    positions: int
    files_before: int
    files_after: int

    def document(self) -> Mapping[str, Any]:
        """Return the figures as they stand in a run's result."""
        return {
            "rewritten_delete_files": self.rewritten,
            "added_delete_files": self.added,
            "rewritten_delete_bytes": self.rewritten_bytes,
            "added_delete_bytes": self.added_bytes,
            "deleted_positions": {"read": self.rows, "kept": self.positions},
            "delete_files": {"before": self.files_before, "after": self.files_after},
        }
