"""Stored facts that decide whether upkeep of a table is due: earlier runs, readers, orphans of the last search."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from engine.domain.ids import TableId
from engine.domain.runs.expiry import Needed
from engine.domain.runs.removals import OrphansLeft
from engine.domain.runs.run import Operation
from engine.services.planning.upkeep.orphans import orphans_left
from engine.services.planning.upkeep.readers import with_readers
from engine.stores.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class UpkeepRecord:
    """Stored facts about the upkeep and the readers of a table.

    Attributes:
        now: the instant at which upkeep is judged.
        last_ends: when the last run of each operation ended; operations without one are left out.
        needed: snapshots that an expiry keeps.
        left: orphans that the last search left; None without a search.
    """

    now: datetime
    last_ends: Mapping[Operation, datetime] = field(default_factory=dict)
    needed: Needed = Needed()  # noqa: RUF009 - immutable
    left: OrphansLeft | None = None


async def read_upkeep_record(
    unit: UnitOfWork, table_id: TableId, operations: Collection[Operation], *, now: datetime
) -> UpkeepRecord:
    """Read the stored facts that these operations depend on."""
    return UpkeepRecord(
        now,
        await unit.runs.last_ends(table_id, operations),
        await with_readers(unit, table_id),
        await orphans_left(unit, table_id) if Operation.REMOVE_ORPHANS in operations else None,
    )
