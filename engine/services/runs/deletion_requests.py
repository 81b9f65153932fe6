"""Requests for runs that delete: their preview, its acknowledgement, and the announcement that the run is stored with.

A run that a person submits is stored only with an acknowledgement of what it deletes. A purge has none: the hash of its
dry run and the typed address acknowledge it. Automatic runs were acknowledged with the policy that makes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from engine.domain.access.callers import COORDINATOR, Caller
from engine.domain.errors import NotEligible
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.deletions import Announcement
from engine.domain.runs.run import Operation
from engine.domain.tables.table import Catalog, Table
from engine.formats.base import OpenTable
from engine.services.catalogs.registered import open_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.planning.upkeep.operations import plan_upkeep
from engine.services.planning.upkeep.readers import with_readers
from engine.services.policies.acknowledgements import Acknowledgements, Deleting, DeletionPreview
from engine.services.policies.due import TableAddress
from engine.services.policies.effective import PolicyReader
from engine.services.policies.effects import DeletingTable
from engine.services.runs.announcements import announce, requested_grace, rule_of
from engine.stores.database import Database


@dataclass(frozen=True, slots=True)
class _Opened:
    """A table of which a run is to delete something, opened, with its effective policy."""

    table: Table
    opened: OpenTable
    policy: EffectivePolicy


class DeletionRequests:
    """Previews and announces runs that delete."""

    def __init__(self, *, database: Database, formats: TableAccess, acknowledgements: Acknowledgements) -> None:
        self._database = database
        self._formats = formats
        self._acknowledgements = acknowledgements

    async def preview(
        self, caller: Caller, table: Table, catalog: Catalog, operation: Operation, *, grace: timedelta | None
    ) -> DeletionPreview | None:
        """Return what a run would delete, with the token to submit it with; None if it needs no acknowledgement.

        Raises:
            InvalidInput: as `announcements.announce`.
        """
        at = await self._open(table, catalog)
        return await self._acknowledgements.preview(caller, _deleting(caller, at, operation, grace))

    async def announce(
        self,
        caller: Caller,
        table: Table,
        catalog: Catalog,
        operation: Operation,
        *,
        grace: timedelta | None,
        acknowledge: str | None,
    ) -> tuple[Announcement, Mapping[str, Any] | None]:
        """Return the announcement of a run, and what its caller acknowledges; None if it needs no acknowledgement.

        Raises:
            InvalidInput: as `announcements.announce`.
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
        """
        at = await self._open(table, catalog)
        deletions = await self._acknowledgements.require(caller, _deleting(caller, at, operation, grace), acknowledge)
        async with self._database.read() as unit:
            now, needed = await unit.now(), await with_readers(unit, table.id)
        try:
            work = await self._formats.read(table.ref, plan_upkeep, at.opened, at.policy, operation, now, needed)
            summary = work.words
        except NotEligible as error:  # the run ends with the same reason, and deletes nothing
            summary = error.message
        async with self._database.read() as unit:
            announced = await announce(
                unit,
                caller,
                table.id,
                operation,
                at.policy,
                grace=grace,
                summary=summary,
                watches_copies=at.opened.copy_removal is not None,
                up_to=(deletions or {}).get("up_to", {}),
            )
        return announced, deletions

    async def _open(self, table: Table, catalog: Catalog) -> _Opened:
        opened = await open_registered(self._formats, catalog, table)
        properties = await self._formats.read(table.ref, opened.policy_properties)
        async with self._database.read() as unit:
            return _Opened(table, opened, await PolicyReader.effective(unit, table, properties))


def _deleting(caller: Caller, at: _Opened, operation: Operation, grace: timedelta | None) -> Deleting:
    """Return what a run deletes that has to be acknowledged: nothing of an automatic run and of a purge."""
    rule = rule_of(at.policy, operation)
    if caller == COORDINATOR or rule is None:
        return Deleting({}, 0, ())
    seconds = requested_grace(caller, grace).total_seconds()  # what can't be submitted needs no acknowledgement
    run = {"run": at.table.id, "operation": operation.value, "rule": rule.document(), "grace": seconds}
    address = TableAddress(at.table.id, str(at.table.ref))
    return Deleting(run, 1, (DeletingTable(address, (rule.setting,), at.policy),))
