"""Reads that were given up: at the deadline their caller goes on, and the read ends at its next page.

Every loop whose length a catalog or a store decides calls `stop_if_abandoned` once for each request or page. Otherwise
an endless answer would fill the memory of the process although its caller waits no longer.
"""

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Final, TypeVar

T = TypeVar("T")

IS_ABANDONED: Final[ContextVar[Callable[[], bool] | None]] = ContextVar("IS_ABANDONED", default=None)
"""Returns whether the present call is a read that was given up; None: it has no deadline."""


class CallAbandoned(BaseException):
    """Ends a call that was given up. No `Exception`, so that code which handles errors does not handle it."""


def stop_if_abandoned() -> None:
    """Raise `CallAbandoned` if the present call was given up."""
    is_abandoned = IS_ABANDONED.get()
    if is_abandoned is not None and is_abandoned():
        raise CallAbandoned


def while_awaited(items: Iterable[T]) -> Iterator[T]:
    """Yield items, such as the pages of a listing, until the present call is given up. Raises `CallAbandoned`."""
    for item in items:
        stop_if_abandoned()
        yield item
