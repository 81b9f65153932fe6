"""What only formats with snapshots can do: go back to an earlier snapshot, and expire snapshots."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Protocol, runtime_checkable

from engine.domain.runs.expiry import Expiry, ExpiryPlan, OldCopy
from engine.formats.base.files import Condition


class RollBack(StrEnum):
    """Result of a rollback to the parent of a snapshot committed by Packhouse."""

    DONE = "done"
    """The snapshot is not, or no longer, in the history of main."""

    FOLLOWED = "followed"
    """Another commit followed it, or the catalog refused repeatedly."""

    NO_PARENT = "no_parent"
    """Its parent snapshot has expired."""

    NOT_POSSIBLE = "not_possible"
    """The table's format has no such step."""


@runtime_checkable
class RollsBack(Protocol):
    """A table that can go back to its state before a commit of Packhouse's."""

    def roll_back(self, snapshot_id: int) -> RollBack:
        """Go back to the parent of this Packhouse snapshot, unless another commit followed it. Idempotent.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; try again.
        """


@runtime_checkable
class ParentKeeper(RollsBack, Protocol):
    """A table that can go back to the snapshot before one of Packhouse's, and keep that one from expiry."""

    def protect_parent(self, run_id: str, snapshot_id: int) -> int | None:
        """Protect this Packhouse snapshot's parent from expiry until the next Packhouse commit; None if it has expired.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; the parent may be protected.
        """

    def release_parents(self) -> Sequence[str]:
        """Remove the protection set by commits with `protects_parent`; return the names of the removed tags.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; the next Packhouse commit removes it.
        """


class SnapshotExpiry(Protocol):
    """Expires the old snapshots of a table, and tags whose time is over. All calls may block."""

    @property
    def default_age(self) -> timedelta:
        """Age at which engines expire snapshots of this format if nothing else is set."""

    def plan(self, expiry: Expiry) -> ExpiryPlan:
        """Return which snapshots and tags would be removed, by the stricter of the rule and the table's own settings.

        Raises:
            NotEligible: the table forbids expiry, or its own settings for it can't be read.
        """

    def expire(
        self,
        snapshot_ids: Sequence[int],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        """Remove those of the snapshots that may still expire from the metadata; return what was proven.

        No file is deleted. Calling it again with the same ids has no further effect.

        Args:
            snapshot_ids: the snapshots.
            expiry: the rule, judged again before every request.
            before_try: called before every request; may raise to stop: nothing is sent then.
            deletes_for: the run for which the files that the snapshots need are found later (`FileKeeper.deletion`):
                what leads to them is stored before every request. None: no file will be deleted.

        Raises:
            OutcomeUnknown: the answer was lost; the snapshots may be gone.
            Transient: other commits were faster each time; nothing was changed.
            NotEligible: as `plan`.
        """

    def old_copies(self) -> Sequence[OldCopy]:
        """Return the snapshots of main whose child there states to be a rewrite by Packhouse, newest first."""

    def retained(self, snapshot_ids: Sequence[int]) -> frozenset[int]:
        """Return those of the snapshots that the table has now."""

    def expire_tags(
        self,
        names: Sequence[str],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        """Remove those of the planned tags whose time is over; return what was proven. No file is deleted.

        Calling it again with the same names has no further effect. Arguments and errors as for `expire`.
        """

    def retained_tags(self, names: Sequence[str]) -> frozenset[str]:
        """Return those of the tags that the table has now."""
