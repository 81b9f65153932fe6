"""What this process has sent to Spark under each tag: how much runs, whether it was stopped, when it was cut off."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from engine.domain.errors import Interrupted

_TAGS_KEPT: Final = 4096


@dataclass(slots=True)
class _Tag:
    running: int = 0
    stopped: bool = False
    known: bool = False
    has_tasks: bool = False
    repeated: bool = False
    cut_off_at: float | None = None
    interrupted: set[str] = field(default_factory=set)

    def cut_off(self) -> None:
        """Note that its tasks were cut off now; nobody knows whether what another process sent has any."""
        if self.has_tasks or not self.known:
            self.cut_off_at = time.monotonic()


class SentOperations:
    """Thread-safe; remembers the last few thousand tags. A tag that was stopped stays stopped."""

    def __init__(self) -> None:
        self._tags: OrderedDict[tuple[str, str], _Tag] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def sending(self, session_id: str, tag: str, *, has_tasks: bool) -> Iterator[None]:
        """Count what is sent inside as running; anything but a normal end may leave a task behind for some seconds.

        `has_tasks`: it runs Python tasks. What has none is over when the server says so.

        Raises:
            Interrupted: the tag was stopped before.
        """
        with self._lock:
            entry = self._entry(session_id, tag)
            if entry.stopped:
                raise Interrupted(f"operations with the tag {tag} were stopped; nothing more is sent under it")
            entry.running += 1
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

    def stop(self, session_id: str, tag: str, interrupted: set[str]) -> None:
        """Let nothing more be sent under the tag; remember the operations that were interrupted on the server."""
        with self._lock:
            entry = self._entry(session_id, tag)
            entry.stopped = True
            entry.interrupted |= interrupted
            if interrupted or (not entry.known and entry.cut_off_at is None):
                # What another process sent may have been cut off just now, by somebody else.
                entry.cut_off()

    def repeat(self, session_id: str, tag: str) -> None:
        """Note that Spark ran a task under the tag again: its lost try may live on for as long as one cut off now."""
        with self._lock:
            entry = self._entry(session_id, tag)
            entry.repeated = True
            entry.cut_off_at = time.monotonic()

    def has_repeated(self, session_id: str, tag: str) -> bool:
        """Return whether Spark ran a task under the tag again."""
        with self._lock:
            return self._entry(session_id, tag).repeated

    def interrupted(self, session_id: str, tag: str) -> set[str]:
        """Return the operations that were interrupted and are not known to be over."""
        with self._lock:
            return set(self._entry(session_id, tag).interrupted)

    def ended(self, session_id: str, tag: str, operation_id: str) -> None:
        """Forget an operation that the server does not execute any more."""
        with self._lock:
            entry = self._entry(session_id, tag)
            entry.interrupted.discard(operation_id)
            entry.cut_off()

    def is_running(self, session_id: str, tag: str) -> bool:
        """True while a thread of this process waits for an answer under the tag."""
        with self._lock:
            return self._entry(session_id, tag).running > 0

    def seconds_since_cut_off(self, session_id: str, tag: str) -> float | None:
        """Return how long ago tasks under the tag were last cut off; None if all ended by themselves, or none are."""
        with self._lock:
            cut_off_at = self._entry(session_id, tag).cut_off_at
        return None if cut_off_at is None else time.monotonic() - cut_off_at

    def _entry(self, session_id: str, tag: str) -> _Tag:
        entry = self._tags.setdefault((session_id, tag), _Tag())
        self._tags.move_to_end((session_id, tag))
        while len(self._tags) > _TAGS_KEPT and next(iter(self._tags.values())).running == 0:
            self._tags.popitem(last=False)
        return entry
