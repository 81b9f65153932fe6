"""Statistics of earlier runs, on which predictions of runs, dry runs and explain are based."""

from typing import Final

from engine.domain.ids import TableId
from engine.domain.runs.run import Operation, RunState
from engine.planning.predictions.run_statistics import LAST_RUNS, RunStatistics, calibration_of, errors_of
from engine.stores.unit_of_work import UnitOfWork

_SUCCEEDED: Final = frozenset({RunState.SUCCEEDED})


async def read_statistics(
    unit: UnitOfWork, table_id: TableId, *, catalog: str, machine: str | None = None
) -> RunStatistics:
    """Return measurements of earlier runs, for predictions about a table of a catalog.

    `machine`: where its tasks will run; None: the machine of the newest attempt.
    """
    ended = await unit.runs.list(table_id, _SUCCEEDED, limit=2 * LAST_RUNS)
    rewrites = (run for run in ended if run.operation is Operation.REWRITE)
    # the number of files is not predicted where rows move to the partitions of another spec
    last = [run for run in rewrites if not run.plan.get("moved_files")][:LAST_RUNS]
    fleet = await unit.fleet.get()
    return RunStatistics(
        fleet=await unit.run_times.list(),
        table=await unit.run_times.list(table_id),
        machine=machine,
        limit=fleet.limits.whole(catalog),
        calibration=calibration_of(last),
        errors=errors_of(last),
    )
