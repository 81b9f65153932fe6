"""What the record knows of earlier runs before one is planned: runs, dry runs and explain predict by it."""

from typing import Final

from engine.domain.ids import TableId
from engine.domain.runs.run import RunState
from engine.planning.predictions.run_statistics import LAST_RUNS, RunStatistics, calibration_of, errors_of
from engine.stores.unit_of_work import UnitOfWork

_SUCCEEDED: Final = frozenset({RunState.SUCCEEDED})


async def read_statistics(
    unit: UnitOfWork, table_id: TableId, *, catalog: str, machine: str | None = None
) -> RunStatistics:
    """Return what earlier runs measured, for predictions about a table of a catalog.

    `machine`: where its tasks will run; None: where those of the newest attempt ran.
    """
    last = await unit.runs.list(table_id, _SUCCEEDED, limit=LAST_RUNS)
    fleet = await unit.fleet.get()
    return RunStatistics(
        fleet=await unit.run_times.list(),
        table=await unit.run_times.list(table_id),
        machine=machine,
        limit=fleet.limits.whole(catalog),
        calibration=calibration_of(last),
        errors=errors_of(last),
    )
