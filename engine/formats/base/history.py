"""The part of tables whose format keeps old snapshots, and expires them."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Protocol

from engine.domain.runs.expiry import Expiry, ExpiryPlan, OldCopy
from engine.formats.base.views import Condition


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
            deletes_for: the run for which the files that the snapshots need are found later, see `ExpiredRemoval`: what
                leads to them is stored before every request. None: no file will be deleted.

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
