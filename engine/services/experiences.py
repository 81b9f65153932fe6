"""What the record knows of a table's earlier runs before the next is planned: runs, dry runs and explain go by it."""

from dataclasses import replace
from typing import Final

from engine.domain.ids import TableId
from engine.domain.runs import RunState
from engine.planning.experience import LAST_RUNS, Experience, experience
from engine.stores.unit_of_work import UnitOfWork

_SUCCEEDED: Final = frozenset({RunState.SUCCEEDED})


async def read_experience(unit: UnitOfWork, table_id: TableId) -> Experience:
    """Return what the last runs of a table teach; before the first of its own, the rate of the last run of any."""
    found = experience(await unit.runs.list(table_id, _SUCCEEDED, limit=LAST_RUNS))
    if found.rate is not None:
        return found
    others = experience(await unit.runs.list(None, _SUCCEEDED, limit=1))
    return replace(found, rate=others.rate)
