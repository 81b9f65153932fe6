"""Open a registered table by its id: read the record, ask the catalog, check that it is still the same table."""

from functools import partial

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, Forbidden, InvalidInput, NotFound, StateConflict, TableReplaced
from engine.domain.ids import TableId
from engine.domain.remedies import remedy
from engine.domain.tables.addresses import is_address, parse_address
from engine.domain.tables.table import Catalog, Table
from engine.formats.base import OpenTable
from engine.services.access.visibility import may_read
from engine.services.catalogs.table_access import TableAccess
from engine.stores.unit_of_work import UnitOfWork


async def read_registered(unit: UnitOfWork, table_id: TableId, caller: Caller) -> tuple[Table, Catalog]:
    """Return a registered table that the caller may read, and its catalog, from the record.

    Raises:
        NotFound: no such table, or one that does not exist for the caller; both have the same text.
    """
    table = await unit.tables.get(table_id)
    catalog = None if table is None else await unit.catalogs.get(table.ref.catalog)
    if table is None or catalog is None or not may_read(caller, table, catalog):
        raise no_table(table_id)
    return table, catalog


async def find_id(unit: UnitOfWork, text: str, caller: Caller) -> TableId:
    """Return the id of the table that an id or an address names; an id is returned without reading the record.

    Raises:
        NotFound: no table at this address, or one that does not exist for the caller; both have the same text.
        InvalidInput: neither an id nor an address.
    """
    if not is_address(text):
        return TableId(text)
    try:
        ref = parse_address(text)
    except ValueError as error:
        problem = FieldProblem("/table_id", str(error), text, "put a part that has a dot in double quotes")
        raise InvalidInput(str(error), problems=(problem,)) from None
    table = await unit.tables.find(ref)
    catalog = None if table is None else await unit.catalogs.get(ref.catalog)
    if table is None or catalog is None or not may_read(caller, table, catalog):
        raise no_table(text)
    return table.id


async def read_own(unit: UnitOfWork, table_id: TableId, caller: Caller) -> tuple[Table, Catalog]:
    """Return a registered table that the caller may change, and its catalog, from the record.

    Raises:
        NotFound: as `read_registered`.
        Forbidden: the caller may read the table by a grant, but it belongs to another team or to none.
    """
    table, catalog = await read_registered(unit, table_id, caller)
    if not caller.sees(table.owner_team):
        raise only_readable(caller, table)
    return table, catalog


def only_readable(caller: Caller, table: Table) -> Forbidden:
    """Return the error for a change to a table that the caller may only read."""
    owner = "no team" if table.owner_team is None else f"the team {table.owner_team!r}"
    return Forbidden(
        f"table {table.id} belongs to {owner}: a grant allows {caller.subject} to read it; changes and runs need a key "
        "of the owner team"
    )


def no_table(table_id: str) -> NotFound:
    """Return the error for a table that does not exist for the caller."""
    return NotFound(f"no table {table_id!r} is registered", remedy=remedy("list_tables"))


async def open_registered(
    formats: TableAccess, catalog: Catalog, table: Table, *, lists_files: bool = True
) -> OpenTable:
    """Load the table's current metadata and check that it is the registered table.

    `lists_files`: see `TableAccess.open_table`.

    Raises:
        TableReplaced: it was dropped and created again; the remedy is in the message.
        TableUnreadable: its metadata can't be read.
        StateConflict: the catalog no longer has it.
        InvalidInput, NotEligible: it was moved, or has files in a location that is not allowed
            (`TableAccess.open_table`).
        Transient: the catalog does not answer.
    """
    try:
        return await formats.open_table(
            catalog,
            table.ref,
            location=table.location,
            lists_files=lists_files,
            check=partial(_check_identity, table),
        )
    except NotFound:
        raise StateConflict(
            f"table {table.ref} is no longer in its catalog; if it was dropped for good, delete its registration",
            remedy=remedy("delete_table", table_id=table.id),
        ) from None


def _check_identity(table: Table, opened: OpenTable) -> None:
    if opened.uuid != table.uuid:
        raise TableReplaced(
            f"table {table.ref} was dropped and created again: it is {opened.uuid} now and was {table.uuid} when "
            "it was registered; no run changes it until its registration is deleted and it is registered again",
            details={"registered_uuid": table.uuid, "found_uuid": opened.uuid},
            remedy=remedy("delete_table", table_id=table.id),
        )
