"""The partitions of a table as columns: what each is and where its files are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from hive_metastore.ttypes import Partition

from engine.formats.hive.compaction.records import LONGEST, PARAMETER
from engine.formats.hive.metadata.partition_keys import PartitionKeys
from engine.formats.hive.metadata.tables import TableEntry
from engine.formats.intake.limits import LIVE_BYTES, Malformed, too_large
from engine.rewriting.kernel.storage.places import Places, one_spelling

PARTITIONS: Final = pa.schema(
    [
        pa.field("partition", pa.string(), nullable=False),  # canonical JSON
        pa.field("location", pa.string(), nullable=False),  # without a slash at the end
        pa.field("is_outside", pa.bool_(), nullable=False),  # its files must not be opened
        pa.field("values", pa.list_(pa.string()), nullable=False),  # the texts of its keys
        pa.field("record", pa.string()),  # what Packhouse stored at its newest rewrite, `compaction.records`
    ]
)
_LONGEST_LOCATION: Final = 8192

_Row: TypeAlias = tuple[str, str, list[str], str | None]


@dataclass(frozen=True, slots=True)
class Partitions:
    """The partitions of one table, ordered by their canonical JSON; `table` has the columns `PARTITIONS`."""

    table: pa.Table

    @staticmethod
    def of(entry: TableEntry, stored: Iterable[Partition], places: Places) -> "Partitions":
        """Return the partitions of a table; one without partition keys has one, in the table's location.

        Raises:
            Malformed: an entry lacks its location or has other values than the table has keys, or they are too large.
        """
        keys = PartitionKeys(entry.keys)
        found = _rows(keys, stored) if entry.keys else [("{}", entry.location, [], None)]
        found.sort(key=lambda row: row[:2])
        columns = list(zip(*found, strict=True)) or [(), (), (), ()]
        outside = [not places.cover(location) for location in columns[1]]
        columns.insert(2, tuple(outside))
        arrays = [pa.array(values, field.type) for values, field in zip(columns, PARTITIONS, strict=True)]
        return Partitions(pa.table(arrays, schema=PARTITIONS))

    def values_of(self, partition: str) -> Sequence[str] | None:
        """Return the texts of the keys of a partition, by its canonical JSON; None if there is no such partition."""
        at = self._row(partition)
        return None if at is None else self.table["values"][at].as_py()

    def record_of(self, partition: str) -> str | None:
        """Return what Packhouse stored at the newest rewrite of a partition; None if nothing."""
        at = self._row(partition)
        return None if at is None else self.table["record"][at].as_py()

    def _row(self, partition: str) -> int | None:
        at = pc.index(self.table["partition"], partition).as_py()
        return None if at < 0 else at

    @property
    def outside(self) -> int:
        """The number of partitions whose files must not be opened."""
        return int(pc.sum(self.table["is_outside"]).as_py() or 0)

    @property
    def alike(self) -> int:
        """The number of partitions whose keys have the same values as another's, written differently: `1` and `01`."""
        return int(self.table.num_rows) - int(pc.count_distinct(self.table["partition"]).as_py())

    @property
    def nested(self) -> str | None:
        """A location that is inside of another partition's, or is that of two partitions; None without any."""
        ordered = sorted(f"{one_spelling(each) or each}/" for each in self.table["location"].to_pylist())
        for before, after in pairwise(ordered):
            if after.startswith(before):
                return after.rstrip("/")
        return None


def _rows(keys: PartitionKeys, stored: Iterable[Partition]) -> list[_Row]:
    found, size = list[_Row](), 0
    for each in stored:
        row = _row(keys, each)
        size += len(row[0]) + len(row[1]) + sum(map(len, row[2])) + len(row[3] or "")
        if size > LIVE_BYTES:
            raise too_large("its partitions take", "of memory", LIVE_BYTES)
        found.append(row)
    return found


def _row(keys: PartitionKeys, stored: Partition) -> _Row:
    values = list(map(str, stored.values or ()))
    record = str((stored.parameters or {}).get(PARAMETER) or "")
    return keys.encode(values), location_of(stored), values, record if 0 < len(record) <= LONGEST else None


def location_of(stored: Partition) -> str:
    """Return where the files of a partition are, without a slash at the end.

    Raises:
        Malformed: its entry does not say it.
    """
    text = "" if stored.sd is None else str(stored.sd.location or "").rstrip("/")
    if not text or len(text) > _LONGEST_LOCATION:
        raise Malformed(f"partition {'/'.join(map(str, stored.values or ()))[:200]} has no location")
    return text
