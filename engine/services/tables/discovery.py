"""Discover the tables of a catalog, and register many of them at once.

The catalog's tables are listed, and opened only to be registered. Each is registered in its own transaction, so that
one bad table does not stop the others and the same request can be repeated.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from engine.domain.access.callers import Caller, require_team
from engine.domain.access.grants import Right, allows, has_anywhere
from engine.domain.errors import Forbidden, InvalidInput, Rejected, StateConflict, Transient
from engine.domain.ids import TableId
from engine.domain.remedies import remedy
from engine.domain.tables.discoveries import DiscoveredTable, Discovery, DiscoveryOutcome, RegistrationRequest
from engine.domain.tables.table import Catalog, Table, TableRef
from engine.domain.values.globs import matches
from engine.services.catalogs.names import check_table_ref
from engine.services.catalogs.service import CatalogService
from engine.services.catalogs.table_access import TableAccess
from engine.services.policies.acknowledgements import Acknowledgements, Deleting, DeletionPreview
from engine.services.tables.deletions import deleting_of_all, deleting_of_new
from engine.services.tables.service import TableService
from engine.stores.database import Database

MOST_EXAMINED: Final = 10_000
_AT_ONCE: Final = 8


class DiscoveryService:
    """Finds and registers the tables of a catalog."""

    def __init__(
        self,
        *,
        database: Database,
        formats: TableAccess,
        catalogs: CatalogService,
        tables: TableService,
        acknowledgements: Acknowledgements,
    ) -> None:
        self._acknowledgements = acknowledgements
        self._database = database
        self._formats = formats
        self._catalogs = catalogs
        self._tables = tables

    async def discover(self, caller: Caller, catalog_name: str, pattern: str) -> Discovery:
        """List the tables that match, without opening one.

        Raises:
            NotFound: no such catalog, or none that exists for the caller.
            Forbidden: the caller has no right to discover here.
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """
        catalog = await self._catalogs.get(caller, catalog_name)
        _check_right(caller, catalog, Right.DISCOVER)
        return await self._find(caller, catalog, pattern)

    async def preview(
        self, caller: Caller, catalog_name: str, request: RegistrationRequest
    ) -> tuple[Discovery, DeletionPreview | None]:
        """Open the tables that would be registered; return what policies would delete of them, None: nothing.

        Raises:
            As `register`, except that nothing needs to be acknowledged.
        """
        found = await self._registrable(caller, catalog_name, request)
        deletions = await self._acknowledgements.preview(caller, await self._deleting(caller, found.tables, request))

        async def open_one(table: DiscoveredTable) -> DiscoveredTable:
            await self._tables.examine(caller, table.ref, owner_team=request.owner_team, labels=request.labels)
            return _with(table, DiscoveryOutcome.WOULD_REGISTER)

        return await _each(found, request.limit, open_one), deletions

    async def register(
        self, caller: Caller, catalog_name: str, request: RegistrationRequest, acknowledge: str | None = None
    ) -> Discovery:
        """Register the tables that match and can be. `acknowledge`: the token of the preview of what is deleted.

        Raises:
            NotFound, StateConflict, Transient: as `discover`.
            Forbidden: the caller may not give tables to that team, or has no right to discover or register here.
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`; no table is registered.
        """
        found = await self._registrable(caller, catalog_name, request)
        deleting = await self._deleting(caller, found.tables, request)
        acknowledged = await self._acknowledgements.require(caller, deleting, acknowledge)

        async def register_one(table: DiscoveredTable) -> DiscoveredTable:
            made = await self._tables.register(
                caller,
                table.ref,
                owner_team=request.owner_team,
                labels=request.labels,
                paused=request.paused,
                acknowledged=acknowledged,
            )
            return replace(_with(table, DiscoveryOutcome.REGISTERED), table_id=made.id)

        return await _each(found, request.limit, register_one)

    async def _registrable(self, caller: Caller, catalog_name: str, request: RegistrationRequest) -> Discovery:
        """Return the tables that match; one that the caller may not register is refused."""
        require_team(caller, request.owner_team)
        catalog = await self._catalogs.get(caller, catalog_name)
        _check_right(caller, catalog, Right.DISCOVER)
        _check_right(caller, catalog, Right.REGISTER)
        found = await self._find(caller, catalog, request.pattern)
        return replace(found, tables=tuple(_with_rights(caller, catalog, table) for table in found.tables))

    async def _find(self, caller: Caller, catalog: Catalog, pattern: str) -> Discovery:
        connection = await self._formats.connect(catalog)

        def is_granted(namespace: Sequence[str]) -> bool:
            return allows(caller, catalog.grants, Right.DISCOVER, namespace)

        listing = await self._formats.read(catalog.name, connection.list_tables, MOST_EXAMINED, is_granted)
        refs = [TableRef(catalog.name, tuple(each[:-1]), each[-1]) for each in listing.identifiers]
        registered = await self._registered(caller, catalog)
        # In a thread: a hostile pattern takes a while for ten thousand names.
        matching = await asyncio.to_thread(_matching, pattern, refs)
        return Discovery(len(refs), listing.is_truncated, tuple(_judged(ref, registered) for ref in matching))

    async def _deleting(
        self, caller: Caller, found: Sequence[DiscoveredTable], request: RegistrationRequest
    ) -> Deleting:
        """Return what policies delete of the tables that are to be registered."""
        team, labels = request.owner_team, request.labels
        chosen = [each.ref for each in found if each.outcome is DiscoveryOutcome.REGISTRABLE][: request.limit]
        async with self._database.read() as unit:
            now = await unit.now()
            tables = [Table(TableId(""), ref, "", "", team, now, labels) for ref in chosen]
            deleting = [(table.ref, await deleting_of_new(unit, table)) for table in tables]
        return await deleting_of_all(deleting, partial(self._tables.examine, caller, owner_team=team, labels=labels))

    async def _registered(self, caller: Caller, catalog: Catalog) -> dict[tuple[tuple[str, ...], str], TableId | None]:
        """Return the addresses of registered tables with their ids; None for a table that the caller does not see."""
        async with self._database.read() as unit:
            addresses = await unit.tables.addresses(catalog.name)
        return {
            address: table_id
            if caller.sees(owner_team) or allows(caller, catalog.grants, Right.READ, address[0])
            else None
            for address, (table_id, owner_team) in addresses.items()
        }


async def _each(
    found: Discovery, limit: int, work: Callable[[DiscoveredTable], Awaitable[DiscoveredTable]]
) -> Discovery:
    """Return the tables as `work` left the first `limit` that can be registered; those it did not reach are left."""
    chosen = [table for table in found.tables if table.outcome is DiscoveryOutcome.REGISTRABLE][:limit]
    done: dict[TableRef, DiscoveredTable] = {}
    for start in range(0, len(chosen), _AT_ONCE):
        results = await asyncio.gather(*(_tried(table, work) for table in chosen[start : start + _AT_ONCE]))
        done.update((result.ref, result) for result in results)
        if all(result.outcome is DiscoveryOutcome.NOT_TRIED for result in results):
            break  # not one answered: the catalog is unavailable
    left = DiscoveryOutcome.NOT_TRIED, "left for the next request: send it again"
    tables = [
        done.get(table.ref) or (_with(table, *left) if table.outcome is DiscoveryOutcome.REGISTRABLE else table)
        for table in found.tables
    ]
    return replace(found, tables=tuple(tables))


async def _tried(
    table: DiscoveredTable, work: Callable[[DiscoveredTable], Awaitable[DiscoveredTable]]
) -> DiscoveredTable:
    try:
        return await work(table)
    except Transient as error:
        return _with(table, DiscoveryOutcome.NOT_TRIED, error.message)
    except StateConflict as error:
        if error.details.get("constraint") == "uq_tables_ref":  # another request registered it first
            return _with(table, DiscoveryOutcome.ALREADY_REGISTERED)
        return _with(table, DiscoveryOutcome.REFUSED, error.message)
    except Rejected as error:
        return _with(table, DiscoveryOutcome.REFUSED, _reasons(error))


def _matching(pattern: str, refs: Sequence[TableRef]) -> list[TableRef]:
    return [ref for ref in refs if matches(pattern, ".".join((*ref.namespace, ref.name)))]


def _check_right(caller: Caller, catalog: Catalog, right: Right) -> None:
    if not has_anywhere(caller, catalog.grants, right):
        raise Forbidden(
            f"{caller.subject} has no grant with the right {right.value!r} on catalog {catalog.name!r}; an admin "
            "can grant it",
            remedy=remedy("replace_catalog_grants", name=catalog.name),
        )


def _with_rights(caller: Caller, catalog: Catalog, table: DiscoveredTable) -> DiscoveredTable:
    is_allowed = allows(caller, catalog.grants, Right.REGISTER, table.ref.namespace)
    if is_allowed or table.outcome is not DiscoveryOutcome.REGISTRABLE:
        return table
    return _with(
        table, DiscoveryOutcome.REFUSED, f"no grant allows {caller.subject} to register tables of this namespace"
    )


def _judged(ref: TableRef, registered: Mapping[tuple[tuple[str, ...], str], TableId | None]) -> DiscoveredTable:
    address = (ref.namespace, ref.name)
    if address in registered:
        return DiscoveredTable(ref, DiscoveryOutcome.ALREADY_REGISTERED, registered[address])
    try:
        check_table_ref(ref)
    except InvalidInput as error:
        return DiscoveredTable(ref, DiscoveryOutcome.REFUSED, None, _reasons(error))
    return DiscoveredTable(ref, DiscoveryOutcome.REGISTRABLE)


def _with(table: DiscoveredTable, outcome: DiscoveryOutcome, detail: str | None = None) -> DiscoveredTable:
    return replace(table, outcome=outcome, detail=detail)


def _reasons(error: Rejected) -> str:
    problems = error.problems if isinstance(error, InvalidInput) else ()
    return "; ".join(problem.message for problem in problems) or error.message
