"""Tasks of several workers that are held back until a test lets them end, and counted while they are at work."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence

from sqlalchemy import func, select

from engine.domain.errors import Interrupted
from engine.domain.ids import RunId
from engine.spark.dispatch import Ticket
from engine.stores.database import Database
from engine.stores.schema.watching import task_slots
from tests.support.local_dispatch import LocalDispatcher


class Crowd(LocalDispatcher):
    """Holds each task back until the test lets one of its run end; counts those at work, of all workers."""

    def __init__(self) -> None:
        super().__init__()
        self.most = 0
        self.is_open = False
        self._at_work, self._may_end = Counter[str](), Counter[str]()
        self._changed = threading.Condition()

    @property
    def at_work(self) -> dict[str, int]:
        """Numbers of tasks at work, by run."""
        with self._changed:
            return dict(+self._at_work)

    def end(self, run_id: RunId, count: int = 1) -> None:
        """Let so many tasks of a run end."""
        with self._changed:
            self._may_end[run_id] += count
            self._changed.notify_all()

    def open(self) -> None:
        """Let all tasks end from now on."""
        with self._changed:
            self.is_open = True
            self._changed.notify_all()

    def run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        run_id = ticket.tag.removeprefix("packhouse-").rpartition("-")[0]
        with self._changed:
            self._at_work[run_id] += 1
            self.most = max(self.most, self._at_work.total())
            if not self._changed.wait_for(lambda: self.is_open or self._may_end[run_id], timeout=60):
                raise Interrupted("the test let no task of the run end")
            self._may_end[run_id] -= 1
        try:
            return super().run(ticket, function, payloads)
        finally:
            with self._changed:
                self._at_work[run_id] -= 1


async def waiting_for_slots(database: Database) -> int:
    """Return how many runs wait for a slot under the fleet's limit of tasks."""
    async with database.read() as unit:
        query = select(func.count()).where(task_slots.c.waits_since.is_not(None))
        return int((await unit.connection.execute(query)).scalar_one())


async def slots_in_use(database: Database) -> int:
    """Return the slots that runs hold by the record, which learns of a task's end a moment after it."""
    async with database.read() as unit:
        return await unit.task_slots.in_use()
