"""The partitions of a table as columns: what each is and where its files are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from hive_metastore.ttypes import Partition

from engine.formats.hive.metadata.parameters import OF_TABLES
from engine.formats.hive.metadata.partition_keys import PartitionKeys
from engine.formats.hive.metadata.storage import StorageEntry, texts_of
from engine.formats.hive.metadata.tables import TableEntry
from engine.formats.hive.rewrite.records import LONGEST, PARAMETER
from engine.formats.intake.limits import LIVE_BYTES, Malformed, too_large
from engine.rewriting.kernel.storage.places import AllowedFolders, normalise_uri

PARTITIONS: Final = pa.schema(
    [
        pa.field("partition", pa.string(), nullable=False),  # canonical JSON
        pa.field("location", pa.string(), nullable=False),  # without a slash at the end; empty if it has none
        pa.field("is_outside", pa.bool_(), nullable=False),  # its files must not be opened
        pa.field("values", pa.list_(pa.string()), nullable=False),  # the texts of its keys
        pa.field("record", pa.string()),  # what Packhouse stored at its newest rewrite, `compaction.records`
        pa.field("problem", pa.string()),  # why its entry is not that of plain Parquet files; null: it is
    ]
)
_LONGEST_LOCATION: Final = 8192

_LONGEST_PROBLEM: Final = 300

_Row: TypeAlias = tuple[str, str, list[str], str | None, str | None]


@dataclass(frozen=True, slots=True)
class Partitions:
    """The partitions of one table, ordered by their canonical JSON; `table` has the columns `PARTITIONS`."""

    table: pa.Table

    @staticmethod
    def of(
        entry: TableEntry, stored: Iterable[Partition], places: AllowedFolders, meaningless: Sequence[str] = ()
    ) -> "Partitions":
        """Return the partitions of a table; one without partition keys has one, in the table's location.

        `meaningless`: as in `Parameters.problems`.

        Raises:
            Malformed: an entry has other values than the table has keys, or they are too large.
        """
        keys = PartitionKeys(entry.keys)
        found = _rows(keys, stored, meaningless) if entry.keys else [("{}", entry.location, [], None, None)]
        found.sort(key=lambda row: row[:2])
        columns = list(zip(*found, strict=True)) or [()] * 5
        outside = [not places.contains(location) for location in columns[1]]
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

    def apart_from(self, location: str, limit: int) -> Sequence[str]:
        """Return the locations of partitions that are not below `location` and may be read, at most `limit`."""
        folder, found = f"{normalise_uri(location)}/", list[str]()
        for row in self.table.select(["location", "is_outside"]).to_pylist():
            is_apart = not f"{normalise_uri(row['location'])}/".startswith(folder)
            if is_apart and not row["is_outside"] and len(found) < limit:
                found.append(row["location"])
        return found

    def alike(self) -> Sequence[int]:
        """Return the rows of partitions whose keys have the values of another's, written differently: `1` and `01`."""
        counts = pc.value_counts(self.table["partition"].combine_chunks())
        repeated = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")
        return _rows_where(pc.is_in(self.table["partition"], value_set=repeated)) if len(repeated) else []

    def overlapping(self) -> Sequence[int]:
        """Return the rows of partitions whose folder is another's, is inside of it, or has it inside."""
        spelled = [f"{normalise_uri(each)}/" for each in self.table["location"].to_pylist()]
        around, found = list[int](), set[int]()
        for row in sorted(range(len(spelled)), key=spelled.__getitem__):
            while around and not spelled[row].startswith(spelled[around[-1]]):
                around.pop()
            found.update([row, around[-1]] if around else ())
            around.append(row)
        return sorted(found)

    def problems(self) -> Sequence[tuple[int, str]]:
        """Return row and reason of each partition whose entry is not that of plain Parquet files."""
        rows = _rows_where(pc.is_valid(self.table["problem"]))
        return list(zip(rows, self.table["problem"].take(pa.array(rows, pa.int64())).to_pylist(), strict=True))


def _rows_where(flags: pa.ChunkedArray) -> list[int]:
    found: list[int] = pc.indices_nonzero(flags).to_pylist()
    return found


def _rows(keys: PartitionKeys, stored: Iterable[Partition], meaningless: Sequence[str]) -> list[_Row]:
    found, size = list[_Row](), 0
    for each in stored:
        row = _row(keys, each, meaningless)
        size += len(row[0]) + len(row[1]) + sum(map(len, row[2])) + len(row[3] or "") + len(row[4] or "")
        if size > LIVE_BYTES:
            raise too_large("its partitions take", "of memory", LIVE_BYTES)
        found.append(row)
    return found


def _row(keys: PartitionKeys, stored: Partition, meaningless: Sequence[str]) -> _Row:
    values = list(map(str, stored.values or ()))
    record = str((stored.parameters or {}).get(PARAMETER) or "")
    known = record if 0 < len(record) <= LONGEST else None
    location = _stored_location(stored)
    problem = _problem(stored, meaningless) if location else "its entry has no location"
    return keys.encode(values), location, values, known, problem


def _problem(stored: Partition, meaningless: Sequence[str]) -> str | None:
    """Return the first statement of an entry with which its files are not rewritten; None without any."""
    storage = StorageEntry.of(stored.sd)
    if (problem := storage.problem) is None and storage.buckets:
        problem = f"bucket columns: {', '.join(storage.buckets)}"
    problem = problem or next(storage.problems(meaningless), None)
    problem = problem or next(OF_TABLES.problems(texts_of(stored.parameters), meaningless), None)
    return None if problem is None else problem[:_LONGEST_PROBLEM]


def location_of(stored: Partition) -> str:
    """Return where the files of a partition are, without a slash at the end.

    Raises:
        Malformed: its entry does not say it.
    """
    if not (text := _stored_location(stored)):
        raise Malformed(f"partition {'/'.join(map(str, stored.values or ()))[:200]} has no location")
    return text


def as_location(folder: str, stored: Partition) -> str:
    """Return a folder as a location of a partition: with a slash at the end if the present one has it, as Athena's."""
    present = "" if stored.sd is None else str(stored.sd.location or "")
    return f"{folder}/" if present.endswith("/") else folder


def _stored_location(stored: Partition) -> str:
    """Return where the files of a partition are, without a slash at the end; empty if its entry does not say it."""
    text = "" if stored.sd is None else str(stored.sd.location or "").rstrip("/")
    return text if len(text) <= _LONGEST_LOCATION else ""
