"""Rewrites of the files that the snapshots of a table consist of besides data files: manifests, and delete files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from engine.domain.runs.deletes import DeleteFigures
from engine.domain.runs.left_out import NONE_LEFT_OUT, LeftOut
from engine.domain.runs.manifests import ManifestFigures
from engine.formats.base.views import Condition

PlanT_co = TypeVar("PlanT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class SnapshotProof:
    """The proof of a rewrite: its checks, and figures; None if its snapshot or the parent has expired."""

    checks: Sequence[Condition]
    figures: ManifestFigures | DeleteFigures | None


@dataclass(frozen=True, slots=True)
class RewrittenSnapshot:
    """The outcome of a rewrite.

    Attributes:
        snapshot_id: the committed snapshot; None if there was nothing to do.
        left_out: planned files that were left as they are when their content was read.
    """

    snapshot_id: int | None
    left_out: LeftOut = NONE_LEFT_OUT


class SnapshotRewrite(Protocol[PlanT_co]):
    """Rewrites the manifests or the delete files of a table in one snapshot with the same rows. All calls may block."""

    def plan(self) -> PlanT_co:
        """Return which files a rewrite would replace or drop, decided from metadata alone.

        A table that was just rewritten has none.

        Raises:
            NotEligible: files of this table are not rewritten.
        """

    def commit(
        self,
        run_id: str,
        attempt: int,
        *,
        before_try: Callable[[], None],
        announce: Callable[[LeftOut], None] = lambda _: None,
    ) -> RewrittenSnapshot:
        """Rewrite the planned files in one snapshot; return its id.

        Args:
            run_id: the run.
            attempt: the number of its attempt.
            before_try: is called before every request to the catalog and may raise to stop: nothing is sent then.
            announce: is called before `before_try` with what the request leaves out, as its answer may be lost.

        Raises:
            OutcomeUnknown: an answer was lost; check `find_commits` before doing anything else.
            CommitConflict: other commits were faster each time, or the table was replaced.
            NotEligible: as `plan`.
        """

    def prove(self, snapshot_id: int) -> SnapshotProof:
        """Compare the live files or deleted rows of a snapshot that `commit` made with those of its parent."""

    def remove(self, run_id: str, *, up_to_attempt: int) -> int:
        """Delete files that attempts of a run up to a number wrote and no snapshot has; return their number.

        Must only be called while no commit of the run can be in progress.
        """
