"""Calls that wait for a store, several at once and their results in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from itertools import islice
from typing import Any, Final, TypeVar

from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

T = TypeVar("T")
R = TypeVar("R")

HELP: Final[ContextVar[Callable[[Callable[..., Any]], Callable[..., Any]] | None]] = ContextVar("HELP", default=None)
"""Wraps work that a limited call hands to other threads, so that its limits hold there too; None: there are none."""


def helped(work: Callable[[T], R]) -> Callable[[T], R]:
    """Return work for another thread under the limits of the present call. Use it for every such work on content."""
    wrap = HELP.get()
    return work if wrap is None else wrap(work)


def overlapped(work: Callable[[T], R], items: Iterable[T], *, at_once: int) -> Iterator[R]:
    """Yield the result of each item in order, while the work on the next ones goes on in threads.

    At most `at_once` items are taken from `items`, in the caller's thread, before their results are. The first error is
    raised in its place; work that did not begin by then never does.
    """
    work = helped(work)
    with ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="manifests") as pool:
        rest = iter(items)
        try:
            ahead: deque[Future[R]] = deque(pool.submit(work, item) for item in islice(rest, at_once))
            while ahead:
                stop_if_abandoned()
                result = ahead.popleft().result()
                ahead.extend(pool.submit(work, item) for item in islice(rest, 1))
                yield result
        finally:
            pool.shutdown(cancel_futures=True)
