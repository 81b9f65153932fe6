"""The role of tables whose snapshots list their files in manifests that can be merged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.domain.runs.manifests import ManifestFigures, ManifestPlan
from engine.formats.base.files import Condition


@dataclass(frozen=True, slots=True)
class ManifestProof:
    """The proof of a rewrite of manifests: its checks, and figures; None if its snapshot or the parent has expired."""

    checks: Sequence[Condition]
    figures: ManifestFigures | None


@runtime_checkable
class ManifestKeeper(Protocol):
    """A table whose format lists files in manifests. All calls may block."""

    def plan_manifests(self) -> ManifestPlan:
        """Return which manifests a rewrite would replace; a table that was just rewritten has none.

        Raises:
            NotEligible: manifests of this table are not rewritten.
        """

    def rewrite_manifests(self, run_id: str, attempt: int, *, before_try: Callable[[], None]) -> int | None:
        """Merge and split manifests to their target size in one snapshot with the same files; return its id.

        Returns None if there was nothing to do. `before_try` is called before every request to the catalog and may
        raise to stop: nothing is sent then.

        Raises:
            OutcomeUnknown: an answer was lost; check `find_commits` before doing anything else.
            CommitConflict: other commits were faster each time, or the table was replaced.
            NotEligible: as `plan_manifests`.
        """

    def prove_manifests(self, snapshot_id: int) -> ManifestProof:
        """Compare the live files of a snapshot that `rewrite_manifests` committed with those of its parent."""

    def remove_manifests(self, run_id: str, *, up_to_attempt: int) -> int:
        """Delete metadata files that attempts of a run up to a number wrote and no snapshot has; return their number.

        Must only be called while no commit of the run can be in progress.
        """
