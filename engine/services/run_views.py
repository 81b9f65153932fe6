"""Runs as callers see them: hidden where the table's team is, and waiting for a pause while there is one.

That a queued run waits for a pause is not stored (a pause of the fleet would write every queued run): it is read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.domain.access import Caller
from engine.domain.errors import NotFound
from engine.domain.fleet import Pauses
from engine.domain.ids import RunId, TableId
from engine.domain.runs import Run, RunState, WaitingFor
from engine.domain.tables import Table
from engine.services.registered import read_own, read_registered
from engine.stores.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is. Bytes are of inputs; the rate is what its tasks move now, read + written, per second.

    `budget_bytes_per_second` is what they may move together at present, None where nothing is limited.
    """

    groups_total: int
    groups_finished: int
    bytes_total: int
    bytes_finished: int
    bytes_per_second: float | None
    eta_seconds: float | None
    throttled_seconds: float
    budget_bytes_per_second: float | None


async def read_run(unit: UnitOfWork, run_id: RunId, caller: Caller) -> Run:
    """Return a run, as it is stored, of a table that the caller may read.

    Raises:
        NotFound: no such run, or one that does not exist for the caller; both have the same text.
    """
    run = await unit.runs.get(run_id)
    if run is not None and caller.sees(run.owner_team):
        return run
    table = None if run is None else await readable_table(unit, run.table_id, caller)
    if run is None or table is None:
        raise NotFound(f"no run {run_id!r}; list them with GET /v1/runs")
    return run


async def read_own_run(unit: UnitOfWork, run_id: RunId, caller: Caller) -> Run:
    """Return a run, as it is stored, of a table that the caller may change.

    Raises:
        NotFound: as `read_run`.
        Forbidden: the caller may only read the table.
    """
    run = await read_run(unit, run_id, caller)
    if not caller.sees(run.owner_team):
        await read_own(unit, run.table_id, caller)
    return run


async def readable_table(unit: UnitOfWork, table_id: TableId, caller: Caller) -> Table | None:
    """Return a registered table that the caller may read, else None."""
    try:
        return (await read_registered(unit, table_id, caller))[0]
    except NotFound:
        return None


async def shown(unit: UnitOfWork, runs: Iterable[Run]) -> Sequence[Run]:
    """Return runs as callers see them."""
    given = list(runs)
    pauses = await unit.pauses.of_tables({run.table_id for run in given if run.state is RunState.QUEUED})
    return [_shown(run, pauses.get(run.table_id, Pauses())) for run in given]


def _shown(run: Run, pauses: Pauses) -> Run:
    if run.state is not RunState.QUEUED:
        return run
    pause = pauses.present
    if pauses.freeze is not None and run.cancel_requested_at is None:
        detail = f"the table is frozen: {pauses.freeze.reason}"
        return replace(run, waiting_for=WaitingFor.PAUSED, not_before=None, reason="table_frozen", detail=detail)
    if pause is None or run.cancel_requested_at is not None:
        is_over = run.waiting_for is WaitingFor.PAUSED
        return replace(run, waiting_for=None, not_before=None, reason=None, detail=None) if is_over else run
    whose = "the fleet" if pause is pauses.fleet else "the catalog" if pause is pauses.catalog else "the table"
    detail = f"{whose} was paused by {pause.by} at {pause.at:%Y-%m-%d %H:%M:%S} UTC: {pause.reason}"
    return replace(run, waiting_for=WaitingFor.PAUSED, not_before=None, reason="paused", detail=detail)
