"""Partitions of outputs whose rows moved to another partition spec.

The task divides the rows and returns each output's partition. A wrong one would hide the file's rows from every filter
on the partition, so it is compared with the least and greatest values in the file's footer: both must have the same
partition value. What a footer can't show (`bucket` of more than one value, statistics that a writer omits for very long
values) rests on the task; `verification: content` compares rows, not partitions.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow.parquet as pq
from pyiceberg.partitioning import PartitionField
from pyiceberg.transforms import BucketTransform, VoidTransform
from pyiceberg.typedef import Record
from pyiceberg.types import DecimalType, IcebergType, StringType, UUIDType

from engine.domain.errors import Fatal
from engine.domain.runs.files import OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.formats.base import WrittenGroup
from engine.formats.iceberg.metadata.partitions import PartitionCodec, json_value
from engine.formats.iceberg.statistics.column_metrics import chunks_of, column_range, leaves_of


def partition_of(codec: PartitionCodec, output: OutputFile) -> Record:
    """Return the partition of an output in the spec of `codec`.

    Raises:
        Fatal: the task returned none, or one that does not fit the spec.
    """
    if output.partition is None:
        raise Fatal(f"{output.path} has no partition by its task, and its group moves to spec {codec.spec.spec_id}")
    try:
        return codec.record(output.partition)
    except (ValueError, TypeError, ArithmeticError) as error:
        told = f"{output.path} has the partition {output.partition} by its task"
        raise Fatal(f"{told}, which does not fit spec {codec.spec.spec_id}: {error}") from error


def places_of_outputs(codec: PartitionCodec, group: WrittenGroup) -> dict[str, Place]:
    """Return the partition of each output, by path; `codec` is that of the group's `spec_of_outputs`."""
    if group.output_spec_id is None:
        return {each.path: group.place for each in group.outputs}
    spec_id = group.output_spec_id
    return {each.path: (spec_id, codec.encode(_values(partition_of(codec, each)))) for each in group.outputs}


def check_partition(codec: PartitionCodec, output: OutputFile, footer: pq.FileMetaData) -> Record:
    """Return the partition of an output after comparing it with the statistics in the output's footer.

    Raises:
        Fatal: as `partition_of`, or the file has rows of another partition.
    """
    record = partition_of(codec, output)
    positions = {leaf.field_id: leaf.position for leaf in leaves_of(footer)}
    for field, value, of in zip(codec.spec.fields, _values(record), codec.types, strict=True):
        if isinstance(field.transform, VoidTransform) or field.source_id not in positions:
            continue
        told = json_value(value, of)
        for found in _values_in(footer, positions[field.source_id], field, codec.schema.find_type(field.source_id)):
            if json_value(found, of) != told:
                raise Fatal(f"{output.path} has rows of {field.name} {json_value(found, of)!r}, its task says {told!r}")
    return record


def _values(record: Record) -> list[Any]:
    return [record[at] for at in range(len(record))]


def _values_in(footer: pq.FileMetaData, position: int, field: PartitionField, of: IcebergType) -> Iterator[Any]:
    """Yield the partition values that some rows of a file certainly have, by its footer."""
    chunks = chunks_of(footer, position)
    if any(not chunk.is_stats_set or not chunk.statistics.has_null_count for chunk in chunks):
        return
    if any(chunk.statistics.null_count for chunk in chunks):
        yield None
    bounds = column_range(chunks, of)
    # buckets do not keep the order of values: nothing follows from the least and the greatest
    if bounds is None or (isinstance(field.transform, BucketTransform) and bounds[0] != bounds[1]):
        return
    transform = field.transform.transform(of)
    for bound in bounds:
        try:
            yield transform(_readable(bound, of))
        except (OverflowError, UnicodeDecodeError):  # a year that Python does not know, text that is not UTF-8
            return


def _readable(value: Any, of: IcebergType) -> Any:
    """Return a footer's bound in PyIceberg's representation."""
    match of:
        case StringType():
            return value.decode()
        case DecimalType():
            return Decimal((int(value < 0), tuple(map(int, str(abs(value)))), -of.scale))
        case UUIDType():
            return bytes(value)
        case _:
            return value
