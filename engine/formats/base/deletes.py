"""The role of tables whose snapshots list files that delete rows by position, which can be merged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.domain.runs.deletes import DeleteFigures, DeletePlan
from engine.domain.runs.left_out import NONE_LEFT_OUT, LeftOut
from engine.formats.base.files import Condition


@dataclass(frozen=True, slots=True)
class DeleteProof:
    """The proof of a rewrite of delete files: its checks, and figures; None if its snapshot or the parent expired."""

    checks: Sequence[Condition]
    figures: DeleteFigures | None


@dataclass(frozen=True, slots=True)
class RewrittenDeletes:
    """The outcome of a rewrite of delete files.

    Attributes:
        snapshot_id: the committed snapshot; None if there was nothing to do.
        left_out: planned delete files that were left as they are when their content was read.
    """

    snapshot_id: int | None
    left_out: LeftOut = NONE_LEFT_OUT


@runtime_checkable
class DeleteKeeper(Protocol):
    """A table whose format has delete files. All calls may block."""

    def plan_deletes(self) -> DeletePlan:
        """Return which delete files a rewrite would replace or drop, decided from metadata alone.

        Raises:
            NotEligible: delete files of this table are not rewritten.
        """

    def rewrite_deletes(
        self,
        run_id: str,
        attempt: int,
        *,
        before_try: Callable[[], None],
        announce: Callable[[LeftOut], None] = lambda _: None,
    ) -> RewrittenDeletes:
        """Merge delete files and drop dangling ones in one snapshot with the same rows; return its id.

        Args:
            run_id: the run.
            attempt: the number of its attempt.
            before_try: is called before every request to the catalog and may raise to stop: nothing is sent then.
            announce: is called before `before_try` with what the request leaves out, as its answer may be lost.

        Raises:
            OutcomeUnknown: an answer was lost; check `find_commits` before doing anything else.
            CommitConflict: other commits were faster each time, or the table was replaced.
            NotEligible: as `plan_deletes`.
        """

    def prove_deletes(self, snapshot_id: int) -> DeleteProof:
        """Compare the deleted rows of a snapshot that `rewrite_deletes` committed with those of its parent."""

    def remove_deletes(self, run_id: str, *, up_to_attempt: int) -> int:
        """Delete files that attempts of a run up to a number wrote and no snapshot has; return their number.

        Must only be called while no commit of the run can be in progress.
        """
