"""Fetching ahead of the decoder, within a bound of bytes.

Decoding uses the CPU, fetching waits for the storage or for the share of the rates. Reads wait in separate threads, as
the share would otherwise go unused while the task computes.

How many fetches of a remote store are under way follows Little's law: latency times the rate at which the decoder takes
them. Both are unknown and change, so the number doubles whenever the decoder has to wait for the next fetch, and halves
when the store says that it is busy.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

T = TypeVar("T")

AHEAD_BYTES: Final = 32 * 2**20
"""Bytes of a local task that are fetched and not decoded."""

REMOTE_AHEAD_BYTES: Final = 64 * 2**20
"""The same where a fetch takes time: at 30 ms and 1 Gbit/s 4 MB are on their way at any time, and files differ."""

LOCAL_FETCHES: Final = 4
LEAST_FETCHES: Final = 8
MOST_FETCHES: Final = 128


class Window:
    """The number of fetches that may be under way or waiting for the decoder."""

    def __init__(self, *, is_remote: bool, times_busy: Callable[[], int] = lambda: 0) -> None:
        """Start with the least number; `times_busy` tells how often the store has asked for fewer requests."""
        self.bytes = REMOTE_AHEAD_BYTES if is_remote else AHEAD_BYTES
        self.threads = MOST_FETCHES if is_remote else LOCAL_FETCHES
        self.fetches = LEAST_FETCHES
        self.is_remote = is_remote
        self._times_busy = times_busy
        self._seen_busy = 0

    def waited(self) -> None:
        """Allow twice as many: the decoder had to wait for a fetch."""
        if self.is_remote and not self._is_busy():
            self.fetches = min(MOST_FETCHES, 2 * self.fetches)

    def _is_busy(self) -> bool:
        """Return whether the store was busy since the last look; then allow half as many."""
        seen, self._seen_busy = self._seen_busy, self._times_busy()
        if self._seen_busy == seen:
            return False
        self.fetches = max(1, self.fetches // 2)
        return True


class ReadAhead:
    """Runs fetches in threads; yields the results in the order of the requests."""

    def __init__(self, window: Window | None = None) -> None:
        """Start no thread yet; without a window for local files."""
        self.window = window or Window(is_remote=False)
        self._threads = ThreadPoolExecutor(self.window.threads, thread_name_prefix="packhouse-read")

    def each(self, fetches: Iterable[tuple[int, Callable[[], T]]], *, most: int = MOST_FETCHES) -> Iterator[T]:
        """Yield the result of each (bytes, fetch); at most `most` fetches are under way or waiting, within the window.

        One fetch larger than the window's bytes runs alone. An exception of a fetch is raised in its place.
        """
        waiting: deque[_Fetch[T]] = deque()
        held = 0
        for size, fetch in fetches:
            while waiting and (len(waiting) >= min(most, self.window.fetches) or held + size > self.window.bytes):
                held -= waiting[0].size
                yield self._taken(waiting.popleft(), is_full=len(waiting) + 1 >= self.window.fetches)
            waiting.append(_Fetch(size, self._threads.submit(fetch)))
            held += size
        while waiting:
            yield self._taken(waiting.popleft(), is_full=False)

    def _taken(self, fetch: "_Fetch[T]", *, is_full: bool) -> T:
        if is_full and not fetch.future.done():
            self.window.waited()
        return fetch.future.result()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel fetches that have not started; wait for the others, but not for a store when the task ends early."""
        self._threads.shutdown(wait=kind is None or not self.window.is_remote, cancel_futures=True)


class _Fetch(Generic[T]):
    def __init__(self, size: int, future: "Future[T]") -> None:
        self.size = size
        self.future = future
