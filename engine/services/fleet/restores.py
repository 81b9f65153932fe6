"""After a restore of the database from a backup: nothing goes on until the record was compared with the tables.

The record is older than the tables, Redis and what clients saw. Every live run reads its table first, under numbers
that were not used before (`stores.runs.restores`), and the fleet is paused until a person resumes it: policies,
cancels, undone deletions and revoked keys since the backup are unknown.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import StateConflict
from engine.domain.fleet.processes import LIVE_SECONDS
from engine.domain.values.instants import format_instant
from engine.stores.database import Database

RESTORED: Final = "database.restore"
"""The action of the audit entry."""


@dataclass(frozen=True, slots=True)
class Restore:
    """A restored record: the time of its newest change (None: it has no run), and the number of its live runs."""

    record_until: datetime | None
    live_runs: int


class RestoreService:
    """Prepares a restored record for its first start."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def prepare(self) -> Restore:
        """Release every live run for a look at its table, pause the fleet, and record both in the audit log.

        Raises:
            StateConflict: a process is at work on the database.
        """
        async with self._database.begin() as unit:
            live = {kind.value: count for kind, count in (await unit.processes.count_live()).items() if count}
            if live:
                found = " and ".join(f"{count} {kind}" for kind, count in live.items())
                raise StateConflict(
                    f"{found} reported to this database in the last {LIVE_SECONDS:.0f} s: stop every process first, "
                    "then run this again"
                )
            until = await unit.runs.last_change()
            end = "without a run" if until is None else f"until {format_instant(until)}"
            released = await unit.runs.release_restored(by=SYSTEM.subject)
            reason = f"the database was restored from a backup, whose record is {end}"
            await unit.pauses.switch_fleet(by=SYSTEM.subject, reason=reason, stops=True)
            after = {"record": end, "live_runs": len(released)}
            await unit.audit.append(SYSTEM, RESTORED, "database", after=after)
        return Restore(until, len(released))
