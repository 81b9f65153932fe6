"""The plan of a deletion: which files are deleted, and what is left alone for which reason."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from engine.domain.runs.left_out import MOST_NAMED, LeftOut, LeftOutItem
from engine.domain.runs.removals import RemovalPlan
from engine.formats.intake.errors import printable
from engine.formats.removal.file_lists import FileList
from engine.formats.removal.scopes import RefusedFiles

DAMAGED: Final = "damaged"
"""Reason of a file that can't be decoded."""

_SAMPLES: Final = 10
_LONGEST_NAMED: Final = 300


@dataclass(slots=True)
class Unread:
    """Files of expired snapshots that could not be read: what only they name stays in the store.

    Attributes:
        counts: number of files by reason.
        items: the first of them.
    """

    counts: Counter[str] = field(default_factory=Counter)
    items: list[LeftOutItem] = field(default_factory=list)

    def add(self, path: str, reason: str, detail: str = "") -> None:
        """Count a file. A missing one is not an error: another program may have deleted it before."""
        self.counts[reason] += 1
        if len(self.items) < MOST_NAMED:
            name = printable(path[:_LONGEST_NAMED])
            self.items.append(LeftOutItem(name, reason, detail, is_error=reason == DAMAGED))

    def include(self, others: "Unread") -> None:
        """Count other files as well."""
        self.counts += others.counts
        self.items += others.items[: MOST_NAMED - len(self.items)]

    def left_out(self) -> LeftOut:
        """Return the files as a run's result has them."""
        return LeftOut(dict(self.counts), self.counts[DAMAGED], list(self.items))


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Files that only expired snapshots needed.

    Attributes:
        files: the files that may be deleted.
        refused: files that may not be deleted whatever needs them.
        still_needed: number of the files in question that the table needs.
        unread: files of expired snapshots whose content is not known; what only they name is not in `files`.
        path: of the stored list; empty if none is stored.
    """

    files: FileList
    refused: RefusedFiles
    still_needed: int
    unread: Unread
    path: str = ""

    def plan(self) -> RemovalPlan:
        """Return the files as the plan that a run records, with what is left alone and why."""
        left_out = self.unread.left_out()
        samples = [each.name for each in self.unread.items[:_SAMPLES]]
        details = {
            "samples": self.files.samples(_SAMPLES),
            "unread": {"counts": dict(self.unread.counts), "samples": samples},
            **({"left_out": left_out.document()} if left_out.count else {}),
            "refused": self.refused.document(),
            "still_needed": self.still_needed,
        }
        return RemovalPlan(self.files.counts(), details, self.path)
