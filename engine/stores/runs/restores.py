"""Live runs of a record that was restored from a backup: released by their holders, with numbers never used before."""

import builtins
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, func, select, update

from engine.domain.runs.leases import RESTORE_STEP
from engine.domain.runs.run import LIVE_STATES, Run, RunState
from engine.stores.runs.changes import Entry, RunChanges
from engine.stores.schema.core import runs
from engine.stores.sql.dialects import now

_RESTORED: Final = "restored"


class RunRestores(RunChanges):
    """Changes of live runs after a restore."""

    async def release_restored(self, *, by: str) -> builtins.list[Run]:
        """Return every live run to the queue, with the next multiple of `RESTORE_STEP` as attempt and as last event.

        A run that was never claimed counts as started: it may have been after the backup.
        """
        is_live = runs.c.state.in_(sorted(LIVE_STATES))
        skipped = {"attempt": _beyond(runs.c.attempt), "last_event": _beyond(runs.c.last_event)}
        await self._connection.execute(
            update(runs).where(is_live).values(**skipped, started_at=func.coalesce(runs.c.started_at, now()))
        )
        values = {"state": RunState.QUEUED, "lease_holder": None, "lease_expires_at": None}
        return await self._change_all([is_live], values, Entry(_RESTORED, by, _RESTORED))

    async def last_change(self) -> datetime | None:
        """Return the time of the newest change of any run, None without runs."""
        newest: datetime | None = (await self._connection.execute(select(func.max(runs.c.updated_at)))).scalar_one()
        return newest


def _beyond(number: ColumnElement[int]) -> ColumnElement[int]:
    return (number // RESTORE_STEP + 1) * RESTORE_STEP
