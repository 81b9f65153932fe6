"""Deletions by policies of tables that are registered, or whose team or labels change: more policies may cover them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from engine.domain.errors import PackhouseError
from engine.domain.ids import TableId
from engine.domain.policies import DeletionRule, effective_policy, wider_deletions
from engine.domain.tables.table import Table, TableRef, TableUpdate
from engine.services.policies.acknowledgements import MOST_FORESEEN, Deleting
from engine.services.policies.due import TableAddress
from engine.services.policies.effective import PolicyReader
from engine.services.policies.effects import MOST_SHOWN, DeletingTable
from engine.stores.unit_of_work import UnitOfWork


async def deleting_of_patch(unit: UnitOfWork, table: Table, change: TableUpdate) -> Deleting:
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
    tables: Sequence[tuple[TableRef, Deleting]], examine: Callable[[TableRef], Awaitable[Table]]
) -> Deleting:
    """Return what policies delete of several tables once they are registered.

    Args:
        tables: for each table what `deleting_of_new` returned; its uuid and location need not be known.
        examine: loads a table; called for as many as a preview counts. What it can't load is of unknown amount.
    """
    found = [(ref, deleting) for ref, deleting in tables if deleting.count]
    candidates = await asyncio.gather(*(_candidate(ref, examine) for ref, _ in found[:MOST_FORESEEN]))
    shown = [
        replace(deleting.tables[0], candidate=candidate)
        for (_, deleting), candidate in zip_longest(found[:MOST_SHOWN], candidates)
    ]
    return Deleting({"register": [deleting.change for _, deleting in found]}, len(found), shown)


async def _candidate(ref: TableRef, examine: Callable[[TableRef], Awaitable[Table]]) -> Table | None:
    """Return a table that is not registered yet; None if it can't be loaded, for which its registration is refused."""
    try:
        return await examine(ref)
    except PackhouseError:
        return None


def declared(table: Table) -> dict[str, Any]:
    """Return what its owner declares of a table, JSON-ready."""
    return {"owner_team": table.owner_team, "labels": dict(table.labels)}
