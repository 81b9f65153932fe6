"""Publish a snapshot that the core has prepared, under the lock of the catalog.

Writers that take the lock look for their snapshot's number and then rename or copy a file, during which nothing else is
committed. So the lock is held here for three requests to the store, and not while a Spark task prepares the commit.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from engine.domain.errors import OutcomeUnknown
from engine.formats.intake.errors import summary_of
from engine.formats.paimon.catalog.locks import TableLock
from engine.formats.paimon.files import TableFiles


@dataclass(frozen=True, slots=True)
class Publisher:
    """Publishes snapshots of one table."""

    files: TableFiles
    lock: TableLock

    def publish(self, number: int, body: bytes, *, before_try: Callable[[], None]) -> bool:
        """Publish a snapshot, unless the one before it is not the newest: then another writer has won.

        Args:
            number: its number.
            body: its content.
            before_try: see `formats.base.Committer.commit`.

        Returns:
            Whether it was published.

        Raises:
            OutcomeUnknown: the store did not answer.
            Transient: another writer holds the lock, or the database does not answer; nothing was sent.
            StateConflict: the database refuses.
        """
        with self.lock.held() as held:
            newest = self.files.newest_snapshot()
            if newest is None or newest[0] != number - 1:
                return False
            before_try()
            held.check()
            if not self._sent(number, body):
                return False
            with suppress(OSError):  # readers list the snapshots if the hint is out of date
                self.files.write_latest(number)
            return True

    def _sent(self, number: int, body: bytes) -> bool:
        try:
            self.files.publish_snapshot(number, body)
        except FileExistsError:
            return self.files.snapshot_body(number) == body
        except OSError as error:
            if self._is_there(number, body):
                return True
            raise OutcomeUnknown(f"snapshot {number} may still appear: {summary_of(error)}") from error
        return True

    def _is_there(self, number: int, body: bytes) -> bool:
        with suppress(OSError):
            return self.files.snapshot_body(number) == body
        return False
