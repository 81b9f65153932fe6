"""Fetching ahead of the decoder, within a bound of bytes.

Decoding uses the CPU, fetching waits for the storage or for the share of the rates. Reads wait in separate threads, as
the share would otherwise go unused while the task computes.

How many fetches of a remote store are under way follows Little's law: latency times the rate at which the decoder takes
them. Both are unknown and change, so the number doubles while the decoder has to wait for the next fetch. When a store
says that it is busy, the number halves, and grows by one fetch at a time from then on.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

T = TypeVar("T")

AHEAD_BYTES: Final = 32 * 2**20
"""Bytes of a local task that are fetched and not decoded."""

REMOTE_AHEAD_BYTES: Final = 64 * 2**20
"""The same where a fetch takes time: at 30 ms and 1 Gbit/s 4 MB are on their way at any time, and files differ."""

LOCAL_FETCHES: Final = 4
FIRST_FETCHES: Final = 8
LEAST_FETCHES: Final = 2
MOST_FETCHES: Final = 128

_LOOK_SECONDS: Final = 0.2
"""Time between two looks whether the task has to stop, while it waits for a fetch."""


class Window:
    """The number of fetches that may be under way or waiting for the decoder."""

    def __init__(
        self,
        *,
        is_remote: bool,
        times_busy: Callable[[], int] = lambda: 0,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Start with few fetches.

        `times_busy` tells how often the store asked for fewer requests; `check` raises when the task has to stop.
        """
        self.is_remote = is_remote
        self.bytes = REMOTE_AHEAD_BYTES if is_remote else AHEAD_BYTES
        self.threads = MOST_FETCHES if is_remote else LOCAL_FETCHES
        self.fetches = FIRST_FETCHES
        self.check = check
        self._times_busy = times_busy
        self._seen_busy = 0
        self._taken = 0

    def took(self, *, waited: bool) -> None:
        """Adjust the number after the decoder took a fetch; `waited`: it was not there yet, with all under way."""
        self._taken += 1
        if not self.is_remote:
            return
        if self._times_busy() > self._seen_busy:
            if self._taken >= self.fetches or self._seen_busy == 0:  # once for all that were under way
                self.fetches = max(LEAST_FETCHES, self.fetches // 2)
                self._seen_busy, self._taken = self._times_busy(), 0
        elif waited:
            more = self.fetches if self._seen_busy == 0 else 1
            self.fetches = min(MOST_FETCHES, self.fetches + more)


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
        self.window.took(waited=is_full and not fetch.future.done())
        while not wait([fetch.future], timeout=_LOOK_SECONDS).done:
            self.window.check()  # a store may never answer
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
