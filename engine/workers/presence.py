"""Report at an interval that this process is alive, so that readiness and metrics can count processes."""

from contextlib import suppress

from engine.domain.errors import PackhouseError
from engine.domain.fleet.processes import ProcessKind
from engine.stores.database import Database


class ProcessEntry:
    """The entry of one process in the record. Call `report` every `REPORT_SECONDS`, and `end` when it takes no work."""

    def __init__(self, *, database: Database, kind: ProcessKind, holder: str) -> None:
        self._database = database
        self._kind = kind
        self._holder = holder

    async def report(self) -> int:
        """Record that the process is alive; return 1, the number of rows.

        Raises:
            Away: the database does not answer.
        """
        async with self._database.begin() as unit:
            await unit.processes.report(self._kind, self._holder)
        return 1

    async def end(self) -> None:
        """Record that the process ended; without the database its last report expires."""
        with suppress(PackhouseError):
            async with self._database.begin() as unit:
                await unit.processes.forget(self._kind, self._holder)
