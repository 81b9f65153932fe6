"""The partitions of a table as columns: what each is and where its files are."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from hive_metastore.ttypes import Partition

from engine.formats.hive.metadata.partition_keys import PartitionKeys
from engine.formats.hive.metadata.tables import TableEntry
from engine.formats.intake.limits import Malformed
from engine.rewriting.kernel.storage.places import Places

PARTITIONS: Final = pa.schema(
    [
        pa.field("partition", pa.string(), nullable=False),  # canonical JSON
        pa.field("location", pa.string(), nullable=False),  # without a slash at the end
        pa.field("is_outside", pa.bool_(), nullable=False),  # its files must not be opened
    ]
)
_LONGEST_LOCATION: Final = 8192


@dataclass(frozen=True, slots=True)
class Partitions:
    """The partitions of one table, ordered by their canonical JSON; `table` has the columns `PARTITIONS`."""

    table: pa.Table

    @staticmethod
    def of(entry: TableEntry, stored: Iterable[Partition], places: Places) -> "Partitions":
        """Return the partitions of a table; one without partition keys has one, in the table's location.

        Raises:
            Malformed: an entry lacks its location or has other values than the table has keys.
        """
        keys = PartitionKeys(entry.keys)
        if entry.keys:
            found = [(keys.encode(each.values or ()), _location(each)) for each in stored]
        else:
            found = [("{}", entry.location)]
        found.sort()
        names, locations = [name for name, _ in found], [location for _, location in found]
        outside = [not places.cover(location) for location in locations]
        return Partitions(pa.table([names, locations, outside], schema=PARTITIONS))

    @property
    def outside(self) -> int:
        """The number of partitions whose files must not be opened."""
        return int(pc.sum(self.table["is_outside"]).as_py() or 0)

    @property
    def nested(self) -> str | None:
        """A location that is inside of another partition's, or is that of two partitions; None without any."""
        ordered = sorted(f"{each}/" for each in self.table["location"].to_pylist())
        for before, after in pairwise(ordered):
            if after.startswith(before):
                return after.rstrip("/")
        return None


def _location(stored: Partition) -> str:
    text = "" if stored.sd is None else str(stored.sd.location or "").rstrip("/")
    if not text or len(text) > _LONGEST_LOCATION:
        raise Malformed(f"partition {'/'.join(map(str, stored.values or ()))[:200]} has no location")
    return text
