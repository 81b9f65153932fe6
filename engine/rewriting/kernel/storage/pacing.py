"""A token bucket on bytes (read + written) and on requests.

Debt based: a transfer starts when there is no debt and adds its size to the debt, so that one slice larger than the
bucket is still transferred, and is paid for before the next. In any window of T seconds at most `rate * (T +
BURST_SECONDS + SLICE_SECONDS)` bytes move: 103.5 % of the rate over 10 s. A burst of a whole second alone would make
that 110 %.

The clock and the pause are arguments, so that tests run hours of pacing in virtual time. Thread safe: transfers of one
task come from its reading threads and its writer.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from engine.rewriting.kernel.errors import Stopped

BURST_SECONDS: Final = 0.25
"""The most unused share that is kept, in seconds of the rate."""

SLICE_SECONDS: Final = 0.1
"""The largest single transfer under a limit, in seconds of the rate."""

MIN_SLICE_BYTES: Final = 16 * 1024
"""The least slice of a transfer, regardless of the rate."""

LEAST_WAIT_SECONDS: Final = 1e-6
"""Debt of less than this time is ignored: it is a rounding error."""

Pause = Callable[[threading.Event, float], object]
"""Waits for this number of seconds, or until the event is set: then the share changed and the wait is recalculated."""


class _Tokens:
    """Tokens of one quantity under one rate; `rate` None: no limit. Negative `held` is debt."""

    def __init__(self, rate: float | None, least: float) -> None:
        self._least = least
        self.held = 0.0
        self.rate = rate

    def change(self, rate: float | None) -> None:
        self.rate = rate
        self.held = 0.0 if rate is None else min(self.held, self._most)

    def earn(self, seconds: float) -> None:
        if self.rate is not None:
            self.held = min(self._most, self.held + seconds * self.rate)

    def spend(self, count: float) -> None:
        if self.rate is not None:
            self.held -= count

    @property
    def seconds_owed(self) -> float:
        return 0.0 if self.rate is None else max(0.0, -self.held / self.rate)

    @property
    def _most(self) -> float:
        return max(self._least, (self.rate or 0.0) * BURST_SECONDS)


class Bucket:
    """The share of one task. Rates are per second, None is unlimited."""

    def __init__(
        self,
        *,
        bytes_per_second: float | None = None,
        requests_per_second: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause = threading.Event.wait,
    ) -> None:
        self._bytes = _Tokens(bytes_per_second, 0.0)
        self._requests = _Tokens(requests_per_second, 0.0)
        self._clock = clock
        self._pause = pause
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._stopped = False
        self._at = clock()
        self._throttled = 0.0

    @property
    def throttled_seconds(self) -> float:
        """Seconds slept so far, summed over the threads that slept."""
        return self._throttled

    @property
    def slice_bytes(self) -> int | None:
        """The most bytes of a single transfer; None: no limit."""
        rate = self._bytes.rate
        return None if rate is None else max(MIN_SLICE_BYTES, int(rate * SLICE_SECONDS))

    def set_share(self, bytes_per_second: float | None, requests_per_second: float | None) -> None:
        """Change the rates immediately, also for waiting threads. Debt is kept, and paid at the new rate."""
        with self._lock:
            self._refill()
            self._bytes.change(bytes_per_second)
            self._requests.change(requests_per_second)
            self._wake()

    def stop(self) -> None:
        """Make every waiting or future transfer raise `Stopped`."""
        with self._lock:
            self._stopped = True
            self._wake()

    def check(self) -> None:
        """Raise `Stopped` when the task was ordered to stop."""
        if self._stopped:
            raise Stopped

    def rest(self, seconds: float) -> None:
        """Wait, for a reason other than the share. Raises `Stopped`."""
        with self._lock:
            self.check()
            changed = self._changed
        self._pause(changed, seconds)
        self.check()

    def take(self, byte_count: int, requests: int = 0) -> None:
        """Wait until the needed quantities have no debt, then charge this transfer. Raises `Stopped`."""
        while True:
            with self._lock:
                self.check()
                self._refill()
                seconds = max(
                    self._bytes.seconds_owed if byte_count else 0.0, self._requests.seconds_owed if requests else 0.0
                )
                if seconds < LEAST_WAIT_SECONDS:
                    self._bytes.spend(byte_count)
                    self._requests.spend(requests)
                    return
                changed = self._changed
            self._wait(changed, seconds)

    def _wait(self, changed: threading.Event, seconds: float) -> None:
        begun = self._clock()
        self._pause(changed, seconds)
        with self._lock:
            self._throttled += self._clock() - begun

    def _refill(self) -> None:
        now = self._clock()
        elapsed, self._at = now - self._at, now
        self._bytes.earn(elapsed)
        self._requests.earn(elapsed)

    def _wake(self) -> None:
        """Set the event of the threads that wait now; later ones get a new event."""
        self._changed.set()
        self._changed = threading.Event()
