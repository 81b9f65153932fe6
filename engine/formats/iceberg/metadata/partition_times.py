"""Find the field of a partition spec with the partition's time range, to determine when the range has ended."""

from collections.abc import Iterable, Mapping
from typing import Final

from pyiceberg.partitioning import PartitionField
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DateType

from engine.domain.values.partitions import TimeUnit
from engine.formats.iceberg.metadata.partitions import TIME_UNITS, PartitionCodec, partition_types
from engine.planning.measures.digest import PartitionTime

_FINEST_FIRST: Final = (TimeUnit.HOUR, TimeUnit.DAY, TimeUnit.MONTH, TimeUnit.YEAR)


def partition_times(codecs: Iterable[PartitionCodec]) -> Mapping[int, PartitionTime]:
    """Return the finest time field of each spec that has one, by spec id; an identity date column counts as days."""
    found: dict[int, PartitionTime] = {}
    for codec in codecs:
        typed = zip(codec.spec.fields, partition_types(codec.spec, codec.schema), strict=True)
        times = [
            PartitionTime(field.name, unit)
            for field, of in typed
            if (unit := _unit(field, is_date=isinstance(of, DateType))) is not None
        ]
        if times:
            found[codec.spec.spec_id] = min(times, key=lambda time: _FINEST_FIRST.index(time.unit))
    return found


def _unit(field: PartitionField, *, is_date: bool) -> TimeUnit | None:
    if isinstance(field.transform, IdentityTransform):
        return TimeUnit.DAY if is_date else None
    return TIME_UNITS.get(type(field.transform))
