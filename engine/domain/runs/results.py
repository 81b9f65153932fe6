"""Progress of a run and, once it ended, its figures: typed access to the stored document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class LostRaces:
    """File groups that a run lost to other writers in all its attempts, and the bytes it had written for them."""

    groups_lost: int = 0
    wasted_bytes: int = 0


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run; that of a run that has done nothing is empty.

    `document`: as stored and as the API shows it. It keeps the keys that an earlier version wrote and this one does not
    read. Sizes are in bytes; figures of a rewrite are 0 or None for other operations, and until the run ended.
    """

    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verifications(self) -> tuple[Mapping[str, Any], ...]:
        """The proof of each snapshot that the run committed, oldest first."""
        return tuple(each for each in self._list("verifications") if isinstance(each, dict))

    @property
    def races(self) -> LostRaces:
        """The groups that were lost to other writers."""
        return LostRaces(self._number("races", "groups_lost") or 0, self._number("races", "wasted_bytes") or 0)

    @property
    def expired_snapshots(self) -> int:
        """The number of snapshots that an expiry removed from the table's metadata."""
        return self._number("expired_snapshots") or 0

    @property
    def expired_tags(self) -> int:
        """The number of tags that an expiry removed."""
        return self._number("expired_tags") or 0

    @property
    def left_out_count(self) -> int:
        """The number of files, partitions or manifests that the run left out of its work (`domain.runs.left_out`)."""
        return self._number("left_out", "count") or 0

    @property
    def rewritten_files(self) -> int | None:
        """The number of data files that the run replaced."""
        return self._number("rewritten_files")

    @property
    def added_files(self) -> int | None:
        """The number of data files that it added in place of those."""
        return self._number("added_files")

    @property
    def rewritten_bytes(self) -> int:
        """The size of the files that the run replaced."""
        return self._number("rewritten_bytes") or 0

    @property
    def added_bytes(self) -> int:
        """The size of the files that it added."""
        return self._number("added_bytes") or 0

    @property
    def wasted_bytes(self) -> int:
        """The size of outputs that were never committed, for any reason."""
        return self._number("wasted_bytes") or 0

    @property
    def groups_committed(self) -> int:
        """The number of file groups in the run's snapshots."""
        return self._number("groups_committed") or 0

    @property
    def snapshot_ids(self) -> tuple[str, ...]:
        """The ids of the run's snapshots in the table; text, as they exceed 2^53."""
        return tuple(map(str, self._list("snapshot_ids")))

    @property
    def predicted(self) -> Mapping[str, Any] | None:
        """The figures that its plan predicted; None without a plan."""
        return self.document.get("predicted")

    @property
    def actual(self) -> Mapping[str, Any] | None:
        """The figures that were measured in their place; None until the run ended."""
        return self.document.get("actual")

    def updated(self, **values: Any) -> Self:
        """Return the result with these values in place of stored ones of the same names."""
        return type(self)({**self.document, **values})

    def proven(self, verification: Mapping[str, Any]) -> Self:
        """Return the result with one more proof."""
        return self.updated(verifications=[*self.verifications, verification])

    def _number(self, *path: str) -> int | None:
        """Return the number at a path; None without one, or if the record is damaged there."""
        found: Any = self.document
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        return int(found) if isinstance(found, int | float) else None

    def _list(self, name: str) -> list[Any]:
        found = self.document.get(name)
        return list(found) if isinstance(found, list | tuple) else []
