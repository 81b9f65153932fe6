"""Items that a run left out of its work: files, partitions or manifests, each with a reason, as its result names them.

A run with such items may still have succeeded with the others. One that left out everything, some of it for an error,
has not: see `LeftOut.errors`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

MOST_NAMED: Final = 20
"""Most items that a result names; all are counted."""

_LONGEST_NAME: Final = 300
_LONGEST_DETAIL: Final = 300


@dataclass(frozen=True, slots=True)
class LeftOutItem:
    """One item that a run left out.

    Attributes:
        name: the path of a file, or a partition as JSON.
        reason: a code, such as `unreadable`.
        detail: the error that was found, for people; empty if the reason explains itself.
        is_error: whether something is wrong with it; False: this version does not do such items.
    """

    name: str
    reason: str
    detail: str = ""
    is_error: bool = True

    def document(self) -> dict[str, Any]:
        """Return it as JSON-ready values; of a long name the end is kept."""
        return {"name": self.name[-_LONGEST_NAME:], "reason": self.reason, "detail": self.detail[:_LONGEST_DETAIL]}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """All items that a run left out: their number by reason, how many of them for errors, and the first of them."""

    reasons: Mapping[str, int] = field(default_factory=dict)
    errors: int = 0
    items: Sequence[LeftOutItem] = ()

    @staticmethod
    def of(items: Iterable[LeftOutItem]) -> "LeftOut":
        """Return the items counted; those with errors are named first."""
        found = list(items)
        named = sorted(found, key=lambda each: not each.is_error)[:MOST_NAMED]
        return LeftOut(Counter(each.reason for each in found), sum(each.is_error for each in found), named)

    @property
    def count(self) -> int:
        """The number of items."""
        return sum(self.reasons.values())

    def document(self) -> dict[str, Any]:
        """Return it as the field `left_out` of a run's result, JSON-ready."""
        return {
            "count": self.count,
            "errors": self.errors,
            "reasons": dict(self.reasons),
            "items": [each.document() for each in self.items],
        }

    def describe(self) -> str:
        """Return a clause with the number of items by reason, and the first one; empty without any."""
        if not self.items:
            return ""
        counts = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in sorted(self.reasons.items()))
        first = self.items[0]
        cause = f" ({first.detail})" if first.detail else ""
        return f"left out: {counts}; the first is {first.name[-_LONGEST_NAME:]}{cause}"


NONE_LEFT_OUT: Final = LeftOut()
"""Of a run that left out nothing."""
