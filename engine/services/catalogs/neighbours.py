"""Registered tables inside the location of another: their files are below its location, and not its own."""

from collections.abc import Sequence
from typing import Final

from engine.domain.errors import NotEligible
from engine.domain.tables.table import Table
from engine.services.catalogs.locations import Spellings
from engine.stores.unit_of_work import UnitOfWork

_MOST: Final = 1000


async def locations_inside(unit: UnitOfWork, table: Table) -> Sequence[str]:
    """Return the locations of the registered tables that are inside the location of this table.

    Raises:
        NotEligible: another table is registered at this location or around it, so that its files can't be told from
            those of this table; or more than 1,000 tables are inside.
    """
    spelt = Spellings.of(table.location)
    if not spelt.own:
        raise NotEligible(f"the location of {table.ref} is no absolute address, so none of its files is deleted")
    found = await unit.tables.list_overlapping(table.ref, own=spelt.own, around=spelt.around, limit=_MOST + 1)
    if len(found) > _MOST:
        raise NotEligible(f"more than {_MOST} registered tables are inside the location of {table.ref}")
    shared = {*spelt.own, *spelt.around}
    if around := [each for each in found if each.location.rstrip("/") in shared]:
        raise NotEligible(
            f"{len(around)} other tables are registered at the location of {table.ref} or around it: none of its files "
            "is deleted, as they could be files of those; register each table at a location of its own"
        )
    return [each.location for each in found]
