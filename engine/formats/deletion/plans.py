"""The plan of a deletion: which files are deleted, and what is left alone for which reason."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from engine.domain.runs.removals import RemovalPlan
from engine.formats.deletion.file_lists import FileList
from engine.formats.deletion.scopes import Refused
from engine.formats.intake.errors import printable

_SAMPLES: Final = 10
_LONGEST_NAMED: Final = 300


@dataclass(slots=True)
class Unread:
    """Files of expired snapshots that could not be read: their number by reason, and the paths of the first."""

    counts: Counter[str] = field(default_factory=Counter)
    samples: list[str] = field(default_factory=list)

    def add(self, path: str, reason: str) -> None:
        """Count a file."""
        self.counts[reason] += 1
        if len(self.samples) < _SAMPLES:
            self.samples.append(printable(path[:_LONGEST_NAMED]))


def plan_of(files: FileList, unread: Unread, refused: Refused, still_needed: int, *, path: str = "") -> RemovalPlan:
    """Return files that may be deleted, with what is left alone and why."""
    details = {
        "samples": files.samples(_SAMPLES),
        "unread": {"counts": dict(unread.counts), "samples": list(unread.samples)},
        "refused": {"counts": dict(refused.counts), "samples": dict(refused.samples)},
        "still_needed": still_needed,
    }
    return RemovalPlan(files.counts(), details, path)
