"""Admission of calls: a limit for each table, each catalog and the process, including abandoned calls.

A thread that waits for a socket can't be ended from outside. It counts until its call returns, so a store that never
answers uses up the threads of its own table and no others. At a limit callers queue for a limited time; once every
thread under the limit is abandoned, they are refused at once.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.domain.errors import Away
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.tables.table import TableRef

BUSY_RETRY_SECONDS: Final = 10

_Key: TypeAlias = "Compartment | str | None"
"""Key under which threads are counted: a compartment, a catalog by name, or None for the whole process."""


@dataclass(frozen=True, slots=True)
class ThreadLimits:
    """Thread limits and time limits of one process.

    Args:
        per_table: threads of one table; also of calls that concern a catalog and no single table.
        per_catalog: threads of one catalog, all of its tables included.
        total: threads of all catalogs.
        in_line: callers of one table that may wait for a thread.
        read_seconds: deadline of one read.
        line_seconds: longest wait of a read for a thread.
        work_seconds: deadline of one step of a run (planning, a commit, a proof).
        compute_seconds: CPU seconds after which a read is ended. Planning two million files takes 19, a search for
            orphans among a million files 12.
    """

    per_table: int = 4
    per_catalog: int = 16
    total: int = 128
    in_line: int = 64
    read_seconds: float = 60.0
    line_seconds: float = 10.0
    work_seconds: float = 900.0
    compute_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Compartment:
    """A table, or the calls to a catalog that concern no single table (`table` is None)."""

    catalog: str
    table: TableRef | None = None

    @classmethod
    def of(cls, where: TableRef | str) -> "Compartment":
        """Return the compartment of a table, or of a catalog by its name."""
        return cls(where) if isinstance(where, str) else cls(where.catalog, where)

    @property
    def dependency(self) -> DependencyKind:
        """The dependency to report when calls get no answer: for a table its storage, which only its runs wait for."""
        return DependencyKind.CATALOG if self.table is None else DependencyKind.STORAGE

    def __str__(self) -> str:
        """Return its name in messages."""
        return f"catalog {self.catalog!r}" if self.table is None else f"table {self.table}"


@dataclass(eq=False, slots=True)
class HeldThread:
    """A thread that is held by a compartment, and since when by the event loop's clock."""

    where: Compartment
    since: float
    is_given_up: bool = False


@dataclass(frozen=True, slots=True)
class _Bound:
    """One limit that applies to a compartment: the key under which threads are counted, their number, its name."""

    key: _Key
    most: int
    name: str


@dataclass(eq=False, slots=True)
class _Waiting:
    where: Compartment
    admitted: "asyncio.Future[HeldThread]"


class Compartments:
    """The threads that are held now, and the callers in line. Used from one event loop."""

    def __init__(self, limits: ThreadLimits) -> None:
        self._limits = limits
        self._held: set[HeldThread] = set()
        self._counts: Counter[_Key] = Counter()
        self._given_up: Counter[_Key] = Counter()
        self._line: list[_Waiting] = []

    async def enter(self, where: Compartment, *, seconds: float) -> HeldThread:
        """Take a thread, waiting at most `seconds` for one; `leave` gives it back.

        Raises:
            Away: every thread is abandoned, too many callers wait, or none was free in time.
        """
        for bound in self._bounds(where):
            if self._given_up[bound.key] >= bound.most:
                raise self._busy(where, bound)
        if self._full_bound(where) is None:
            return self._hold(where)
        if sum(each.where == where for each in self._line) >= self._limits.in_line:
            raise self._refusal(where)
        return await self._wait(_Waiting(where, asyncio.get_running_loop().create_future()), seconds)

    def leave(self, held: HeldThread) -> None:
        """Give a thread back: its call returned."""
        self._held.discard(held)
        for bound in self._bounds(held.where):
            _subtract(self._counts, bound.key, 1)
            _subtract(self._given_up, bound.key, int(held.is_given_up))
        self._admit()

    def give_up(self, held: HeldThread) -> None:
        """Mark a call as abandoned; its thread stays held."""
        if held.is_given_up or held not in self._held:
            return
        held.is_given_up = True
        for bound in self._bounds(held.where):
            self._given_up[bound.key] += 1
        for waiting in list(self._line):
            stuck = [each for each in self._bounds(waiting.where) if self._given_up[each.key] >= each.most]
            if stuck and not waiting.admitted.done():
                waiting.admitted.set_exception(self._busy(waiting.where, stuck[0]))

    async def _wait(self, waiting: _Waiting, seconds: float) -> HeldThread:
        self._line.append(waiting)
        try:
            async with asyncio.timeout(seconds):
                return await waiting.admitted
        except BaseException as error:
            if waiting.admitted.done() and not waiting.admitted.cancelled() and waiting.admitted.exception() is None:
                self.leave(waiting.admitted.result())  # admitted while it was cancelled
            if isinstance(error, TimeoutError):
                raise self._refusal(waiting.where) from None
            raise
        finally:
            self._line.remove(waiting)

    def _admit(self) -> None:
        """Admit waiting callers to free threads, first come first served within each limit."""
        for waiting in self._line:
            if not waiting.admitted.done() and self._full_bound(waiting.where) is None:
                waiting.admitted.set_result(self._hold(waiting.where))

    def _hold(self, where: Compartment) -> HeldThread:
        held = HeldThread(where, asyncio.get_running_loop().time())
        self._held.add(held)
        for bound in self._bounds(where):
            self._counts[bound.key] += 1
        return held

    def _bounds(self, where: Compartment) -> Iterator[_Bound]:
        yield _Bound(where, self._limits.per_table, str(where))
        yield _Bound(where.catalog, self._limits.per_catalog, f"catalog {where.catalog!r} with its tables")
        yield _Bound(None, self._limits.total, "this process")

    def _full_bound(self, where: Compartment) -> _Bound | None:
        return next((each for each in self._bounds(where) if self._counts[each.key] >= each.most), None)

    def _refusal(self, where: Compartment) -> Away:
        """Return the error for a caller that got no thread in time, or could not join the queue."""
        return self._busy(where, self._full_bound(where) or next(self._bounds(where)))

    def _busy(self, where: Compartment, bound: _Bound) -> Away:
        holders = [held for held in self._held if bound.key in {None, held.where, held.where.catalog}]
        seconds = asyncio.get_running_loop().time() - min((held.since for held in holders), default=0.0)
        return Away(
            where.dependency,
            f"busy: {bound.name} has {len(holders)} calls that have not answered for up to {seconds:.0f} s, "
            f"of {bound.most} that it may have at once; try again in {BUSY_RETRY_SECONDS} s",
            retry_after_seconds=BUSY_RETRY_SECONDS,
        )


def _subtract(counts: "Counter[_Key]", key: _Key, number: int) -> None:
    counts[key] -= number
    if not counts[key]:
        del counts[key]
