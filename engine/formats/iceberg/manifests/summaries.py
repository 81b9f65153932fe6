"""Check that the partition summaries of a manifest enclose its partitions, in the order of every reader.

A reader skips a manifest whose summaries exclude the value that it looks for, and finds none of its rows. Iceberg
orders -0.0 below +0.0. Java compares the halves of uuids as signed numbers, other readers their bytes.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.conversions import from_bytes
from pyiceberg.manifest import ManifestFile, PartitionFieldSummary
from pyiceberg.types import DoubleType, FloatType, IcebergType, PrimitiveType, UUIDType

from engine.formats.iceberg.manifests.decoding import DELETED
from engine.formats.iceberg.metadata.partitions import PartitionCodec

Order = Callable[[Any], Any]
"""Returns a value that Python compares as a reader compares partition values."""

_HALF: Final = 1 << 64
_SIGN: Final = 1 << 63


def not_enclosed(manifest: ManifestFile, entries: pa.Table, codec: PartitionCodec) -> Sequence[str]:
    """Return the partitions of a manifest's live entries, as canonical text, that its summaries do not enclose."""
    summaries = manifest.partitions
    if summaries is None:
        return ()
    live = entries.filter(pc.not_equal(entries["status"], DELETED))
    found = []
    for text in pc.unique(live["partition"].cast(pa.string())).to_pylist():
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
    return all(order(bounds[0]) <= order(value) <= order(bounds[1]) for order in _orders(of))


def _orders(of: IcebergType) -> tuple[Order, ...]:
    match of:
        case FloatType() | DoubleType():
            return (lambda value: (value, math.copysign(1.0, value)),)
        case UUIDType():
            return _bytes, _signed_halves
    return (lambda value: value,)


def _bytes(value: UUID | bytes) -> bytes:
    return value.bytes if isinstance(value, UUID) else value


def _signed_halves(value: UUID | bytes) -> tuple[int, ...]:
    halves = divmod(int.from_bytes(_bytes(value), "big"), _HALF)
    return tuple((each ^ _SIGN) - _SIGN for each in halves)
