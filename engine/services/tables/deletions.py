"""What policies delete of tables that are registered, or whose team or labels change: more policies may cover them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from engine.domain.ids import TableId
from engine.domain.policies import DeletionRule, effective_policy, wider_deletions
from engine.domain.tables.table import Table, TablePatch, TableRef
from engine.services.policies.acknowledgements import MOST_FORESEEN, Deleting
from engine.services.policies.due import TableAddress
from engine.services.policies.effective import PolicyReader
from engine.services.policies.effects import MOST_SHOWN, DeletingTable
from engine.stores.unit_of_work import UnitOfWork


async def deleting_of_patch(unit: UnitOfWork, table: Table, change: TablePatch) -> Deleting:
    """Return what a change of a table deletes more: policies of its new team and labels may. Reads no property."""
    changed = replace(table, owner_team=change.owner_team_of(table), labels=change.labels_of(table))
    before, after = [await PolicyReader.effective(unit, each, {}) for each in (table, changed)]
    wider = wider_deletions(before, after)
    tables = [DeletingTable(TableAddress(table.id, str(table.ref)), wider, after)] if wider else []
    written = {"table": table.id, "over_version": table.version, **declared(changed)}
    return Deleting(written, len(tables), tables)


async def deleting_of_new(unit: UnitOfWork, table: Table) -> Deleting:
    """Return what policies delete of a table once it is registered. Reads no property."""
    after = await PolicyReader.effective(unit, table, {})
    settings = wider_deletions(effective_policy(table_properties={}), after)
    tables = (
        [DeletingTable(TableAddress(TableId(""), str(table.ref)), settings, after, candidate=table)] if settings else []
    )
    rules = [rule.document() for each in settings if (rule := DeletionRule.of(after, each)) is not None]
    written = {"register": str(table.ref), "rules": rules, **declared(table)}
    return Deleting(written, len(tables), tables)


async def deleting_of_all(
    each: Sequence[tuple[TableRef, Deleting]], examine: Callable[[TableRef], Awaitable[Table]]
) -> Deleting:
    """Return what policies delete of several tables once they are registered.

    Args:
        each: for each table what `deleting_of_new` returned; its uuid and location need not be known.
        examine: loads a table; called for as many as a preview counts. What it can't load is of unknown amount.
    """
    found = [(ref, deleting.tables[0]) for ref, deleting in each if deleting.count]
    loaded = await asyncio.gather(*(examine(ref) for ref, _ in found[:MOST_FORESEEN]), return_exceptions=True)
    candidates = [table if isinstance(table, Table) else None for table in loaded]
    candidates += [None] * (len(found) - len(candidates))
    shown = [replace(one, candidate=table) for (_, one), table in zip(found, candidates, strict=True)]
    written = {"register": [deleting.change for _, deleting in each if deleting.count]}
    return Deleting(written, len(found), shown[:MOST_SHOWN])


def declared(table: Table) -> dict[str, Any]:
    """Return what its owner declares of a table, JSON-ready."""
    return {"owner_team": table.owner_team, "labels": dict(table.labels)}
