"""Refuse a table whose location overlaps with that of a registered table: one could refer to files of the other.

A caller who does not see the other table gets exactly the refusal of a location that is outside of the catalog's
allowed locations. Both are visible to admins only, so the answer does not show that another team has a table there.
Limit: a caller who may write anywhere below the allowed locations can still guess by comparing two answers; each
refusal is a failed registration under the caller's name, and registrations are limited in rate.
"""

from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, InvalidInput, StateConflict
from engine.domain.remedies import remedy
from engine.domain.tables.table import Catalog, OutsideFiles, Table, TableRef
from engine.services.access.visibility import may_read
from engine.services.catalogs.neighbours import overlapping_tables
from engine.stores.unit_of_work import UnitOfWork

_MOST_NAMED: Final = 100


async def check_overlap(unit: UnitOfWork, caller: Caller, table: Table, catalog: Catalog) -> None:
    """Check that no registered table is at, below or around the location of a table that is to be registered.

    The caller of this function holds `TableStore.lock_registrations`, so no other registration is between check and
    insert. In a catalog with `outside_files: allowed_locations` only registrations of the same table are refused.

    Raises:
        StateConflict: an overlapping table is readable for the caller; the message names it.
        InvalidInput: all overlapping tables are invisible for the caller (`location_refused`).
    """
    found = await overlapping_tables(unit, table, catalog, _MOST_NAMED)
    if catalog.outside_files is OutsideFiles.ALLOWED_LOCATIONS:
        found = [each for each in found if each.uuid == table.uuid]
    for other in found:
        other_catalog = await unit.catalogs.get(other.ref.catalog)
        if other_catalog is not None and may_read(caller, other, other_catalog):
            details, cure = {"table_id": other.id}, remedy("delete_table", table_id=other.id)
            raise StateConflict(_reason(table, other), details=details, remedy=cure)
    if found:
        raise location_refused(caller, table.ref)


def _reason(table: Table, other: Table) -> str:
    if other.uuid == table.uuid:
        return (
            f"table {table.ref} is registered as {other.ref} already: both have the uuid {other.uuid}, and locations "
            "that overlap; if it was renamed, or moved to another catalog, delete the registration of its earlier name"
        )
    return (
        f"the location of table {table.ref} overlaps with that of the registered table {other.ref}, so that one could "
        "name the files of the other"
    )


def location_refused(caller: Caller, ref: TableRef) -> InvalidInput:
    """Return the refusal of a location whose reason the caller may not see."""
    message = (
        f"{caller.subject} can't register table {ref}: its location is outside of the catalog's allowed locations, or "
        "overlaps with the location of another registered table"
    )
    hint = "an admin sees the reason by registering it, and can register it for the team"
    return InvalidInput(message, problems=(FieldProblem("/name", message, ref.name, hint),))
