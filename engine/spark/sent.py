"""Operations this process has sent to Spark by tag: how many run, whether it was stopped, when tasks were cut off."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from engine.domain.errors import Interrupted

_TAGS_KEPT: Final = 4096

FIRST_JOB_SECONDS: Final = 1.0
"""A statement is interrupted at the earliest so long after it was sent."""


@dataclass(slots=True)
class _Tag:
    running: int = 0
    begun_at: float = 0.0
    stopped: bool = False
    known: bool = False
    has_tasks: bool = False
    repeated: bool = False
    cut_off_at: float | None = None
    interrupted: set[str] = field(default_factory=set)

    def cut_off(self) -> None:
        """Record that its tasks were cut off now, unless it is known to have none (not known of other processes)."""
        if self.has_tasks or not self.known:
            self.cut_off_at = time.monotonic()


class SentOperations:
    """Thread-safe record of the last few thousand tags. A tag that was stopped stays stopped."""

    def __init__(self) -> None:
        self._tags: OrderedDict[tuple[str, str], _Tag] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def sending(self, session_id: str, tag: str, *, has_tasks: bool) -> Iterator[None]:
        """Count the operation sent inside as running; any end but a normal one may leave a task running for seconds.

        `has_tasks`: it runs Python tasks. An operation without them has ended when the server reports its end.

        Raises:
            Interrupted: the tag was stopped before.
        """
        with self._lock:
            entry = self._entry(session_id, tag)
            if entry.stopped:
                raise Interrupted(f"operations with the tag {tag} were stopped; nothing more is sent under it")
            entry.running += 1
            entry.begun_at = time.monotonic()
            entry.known = True
            entry.has_tasks |= has_tasks
        try:
            yield
        except BaseException:
            with self._lock:
                entry.cut_off()
            raise
        finally:
            with self._lock:
                entry.running -= 1

    def seconds_to_first_job(self, session_id: str, tag: str) -> float:
        """Return for how long an interrupt of a statement under the tag would come too early.

        An interrupt before a statement's first job can get lost (seen with Spark 4.1: the call ran to its end), and
        Spark interrupts an operation only once. Python tasks check for an order to stop themselves.
        """
        with self._lock:
            entry = self._entry(session_id, tag)
            if not entry.running or entry.has_tasks:
                return 0.0
            return max(0.0, FIRST_JOB_SECONDS - (time.monotonic() - entry.begun_at))

    def stop(self, session_id: str, tag: str, interrupted: set[str]) -> None:
        """Refuse further operations under the tag; record those that were interrupted on the server."""
        with self._lock:
            entry = self._entry(session_id, tag)
            entry.stopped = True
            entry.interrupted |= interrupted
            if interrupted or (not entry.known and entry.cut_off_at is None):
                # Operations sent by another process may just have been cut off, and not by this process.
                entry.cut_off()

    def repeat(self, session_id: str, tag: str) -> None:
        """Record that Spark reran a task under the tag: its lost try may run on for as long as one cut off now."""
        with self._lock:
            entry = self._entry(session_id, tag)
            entry.repeated = True
            entry.cut_off_at = time.monotonic()

    def has_repeated(self, session_id: str, tag: str) -> bool:
        """Return whether Spark ran a task under the tag again."""
        with self._lock:
            return self._entry(session_id, tag).repeated

    def interrupted(self, session_id: str, tag: str) -> set[str]:
        """Return the interrupted operations that are not known to have ended."""
        with self._lock:
            return set(self._entry(session_id, tag).interrupted)

    def ended(self, session_id: str, tag: str, operation_id: str) -> None:
        """Remove an operation that the server no longer executes."""
        with self._lock:
            entry = self._entry(session_id, tag)
            entry.interrupted.discard(operation_id)
            entry.cut_off()

    def is_running(self, session_id: str, tag: str) -> bool:
        """Return whether a thread of this process is waiting for an answer under the tag."""
        with self._lock:
            return self._entry(session_id, tag).running > 0

    def seconds_since_cut_off(self, session_id: str, tag: str) -> float | None:
        """Return the seconds since tasks under the tag were last cut off; None if none were (all ended normally)."""
        with self._lock:
            cut_off_at = self._entry(session_id, tag).cut_off_at
        return None if cut_off_at is None else time.monotonic() - cut_off_at

    def _entry(self, session_id: str, tag: str) -> _Tag:
        entry = self._tags.setdefault((session_id, tag), _Tag())
        self._tags.move_to_end((session_id, tag))
        while len(self._tags) > _TAGS_KEPT and next(iter(self._tags.values())).running == 0:
            self._tags.popitem(last=False)
        return entry
