"""Foresee what a policy would delete of a table now, with the planners that runs use. Nothing is changed."""

import asyncio
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Final

import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotFound, PackhouseError
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.expiry import ExpiryPlan
from engine.domain.runs.operations import OPERATIONS, DeletionKind
from engine.domain.runs.removals import FileCount
from engine.domain.runs.run import Operation
from engine.domain.tables.table import Catalog, Table
from engine.formats.base import OpenTable
from engine.services.catalogs.neighbours import check_alone
from engine.services.catalogs.registered import open_registered, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.planning.upkeep.operations import UPKEEP, deletes_files, expiry_plan
from engine.services.planning.upkeep.readers import with_readers
from engine.services.policies.acknowledgements import NOTHING, Forecast
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_log = structlog.get_logger(__name__)

PATIENCE_SECONDS: Final = 10.0
"""Time limit for one table; after it the amounts are not known."""
_OPERATIONS: Final = {each.setting: each.operation for each in OPERATIONS.values() if each.operation in UPKEEP}


class UpkeepForecasts:
    """Foresees deletions of registered tables; see `policies.acknowledgements.DeletionForecasts`."""

    def __init__(self, *, database: Database, formats: TableAccess) -> None:
        self._database = database
        self._formats = formats

    async def foresee(self, table: TableId | Table, policy: EffectivePolicy, settings: Sequence[str]) -> Forecast:
        """Return what the operations of these settings would delete of a table now, registered or not.

        Nothing is known if the table can't be read in time. Files without a reference and replaced copies are found by
        a run only, so their amount is not known. History that several operations remove is counted for each.
        """
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                found = [await self._of(table, policy, _OPERATIONS[each]) for each in settings]
        except (PackhouseError, TimeoutError) as error:
            _log.info("deletion_not_foreseen", table=str(table), error=str(error))
            return Forecast()
        return reduce(add, found)

    async def _of(self, given: TableId | Table, policy: EffectivePolicy, operation: Operation) -> Forecast:
        async with self._database.read() as unit:
            table, catalog = await _with_catalog(unit, given)
            now, needed = await unit.now(), await with_readers(unit, table.id)
        opened = await open_registered(self._formats, catalog, table)
        if not UPKEEP[operation].is_possible(opened):
            return NOTHING  # its format does not have the operation
        if OPERATIONS[operation].deletes is not DeletionKind.HISTORY or opened.copy_removal is not None:
            return Forecast()
        plan = await self._formats.read(table.ref, expiry_plan, opened, policy, operation, now, needed)
        until = max(plan.expired.values(), default=None)
        if not deletes_files(policy, operation):
            return Forecast(len(plan.expired), 0, 0, until, complete=True)
        async with self._database.read() as unit:
            await check_alone(unit, table, catalog, present=opened.location)
        files = await self._formats.read_for_run(table.ref, _files_of, opened, plan)
        if files is None:
            return Forecast(len(plan.expired), None, plan.superseded_bytes, until)
        return Forecast(len(plan.expired), files.files, files.bytes, until, complete=True)


async def _with_catalog(unit: UnitOfWork, given: TableId | Table) -> tuple[Table, Catalog]:
    if not isinstance(given, Table):
        return await read_registered(unit, given, SYSTEM)
    if (catalog := await unit.catalogs.get(given.ref.catalog)) is None:
        raise NotFound(f"no catalog {given.ref.catalog!r}")
    return given, catalog


def _files_of(table: OpenTable, plan: ExpiryPlan) -> FileCount | None:
    """Return the files that only the expired snapshots need; None if the format can't tell."""
    if table.expired_removal is None:
        return None
    return table.expired_removal.preview(tuple(plan.expired), (), tuple(plan.tags)).total
