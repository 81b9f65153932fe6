"""Update when live runs become urgent, for the tables in the scope of a policy.

This is not a change of state and creates no event: the order of queued runs follows the current policies.
"""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import RowMapping, bindparam, select, update

from engine.domain.ids import RunId
from engine.domain.policies import PolicyScope, TableTraits
from engine.domain.runs.run import Run
from engine.domain.tables.table import TableRef
from engine.stores.policies.coverage import TRAITS, narrowed
from engine.stores.runs.changes import RunChanges, to_run
from engine.stores.schema.core import runs, tables

PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run that has not ended, with the traits of its table that policy scopes are compared with."""

    run: Run
    table: TableTraits


class RunUrgency(RunChanges):
    """Reads live runs and writes `runs.urgent_at`."""

    async def live_covered(self, scope: PolicyScope) -> AsyncGenerator[list[LiveRun]]:
        """Yield the live runs on tables of a scope, in pages by id; for a pattern possibly also other tables' runs."""
        after = RunId("")
        traits = [column.label(f"of_table_{column.name}") for column in TRAITS]
        query = select(runs, *traits).join(tables, tables.c.id == runs.c.table_id)
        query = query.where(runs.c.finished_at.is_(None), narrowed(scope)).order_by(runs.c.id).limit(PAGE)
        while True:
            rows = (await self._connection.execute(query.where(runs.c.id > after))).mappings().all()
            if rows:
                yield [LiveRun(to_run(row), _traits(row)) for row in rows]
            if len(rows) < PAGE:
                return
            after = rows[-1]["id"]

    async def set_urgent(self, instants: Mapping[RunId, datetime | None]) -> None:
        """Store the instants from which runs are urgent; None: never."""
        statement = update(runs).where(runs.c.id == bindparam("run"), runs.c.finished_at.is_(None))
        values = [{"run": run_id, "at": at} for run_id, at in sorted(instants.items())]
        if values:
            await self._connection.execute(
                statement.values(urgent_at=bindparam("at", type_=runs.c.urgent_at.type)), values
            )


def _traits(row: RowMapping) -> TableTraits:
    found = {column.name: row[f"of_table_{column.name}"] for column in TRAITS}
    ref = TableRef(found["catalog"], found["namespace"], found["name"])
    return TableTraits(found["id"], ref, found["owner_team"], found["labels"])
