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
    insert. Tables of a catalog with `outside_files: allowed_locations` are not checked.

    Raises:
        StateConflict: an overlapping table is readable for the caller; the message names it.
        InvalidInput: all overlapping tables are invisible for the caller (`location_refused`).
    """
    if catalog.outside_files is OutsideFiles.ALLOWED_LOCATIONS:
        return
    found = await overlapping_tables(unit, table, catalog, _MOST_NAMED)
    for other in found:
        other_catalog = await unit.catalogs.get(other.ref.catalog)
        if other_catalog is not None and may_read(caller, other, other_catalog):
            raise StateConflict(
                f"the location of table {table.ref} overlaps with that of the registered table {other.ref}, so that "
                "one could name the files of the other; if it is the same table under an earlier name, "
                "delete its registration first",
                details={"table_id": other.id},
                remedy=remedy("delete_table", table_id=other.id),
            )
    if found:
        raise location_refused(caller, table.ref)


def location_refused(caller: Caller, ref: TableRef) -> InvalidInput:
    """Return the refusal of a location whose reason the caller may not see."""
    message = (
        f"{caller.subject} can't register table {ref}: its location is outside of the catalog's allowed locations, or "
        "overlaps with the location of another registered table"
    )
    hint = "an admin sees the reason by registering it, and can register it for the team"
    return InvalidInput(message, problems=(FieldProblem("/name", message, ref.name, hint),))
