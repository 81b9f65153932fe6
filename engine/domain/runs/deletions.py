"""Announcement of a run that deletes files or history: what it deletes, and from when on."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, Self

from engine.domain.policies import DeletionRule
from engine.domain.runs.run import Operation

DELETING_OPERATIONS: Final[Mapping[Operation, str | None]] = MappingProxyType(
    {
        Operation.EXPIRE_SNAPSHOTS: "maintenance.expire_snapshots",
        Operation.DELETE_OLD_COMPACTIONS: "maintenance.delete_old_compactions",
        Operation.REMOVE_ORPHANS: "maintenance.remove_orphans",
        Operation.RECLAIM: "maintenance.reclaim",
        Operation.PURGE: None,
    }
)
"""Operations that delete files or history, each with the setting that allows it; a purge has none."""

REQUESTED_GRACE: Final = timedelta(minutes=15)
"""Time before a run that a person submits deletes anything."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a run that deletes was announced with.

    Attributes:
        rule: what it may delete; None for a purge.
        starts_at: before this instant nothing is deleted; None: it did not wait.
        summary: what it would have deleted when it was announced, in words.
        is_held: whether the run itself waits until then, and can be undone; otherwise it does its other work at once.
    """

    rule: DeletionRule | None
    starts_at: datetime | None
    summary: str = ""
    is_held: bool = True

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Self | None:
        """Return the announcement in a run's request; None if it has none, as runs of earlier versions."""
        document = request.get("announced")
        if document is None:
            return None
        rule, starts_at = document["rule"], document["starts_at"]
        return cls(
            None if rule is None else DeletionRule.of_document(rule),
            None if starts_at is None else datetime.fromisoformat(starts_at),
            document["summary"],
            document["is_held"],
        )

    def may_delete(self, now: datetime) -> bool:
        """Return whether its grace is over."""
        return self.starts_at is None or self.starts_at <= now

    def document(self) -> dict[str, Any]:
        """Return it as JSON-ready values."""
        return {
            "rule": None if self.rule is None else self.rule.document(),
            "starts_at": None if self.starts_at is None else self.starts_at.isoformat(),
            "summary": self.summary,
            "is_held": self.is_held,
        }
