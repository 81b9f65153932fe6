"""Partition summaries of manifests: bounds that enclose the partitions of a manifest in the order of every reader.

A reader skips a manifest whose summaries exclude the value that it looks for, and returns none of its rows. PyIceberg,
which writes the summaries, treats -0.0 and +0.0 as equal and compares uuids as bytes. Iceberg orders -0.0 below +0.0,
and Java compares the halves of uuids as signed numbers (see `statistics.bounds`).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.conversions import from_bytes
from pyiceberg.manifest import ManifestEntry, ManifestFile, PartitionFieldSummary
from pyiceberg.typedef import Record
from pyiceberg.types import DoubleType, FloatType, IcebergType, PrimitiveType, UUIDType

from engine.formats.iceberg.manifests.decoding import DELETED
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.statistics.bounds import decoded, lower_bound, order_key, upper_bound
from engine.formats.intake.limits import Malformed

_SortKey = Callable[[Any], Any]

_LOWER, _UPPER = 2, 3  # positions of the bounds in a partition summary
_HALF: Final = 1 << 64
_SIGN: Final = 1 << 63


def split_by_uuid_order(
    entries: Sequence[ManifestEntry], types: Sequence[IcebergType]
) -> Iterator[list[ManifestEntry]]:
    """Yield the entries of one spec, split so that all readers order the uuids of a part in the same way.

    Args:
        entries: entries of one partition spec; without a uuid field they all are one part.
        types: the types of the spec's fields.
    """
    parts: dict[tuple[bool, ...], list[ManifestEntry]] = defaultdict(list)
    positions = [at for at, of in enumerate(types) if isinstance(of, UUIDType)]
    for entry in entries:
        parts[uuid_signs(entry.data_file.partition, positions)].append(entry)
    yield from parts.values()


def uuid_signs(partition: Record, positions: Sequence[int]) -> tuple[bool, ...]:
    """Return whether each half of the uuids at these positions is negative; nulls are left out.

    All readers order uuids in the same way if the signs of their halves are equal.
    """
    uuids = (partition[at] for at in positions if partition[at] is not None)
    return tuple(half < 0 for each in uuids for half in _signed_halves(each))


def widen_zeros(summaries: Sequence[PartitionFieldSummary], types: Sequence[IcebergType]) -> None:
    """Change zero bounds of float fields, in place, to -0.0 in lower and +0.0 in upper bounds."""
    for summary, of in zip(summaries, types, strict=True):
        if isinstance(of, FloatType | DoubleType):
            for position, bound in ((_LOWER, lower_bound), (_UPPER, upper_bound)):
                value = None if summary[position] is None else decoded(summary[position], of=of)
                if value is not None:
                    summary[position] = bound(value, of=of, length=None)


def not_enclosed(manifest: ManifestFile, entries: pa.Table, codec: PartitionCodec) -> Sequence[str]:
    """Return the partitions of a manifest's live entries, as canonical text, that its summaries do not enclose."""
    live = entries.filter(pc.not_equal(entries["status"], DELETED))
    return excluded(manifest, live["partition"].cast(pa.string()), codec)


def excluded(manifest: ManifestFile, partitions: pa.ChunkedArray, codec: PartitionCodec) -> Sequence[str]:
    """Return those partitions, as canonical text, that a manifest's summaries do not enclose."""
    summaries = manifest.partitions
    if summaries is None:
        return ()
    found = []
    for text in pc.unique(partitions).to_pylist():
        record = codec.decode(text)
        values = (record[at] for at in range(len(record)))
        if not all(map(_encloses, summaries, values, codec.types)):
            found.append(text)
    return found


def _encloses(summary: PartitionFieldSummary, value: Any, of: IcebergType) -> bool:
    if value is None:
        return bool(summary.contains_null)
    if isinstance(value, float) and math.isnan(value):
        return summary.contains_nan is not False
    if summary.lower_bound is None or summary.upper_bound is None or not isinstance(of, PrimitiveType):
        return False
    bounds: list[Any] = [from_bytes(of, summary.lower_bound), from_bytes(of, summary.upper_bound)]
    if None in bounds:
        raise Malformed("the bounds of a partition field have no type: the schemas lack its source column")
    keys: tuple[_SortKey, ...] = (_bytes, _signed_halves) if isinstance(of, UUIDType) else (order_key,)
    return all(key(bounds[0]) <= key(value) <= key(bounds[1]) for key in keys)


def _bytes(value: UUID | bytes) -> bytes:
    return value.bytes if isinstance(value, UUID) else value


def _signed_halves(value: UUID | bytes) -> tuple[int, ...]:
    halves = divmod(int.from_bytes(_bytes(value), "big"), _HALF)
    return tuple((each ^ _SIGN) - _SIGN for each in halves)
