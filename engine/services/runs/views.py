"""Runs in the form that callers see: with their table's visibility, and with current pauses and outages.

Whether a queued run waits for a pause or for the end of an outage is computed on reading, not stored with each run: a
pause of the fleet would update every queued run, and the time of the next probe changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import NotFound
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.limits import Pauses
from engine.domain.fleet.outages import SPARK, Outage
from engine.domain.fleet.retention import Kept
from engine.domain.ids import RunId, TableId, first_run_id
from engine.domain.remedies import Remedy, remedy
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.domain.tables.table import Table
from engine.domain.values.instants import format_instant
from engine.services.catalogs.registered import read_own, read_registered
from engine.stores.unit_of_work import UnitOfWork

_OUTAGES: Final = frozenset({WaitingFor.SPARK, WaitingFor.CATALOG, WaitingFor.STORAGE})


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Progress of a run. Bytes are of inputs; the rate is the bytes that its tasks read and write per second now.

    `budget_bytes_per_second` is the present limit for all its tasks together, None without a limit.
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
    """Return a stored run of a table that the caller may read.

    Raises:
        NotFound: no such run, or one that does not exist for the caller; both have the same text.
    """
    run = await unit.runs.get(run_id)
    if run is not None and caller.sees(run.owner_team):
        return run
    table = None if run is None else await readable_table(unit, run.table_id, caller)
    if run is None or table is None:
        raise NotFound(f"no run {run_id!r}{await _if_pruned(unit, run_id)}", remedy=remedy("list_runs"))
    return run


async def _if_pruned(unit: UnitOfWork, run_id: RunId) -> str:
    """Return a hint that an unknown run may have been pruned: its id is older than that of the newest pruned one."""
    until = (await unit.retention.pruned(Kept.RUNS)).until
    if until is None or run_id >= first_run_id(until):
        return ""
    return (
        f". Runs that ended up to {format_instant(until)} were pruned, except the newest of each table "
        "(PACKHOUSE_RUN_RETENTION_SECONDS)"
    )


async def read_own_run(unit: UnitOfWork, run_id: RunId, caller: Caller) -> Run:
    """Return a stored run of a table that the caller may change.

    Raises:
        NotFound: as `read_run`.
        Forbidden: the caller may only read the table.
    """
    run = await read_run(unit, run_id, caller)
    if not caller.sees(run.owner_team):
        await read_own(unit, run.table_id, caller)
    return run


async def readable_table(unit: UnitOfWork, table_id: TableId, caller: Caller) -> Table | None:
    """Return a registered table that the caller may read, otherwise None."""
    try:
        return (await read_registered(unit, table_id, caller))[0]
    except NotFound:
        return None


async def shown(unit: UnitOfWork, runs: Iterable[Run]) -> Sequence[Run]:
    """Return runs with the address of their table and with current pauses and outages."""
    given = await with_addresses(unit, runs)
    queued = [run for run in given if run.state is RunState.QUEUED]
    pauses = await unit.pauses.of_tables({run.table_id for run in queued})
    outages = await unit.outages.of_runs(queued) if queued else {}
    return [_shown(run, pauses.get(run.table_id, Pauses()), outages) for run in given]


async def with_addresses(unit: UnitOfWork, runs: Iterable[Run]) -> Sequence[Run]:
    """Return runs with the addresses of their tables; None where the registration was deleted. One query for all."""
    given = list(runs)
    refs = await unit.tables.refs({run.table_id for run in given})
    return [replace(run, ref=refs.get(run.table_id)) for run in given]


def _shown(run: Run, pauses: Pauses, outages: Mapping[str, Outage]) -> Run:
    if run.state is not RunState.QUEUED:
        return run
    pause = pauses.present
    if pauses.freeze is not None and run.cancel_requested_at is None:
        detail = f"the table is frozen: {pauses.freeze.reason}"
        return replace(run, waiting_for=WaitingFor.PAUSED, not_before=None, reason="table_frozen", detail=detail)
    if pause is None or run.cancel_requested_at is not None:
        is_over = run.waiting_for is WaitingFor.PAUSED
        over = replace(run, waiting_for=None, not_before=None, reason=None, detail=None) if is_over else run
        return over if run.cancel_requested_at is not None else _with_outage(over, outages)
    whose = "the fleet" if pause is pauses.fleet else "the catalog" if pause is pauses.catalog else "the table"
    detail = f"{whose} was paused by {pause.by} at {format_instant(pause.at)}: {pause.reason}"
    return replace(run, waiting_for=WaitingFor.PAUSED, not_before=None, reason="paused", detail=detail)


def _with_outage(run: Run, outages: Mapping[str, Outage]) -> Run:
    """Return a queued run with the present state of the outage that it waits for, if that has not ended."""
    if run.waiting_for is not None and run.waiting_for not in _OUTAGES:
        return run
    of_spark = outages.get(SPARK) if DependencyKind.SPARK in OPERATIONS[run.operation].needs else None
    outage = outages.get(run.waits_on or "") or of_spark
    if outage is not None:
        waiting_for, at = outage.waiting_for, outage.next_probe_at
        return replace(run, waiting_for=waiting_for, not_before=at, reason=waiting_for.value, detail=outage.describe())
    if run.waiting_for is None:
        return run
    retries = run.not_before is not None
    return replace(run, waiting_for=WaitingFor.RETRY if retries else None, reason="retry" if retries else None)


def remedy_of(run: Run) -> Remedy | None:
    """Return the operation that ends a run's wait, or the cause of its end; None if there is none.

    It follows from the state, so that runs of earlier versions have one as well.
    """
    match run.waiting_for or run.reason:
        case WaitingFor.GRACE:
            return remedy("undo_deletion", run_id=run.id)
        case WaitingFor.ACKNOWLEDGEMENT:
            return remedy("get_deletion", run_id=run.id)
        case WaitingFor.CATALOG_FAILS:
            return remedy("resume_catalog", name=run.catalog)
        case WaitingFor.NO_ENDPOINT | WaitingFor.SPARK_UNSUITABLE:
            return remedy("list_spark_endpoints")
        case "table_replaced":
            return remedy("delete_table", table_id=run.table_id)
        case _:
            return None
