"""Records as tests of the stores need them."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from engine.domain.ids import RunId, TableId
from engine.domain.runs.files import DeleteRef, InputFile
from engine.domain.runs.leases import Lease
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import Catalog, FormatName, Table, TableRef
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

NOON = datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=UTC)
LAKE = Catalog("lake", FormatName.ICEBERG, {"type": "sql", "uri": "env:LAKE_URI"}, 1, NOON, NOON)

_numbers = count(1)


def a_table(name: str = "orders", *, catalog: str = "lake") -> Table:
    """Return a table; later ones have larger ids."""
    ref = TableRef(catalog, ("shop", "eu"), name)
    return Table(
        TableId(f"tbl_{next(_numbers):08}"), ref, f"uuid-{name}", f"file:///lake/{name}", "shop", NOON, {"a": "b"}
    )


def a_run(table_id: TableId, **changes: Any) -> Run:
    """Return a queued run; later ones have larger ids."""
    run_id = RunId(f"run_{next(_numbers):08}")
    run = Run(run_id, table_id, Operation.REWRITE, RunState.QUEUED, "key:admin", NOON, NOON, "lake", "shop")
    return replace(run, **changes)


def a_group(ordinal: int = 0, *, file_bytes: int = 100, partition: str = '{"day":"2026-11-01"}') -> FileGroup:
    """Return a group of two inputs, the first with a delete file."""
    deletes = (DeleteRef(f"d{ordinal}.parquet", 7),)
    inputs = (
        InputFile(f"a{ordinal}.parquet", file_bytes, 10, 3, deletes),
        InputFile(f"b{ordinal}.parquet", file_bytes, 20, 2**40),
    )
    return FileGroup(ordinal, 1, partition, inputs, 1)


def a_result(ordinal: int) -> dict[str, Any]:
    """Return what a task reports of a written group."""
    output = {"path": f"out{ordinal}.parquet", "file_bytes": 150, "record_count": 29, "footer": "UEFSMQ=="}
    return {
        "group": ordinal,
        "outcome": "written",
        "reason": None,
        "outputs": (output,),
        "rows_deleted": 1,
        "rows_written": 29,
        "throttled_seconds": 0.5,
    }


async def registered(database: Database, name: str = "orders", *, catalog: str = "lake") -> Table:
    """Register a table of a catalog, which is made with its first."""
    table = a_table(name, catalog=catalog)
    async with database.begin() as work:
        if await work.catalogs.get(catalog) is None:
            await work.catalogs.insert(replace(LAKE, name=catalog))
        await work.tables.insert(table)
    return table


async def submitted(
    database: Database, table_id: TableId | None = None, *, catalog: str = "lake", **changes: Any
) -> Run:
    """Store a queued run, of a new table in a catalog unless one is given."""
    if table_id is None:
        table_id = (await registered(database, f"t{next(_numbers)}", catalog=catalog)).id
    run = a_run(table_id, **changes)
    async with database.begin() as work:
        await insert_run(work, run)
    return run


async def insert_run(work: UnitOfWork, run: Run) -> Run | None:
    """Store a run as a submit does; None when one of an equal request is live."""
    tables = {table_id: table for table_id, (table, _) in (await work.tables.lock_many([run.table_id])).items()}
    return (await work.runs.insert_many([run], tables))[0]


async def claimed(database: Database, run_id: RunId | None = None, *, ttl_seconds: float = 60) -> Lease:
    """Claim a run, a new one unless its id is given; a negative time makes a lease that has expired."""
    run_id = run_id or (await submitted(database)).id
    async with database.begin() as work:
        claim = await work.runs.claim(run_id, "worker-1", ttl_seconds)
    return claim[1]


async def finished(database: Database, table_id: TableId, to: RunState = RunState.FAILED) -> Run:
    """Store a run that has ended."""
    lease = await claimed(database, (await submitted(database, table_id)).id)
    async with database.begin() as work:
        return await work.runs.transition(lease, to=to, reason="done")
