"""Fetching ahead of the decoder, within a bound of bytes.

Decoding uses the CPU, fetching waits for the storage or for the share of the rates. Reads wait in separate threads, as
the share would otherwise go unused while the task computes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

T = TypeVar("T")

THREADS: Final = 4
AHEAD_BYTES: Final = 32 * 2**20
AHEAD_FETCHES: Final = 8


class ReadAhead:
    """Runs fetches in a few threads; yields the results in the order of the requests."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="packhouse-read")

    def each(self, fetches: Iterable[tuple[int, Callable[[], T]]], *, most: int = AHEAD_FETCHES) -> Iterator[T]:
        """Yield the result of each (bytes, fetch); at most `most` fetches and `AHEAD_BYTES` are under way or waiting.

        One fetch larger than the bound runs alone. An exception of a fetch is raised in its place.
        """
        waiting: deque[_Fetch[T]] = deque()
        for size, fetch in fetches:
            while waiting and (len(waiting) >= most or sum(one.size for one in waiting) + size > AHEAD_BYTES):
                yield waiting.popleft().future.result()
            waiting.append(_Fetch(size, self._threads.submit(fetch)))
        while waiting:
            yield waiting.popleft().future.result()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel fetches that have not started and wait for the others."""
        self._threads.shutdown(wait=True, cancel_futures=True)


class _Fetch(Generic[T]):
    def __init__(self, size: int, future: "Future[T]") -> None:
        self.size = size
        self.future = future
