"""Rewrites of manifests: the plan of one, and what one did. Manifests list the files of a table's snapshots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ManifestPlan:
    """Plan of a rewrite of manifests.

    Attributes:
        target_bytes: stored size that new manifests are to have.
        manifests: number of manifests of the head snapshot.
        manifest_bytes: their stored size.
        rewritten: number of those that would be replaced.
        rewritten_bytes: their stored size.
        added: predicted number of manifests in their place.
    """

    target_bytes: int
    manifests: int
    manifest_bytes: int
    rewritten: int
    rewritten_bytes: int
    added: int

    @property
    def average_bytes(self) -> float:
        """The average stored size of the head's manifests; 0 without any."""
        return self.manifest_bytes / self.manifests if self.manifests else 0.0

    @property
    def saved(self) -> int:
        """The number of manifests by which the head would have fewer."""
        return self.rewritten - self.added

    def document(self) -> dict[str, Any]:
        """Return the plan as JSON-ready values."""
        return {
            "target_bytes": self.target_bytes,
            "manifests": self.manifests,
            "manifest_bytes": self.manifest_bytes,
            "rewritten_manifests": self.rewritten,
            "rewritten_manifest_bytes": self.rewritten_bytes,
            "added_manifests": self.added,
        }


@dataclass(frozen=True, slots=True)
class ManifestFigures:
    """Figures of a committed rewrite of manifests.

    `entries`: live files that the replaced manifests listed. `manifests_before` and `manifests_after` are those of the
    whole snapshot. Sizes are stored bytes; seconds are those of reading the replaced and the added manifests.
    """

    rewritten: int
    added: int
    rewritten_bytes: int
    added_bytes: int
    entries: int
    manifests_before: int
    manifests_after: int
    seconds_before: float
    seconds_after: float

    def document(self) -> Mapping[str, Any]:
        """Return the figures as they stand in a run's result."""
        return {
            "rewritten_manifests": self.rewritten,
            "added_manifests": self.added,
            "rewritten_manifest_bytes": self.rewritten_bytes,
            "added_manifest_bytes": self.added_bytes,
            "manifest_entries": self.entries,
            "manifests": {"before": self.manifests_before, "after": self.manifests_after},
            "manifest_read_seconds": {"before": round(self.seconds_before, 3), "after": round(self.seconds_after, 3)},
        }
