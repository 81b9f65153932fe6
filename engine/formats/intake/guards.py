"""A decorator for methods of a table that read its metadata: errors name the table and what was read."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

Reading = Callable[[str], AbstractContextManager[None]]
"""Runs a block that reads a table's metadata, see `GuardedTable.reading`."""


class GuardedTable(Protocol):
    """A table, or a part of one, that turns the errors of reading its metadata into errors of the domain."""

    def reading(self, doing: str) -> AbstractContextManager[None]:
        """Run a block that reads metadata; `doing` and the table's address complete "Could not …"."""


P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=GuardedTable)


def reads(doing: str) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Decorate a method to run within the table's `reading`."""

    def decorate(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(method)
        def guarded(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            with self.reading(doing):
                return method(self, *args, **kwargs)

        return guarded

    return decorate
