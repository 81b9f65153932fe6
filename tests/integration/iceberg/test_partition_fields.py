"""JSON values through Iceberg's transforms, to be compared with partitions as manifests have them."""

from typing import Any

import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    TruncateTransform,
    VoidTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

from engine.formats.iceberg.metadata.partition_fields import spec_fields
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.planning.plans.predicates import PartitionSpecFields

IDENTITY = IdentityTransform()
UUID_ONE = "12345678-1234-5678-1234-567812345678"


def fields(of: IcebergType, transform: Any = IDENTITY) -> PartitionSpecFields:
    schema = Schema(NestedField(1, "c", of))
    spec = PartitionSpec(PartitionField(1, 1000, transform, "p"))
    metadata = new_table_metadata(schema, spec, UNSORTED_SORT_ORDER, "file:///t", {"format-version": "3"})
    bound = metadata.partition_specs[0]
    (made,) = spec_fields(metadata, {bound.spec_id: PartitionCodec(spec=bound, schema=metadata.schema())})
    return made


@pytest.mark.parametrize(
    ("of", "transform", "value", "partition"),
    [
        (BooleanType(), IDENTITY, True, '{"p":true}'),
        (IntegerType(), IDENTITY, -5, '{"p":-5}'),
        (LongType(), IDENTITY, 2**62, f'{{"p":{2**62}}}'),
        (DoubleType(), IDENTITY, 1, '{"p":1.0}'),
        (FloatType(), IDENTITY, 0.1, '{"p":0.10000000149011612}'),
        (DecimalType(9, 2), IDENTITY, "-1.2", '{"p":"-1.20"}'),
        (DecimalType(9, 2), IDENTITY, 7, '{"p":"7.00"}'),
        (StringType(), IDENTITY, "a' OR '1'='1", "{\"p\":\"a' OR '1'='1\"}"),
        (DateType(), IDENTITY, "2026-01-01", '{"p":"2026-01-01"}'),
        (TimeType(), IDENTITY, "01:00:00.000001", '{"p":"01:00:00.000001"}'),
        (TimestampType(), IDENTITY, "2026-01-02T03:04:05.000006", '{"p":"2026-01-02T03:04:05.000006"}'),
        (TimestamptzType(), IDENTITY, "2026-01-02T04:04:05+01:00", '{"p":"2026-01-02T03:04:05.000000+00:00"}'),
        (TimestampNanoType(), IDENTITY, "2026-01-02T03:04:05.1", '{"p":"2026-01-02T03:04:05.100000000"}'),
        (TimestampNanoType(), IDENTITY, "2026-01-02T03:04:05.12345678", '{"p":"2026-01-02T03:04:05.123456780"}'),
        (
            TimestamptzNanoType(),
            IDENTITY,
            "2026-01-02T04:04:05.000000001+01:00",
            '{"p":"2026-01-02T03:04:05.000000001+00:00"}',
        ),
        (TimestampNanoType(), DayTransform(), "1969-12-31T23:59:59.999999999", '{"p":"1969-12-31"}'),
        (UUIDType(), IDENTITY, UUID_ONE, f'{{"p":"{UUID_ONE}"}}'),
        (BinaryType(), IDENTITY, "AP8=", '{"p":"AP8="}'),
        (DateType(), MonthTransform(), "2026-11-20", '{"p":682}'),
        (TimestampType(), DayTransform(), "2026-11-01", '{"p":"2026-11-01"}'),
        (TimestampType(), DayTransform(), "2026-11-01T23:59:59", '{"p":"2026-11-01"}'),
        (TimestamptzType(), HourTransform(), "1970-01-02T03:30:00Z", '{"p":27}'),
        (TimestamptzType(), YearTransform(), "1969-06-01", '{"p":-1}'),
        (StringType(), TruncateTransform(3), "abcdef", '{"p":"abc"}'),
        (LongType(), TruncateTransform(10), -1, '{"p":-10}'),
        (DecimalType(9, 2), TruncateTransform(50), "10.65", '{"p":"10.50"}'),
        (LongType(), BucketTransform(16), 34, '{"p":3}'),
    ],
)
def test_a_value_is_that_of_its_partition(of: IcebergType, transform: Any, value: Any, partition: str) -> None:
    made = fields(of, transform)
    assert made.fields[0].convert(value) == made.decode(partition)[0]


@pytest.mark.parametrize(
    ("of", "value"),
    [
        (BooleanType(), 1),
        (IntegerType(), True),
        (IntegerType(), 2**31),
        (IntegerType(), 1.5),
        (LongType(), "1"),
        (DoubleType(), "1"),
        (FloatType(), 1e300),
        (DecimalType(9, 2), "1.234"),
        (DecimalType(9, 2), "12345678.00"),
        (DecimalType(9, 2), "1E+999999999"),
        (DecimalType(9, 2), "NaN"),
        (DecimalType(9, 2), 1.5),
        (StringType(), 5),
        (DateType(), "2026-13-01"),
        (DateType(), 20454),
        (TimestampType(), "2026-01-01T00:00:00Z"),
        (TimestamptzType(), "0001-01-01T00:00:00+14:00"),
        (TimeType(), "25:00"),
        (UUIDType(), "not-a-uuid"),
        (BinaryType(), "not base 64!"),
        (TimestampNanoType(), "2026-01-01T00:00:00Z"),
        (UnknownType(), "2026-01-01T00:00:00"),
    ],
)
def test_a_value_of_another_type_is_refused_in_words(of: IcebergType, value: Any) -> None:
    field = fields(of).fields[0]
    with pytest.raises(ValueError, match=r"is not|does not fit|is out of range|has an offset|can't be compared"):
        field.convert(value)


def test_a_dropped_field_is_no_partition_source() -> None:
    assert fields(LongType(), VoidTransform()).fields == ()
