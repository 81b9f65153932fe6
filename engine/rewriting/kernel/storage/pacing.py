"""A token bucket on bytes (read + written) and on requests.

Debt based: a transfer goes through when nothing is owed and is owed afterwards, so that one slice larger than the
bucket still moves and is paid for before the next. In any window of T seconds at most `rate * (T + BURST_SECONDS +
SLICE_SECONDS)` bytes move: 103.5 % of the rate over 10 s. A burst of a whole second would make that 110 % by itself.

The clock and the pause are arguments: tests run hours of pacing in no time. Thread safe: transfers of one task come
from its reading threads and its writer.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from engine.rewriting.kernel.errors import Stopped

BURST_SECONDS: Final = 0.25
"""How much unused share is kept, in seconds of the rate."""

SLICE_SECONDS: Final = 0.1
"""The largest single transfer under a limit, in seconds of the rate."""

MIN_SLICE_BYTES: Final = 16 * 1024
"""No transfer is cut smaller than this, whatever the rate."""

LEAST_WAIT_SECONDS: Final = 1e-6
"""What is owed for less than this is forgiven: the rest of a division, not worth a sleep."""

Pause = Callable[[threading.Event, float], object]
"""Waits so many seconds, or until the event is set: then the share changed and the wait is worked out anew."""


class _Tokens:
    """One quantity under one rate; `rate` None is no limit. Negative `held` is debt."""

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
        """The largest transfer to ask for at once; None: any."""
        rate = self._bytes.rate
        return None if rate is None else max(MIN_SLICE_BYTES, int(rate * SLICE_SECONDS))

    def set_share(self, bytes_per_second: float | None, requests_per_second: float | None) -> None:
        """Change the rates at once, also for those who wait now. What is owed stays owed, at the new rate."""
        with self._lock:
            self._refill()
            self._bytes.change(bytes_per_second)
            self._requests.change(requests_per_second)
            self._wake()

    def stop(self) -> None:
        """Let every transfer, waiting or to come, raise `Stopped`."""
        with self._lock:
            self._stopped = True
            self._wake()

    def check(self) -> None:
        """Raise `Stopped` when the task was told to stop."""
        if self._stopped:
            raise Stopped

    def take(self, byte_count: int, requests: int = 0) -> None:
        """Wait until nothing is owed of what this needs, then owe this. Raises `Stopped`."""
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
        """Set the event of those who wait now; the next ones get a new one."""
        self._changed.set()
        self._changed = threading.Event()
