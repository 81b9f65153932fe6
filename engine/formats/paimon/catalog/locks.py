"""Locks of catalogs, by which the commits to a table exclude each other, and that of a JDBC catalog.

Paimon's rule (`JdbcCatalogLock` of 1.4): who inserts the row `<catalog key>.<database>.<table>` has the lock and
deletes the row afterwards. Before each try, a writer deletes a row whose age exceeds its own `expire_time_seconds`.

Packhouse follows it with two differences, because Postgres has the time of a row without a time zone, and each writer
reads it in the zone of its JVM. A row of another writer counts as expired only after Packhouse has seen it unchanged
for that long by its own clock: so its age is proven, and the lock of a live writer is never taken. And a row is only
deleted if it is exactly the one that was seen or inserted.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import Final, Protocol, TypeVar

import structlog

from engine.domain.clock import jittered
from engine.domain.errors import OutcomeUnknown, PackhouseError, StateConflict, Transient
from engine.formats.paimon.catalog.database import LOCKS, CatalogDatabase, LockRow

EXPIRE_SECONDS: Final = 300
"""After a crash other writers wait for this time. Writers wait for 480 s by default (`lock-acquire-timeout`)."""

USE_SECONDS: Final = 60.0
"""After this time a snapshot is no longer sent: its last request ends long before the lock expires."""

WAIT_SECONDS: Final = 60.0
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0
_MOST_SIGHTINGS: Final = 10_000
_REMEDY: Final = (
    "set the catalog's property packhouse.lock-time-zone to the time zone of the writers' JVMs: they take the lock for "
    "expired otherwise"
)

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


class CatalogLock(Protocol):
    """The lock of one table."""

    def is_used(self) -> bool:
        """Return whether commits take the lock."""

    def held(self) -> AbstractContextManager["HeldLock"]:
        """Hold the lock during a block."""


class Sightings:
    """Remembers since when each row of a lock has been seen unchanged; the oldest are dropped. Thread-safe.

    Args:
        clock: a time in seconds that never goes back.
        pause: waits for some seconds.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.clock = clock
        self.pause = pause
        self._seen: OrderedDict[str, tuple[LockRow, float]] = OrderedDict()
        self._guard = Lock()

    def seconds(self, row: LockRow) -> float:
        """Return for how long a row has been seen; 0.0 at the first sight."""
        with self._guard:
            found = self._seen.pop(row.lock_id, None)
            if found is None or found[0] != row:
                found = (row, self.clock())
            self._seen[row.lock_id] = found
            while len(self._seen) > _MOST_SIGHTINGS:
                self._seen.popitem(last=False)
            return self.clock() - found[1]


@dataclass(frozen=True, kw_only=True)
class TableLock:
    """The lock of one table. `is_required`: None: it is taken if the database has the table of locks."""

    database: CatalogDatabase
    namespace: str
    name: str
    sightings: Sightings = field(default_factory=Sightings)
    is_required: bool | None = None

    def is_used(self) -> bool:
        """Return whether commits take the lock.

        Raises:
            StateConflict: they have to, and the database has no table of locks.
            Away, Transient: the database does not answer.
        """
        if self.is_required is False:
            return False
        found = self.database.has_locks()
        if self.is_required and not found:
            raise StateConflict(
                f"the catalog's property lock.enabled is true, but its database has no table {LOCKS}: Paimon creates "
                "it when a catalog with a lock is opened"
            )
        return found

    @contextmanager
    def held(self) -> Iterator["HeldLock"]:
        """Hold the lock during a block. It stays, and expires, if the block does not know whether it has committed.

        Raises:
            Transient: another writer has had it for the whole wait.
            Away, StateConflict: the database does not answer, or refuses.
        """
        held, row = self._acquired()
        try:
            yield held
        except OutcomeUnknown:
            _log.warning("catalog_lock_left", lock=row.lock_id, expires_after_seconds=row.expire_seconds)
            raise
        except BaseException:
            self._release(row)
            raise
        self._release(row)

    def _acquired(self) -> tuple["HeldLock", LockRow]:
        lock_id = f"{self.database.key}.{self.namespace}.{self.name}"
        clock, pause = self.sightings.clock, _FIRST_PAUSE
        until = clock() + WAIT_SECONDS
        while True:
            begun = clock()
            if (row := self.database.lock(lock_id, EXPIRE_SECONDS)) is not None:
                return HeldLock(lock_id, clock, begun), row
            other = self.database.held(lock_id)
            if (
                other is not None
                and self.sightings.seconds(other) > max(0, other.expire_seconds) + 1
                and self.database.unlock(other)
            ):
                _log.warning("catalog_lock_expired", lock=lock_id, acquired_at=str(other.acquired_at))
                continue
            if begun >= until:
                since = "" if other is None else f", acquired at {other.acquired_at}"
                raise Transient(
                    f"another writer holds the catalog's lock {lock_id}{since}; nothing was committed. A row that a "
                    f"writer left behind in {LOCKS} is removed when it has expired"
                )
            self.sightings.pause(jittered(pause, most=1.0))
            pause = min(_LONGEST_PAUSE, 2 * pause)

    def _release(self, row: LockRow) -> None:
        """Delete the row. A failure changes nothing about the commit: the row expires."""
        try:
            if not self.database.unlock(row):
                _log.warning("catalog_lock_taken", lock=row.lock_id, remedy=_REMEDY)
        except PackhouseError as error:
            _log.warning("catalog_lock_left", lock=row.lock_id, error=error.message)


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock that is held, for a limited time.

    `begun` is before it was acquired. `confirm` raises if the catalog does not have it as ours any more.
    """

    name: str
    clock: Callable[[], float]
    begun: float
    confirm: Callable[[], None] = lambda: None

    def check(self) -> None:
        """Check that it still counts, and that there is time enough to commit. Raises `Transient`, or as `confirm`."""
        self.confirm()
        held = self.clock() - self.begun
        if held > USE_SECONDS:
            raise Transient(f"the catalog's lock {self.name} was held for {held:.0f} s; nothing was committed")

    def within(self, work: Callable[[], _T]) -> _T:
        """Return the result of work that commits nothing, if it is done in time.

        Raises:
            Transient: it is not; it goes on in a thread of its own, and its result is lost.
        """
        done = Future[_T]()
        Thread(target=_run, args=(work, done), name="catalog-lock", daemon=True).start()
        try:
            return done.result(timeout=USE_SECONDS)
        except TimeoutError:
            raise Transient(
                f"a commit was not prepared within {USE_SECONDS:.0f} s under the catalog's lock {self.name}; "
                "nothing was committed"
            ) from None


def _run(work: Callable[[], _T], done: "Future[_T]") -> None:
    try:
        done.set_result(work())
    except BaseException as error:  # noqa: BLE001 - raised by `Future.result`
        done.set_exception(error)
