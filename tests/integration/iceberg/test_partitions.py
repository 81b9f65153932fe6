"""Canonical JSON of partitions: one text for one partition, whoever wrote it, and back."""

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    IcebergType,
    LongType,
    NestedField,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from engine.formats.iceberg.manifests.summaries import uuid_signs
from engine.formats.iceberg.metadata.partitions import PartitionCodec


def codec(of: IcebergType, transform: Any = None) -> PartitionCodec:
    spec = PartitionSpec(PartitionField(1, 1000, transform or IdentityTransform(), "p"))
    return PartitionCodec(spec=spec, schema=Schema(NestedField(1, "c", of)))


NINE = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
UUID_ONE = UUID("12345678-1234-5678-1234-567812345678")


@pytest.mark.parametrize(
    ("of", "by_pyiceberg", "by_fastavro", "text"),
    [
        (DateType(), 20454, date(2026, 1, 1), '{"p":"2026-01-01"}'),
        (TimestampType(), 1767323045000006, NINE, '{"p":"2026-01-02T03:04:05.000006"}'),
        (TimestamptzType(), 1767323045000006, NINE, '{"p":"2026-01-02T03:04:05.000006+00:00"}'),
        (TimestampNanoType(), 1767323045000006007, 1767323045000006007, '{"p":"2026-01-02T03:04:05.000006007"}'),
        (TimestamptzNanoType(), -1, -1, '{"p":"1969-12-31T23:59:59.999999999+00:00"}'),
        (TimeType(), 3_600_000_001, time(1, 0, 0, 1), '{"p":"01:00:00.000001"}'),
        (DecimalType(9, 2), Decimal("-1.20"), b"\x88", '{"p":"-1.20"}'),
        (UUIDType(), UUID_ONE, UUID_ONE.bytes, f'{{"p":"{UUID_ONE}"}}'),
        (BinaryType(), b"\x00\xff", b"\x00\xff", '{"p":"AP8="}'),
        (FixedType(2), b"ab", b"ab", '{"p":"YWI="}'),
        (BooleanType(), True, True, '{"p":true}'),
        (LongType(), -5, -5, '{"p":-5}'),
        (DoubleType(), math.nan, math.nan, '{"p":"NaN"}'),
        (DoubleType(), -math.inf, -math.inf, '{"p":"-Infinity"}'),
        (StringType(), 'a"é', 'a"é', '{"p":"a\\"é"}'),
        (StringType(), "null", "null", '{"p":"null"}'),
        (StringType(), None, None, '{"p":null}'),
    ],
    ids=str,
)
def test_one_partition_has_one_text(of: IcebergType, by_pyiceberg: Any, by_fastavro: Any, text: str):
    assert codec(of).encode([by_pyiceberg]) == codec(of).encode([by_fastavro]) == text


@pytest.mark.parametrize(
    ("of", "transform", "value", "text"),
    [
        (TimestampType(), DayTransform(), 20454, '{"p":"2026-01-01"}'),
        (TimestampType(), HourTransform(), 490_896, '{"p":"2026-01-01 00:00"}'),
        (TimestamptzType(), HourTransform(), -1, '{"p":"1969-12-31 23:00"}'),
        (TimestampType(), MonthTransform(), 671, '{"p":"2025-12"}'),
        (DateType(), YearTransform(), 56, '{"p":"2026"}'),
        (DateType(), YearTransform(), 8030, '{"p":8030}'),
        (StringType(), BucketTransform(8), 7, '{"p":7}'),
        (DecimalType(38, 3), TruncateTransform(10), Decimal("12345678901234567890123456789012345.670"), None),
    ],
)
def test_results_of_transforms_have_their_own_type(of: IcebergType, transform: Any, value: Any, text: str | None):
    found = codec(of, transform).encode([value])
    assert found == (text or f'{{"p":"{value}"}}')
    assert codec(of, transform).decode(found) == Record(value)


def test_a_value_of_another_type_than_the_transform_gives_is_shown_as_it_is():
    assert codec(TimestampType(), HourTransform()).encode([date(2026, 1, 1)]) == '{"p":"2026-01-01"}'


@given(st.one_of(st.none(), st.text()))
def test_any_text_comes_back(value: str | None):
    made = codec(StringType())
    assert made.decode(made.encode([value])) == Record(value)


@given(st.integers(-(2**63), 2**63 - 1))
def test_any_nanosecond_comes_back(nanos: int):
    for of in (TimestampNanoType(), TimestamptzNanoType()):
        assert codec(of).decode(codec(of).encode([nanos])) == Record(nanos)


@given(st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999))
def test_any_instant_comes_back(micros: int):
    for of in (TimestampType(), TimestamptzType()):
        made = codec(of)
        assert made.decode(made.encode([micros])) == Record(micros)


@given(st.sampled_from([HourTransform(), MonthTransform(), YearTransform()]), st.integers(-(10**8), 10**8))
def test_any_hour_month_and_year_comes_back_in_or_out_of_the_calendar(transform: Any, ordinal: int):
    made = codec(TimestampType(), transform)
    assert made.decode(made.encode([ordinal])) == Record(ordinal)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**28), max_value=10**28, places=10))
def test_any_decimal_comes_back(value: Decimal):
    made = codec(DecimalType(38, 10))
    assert made.decode(made.encode([value])) == Record(value)


def test_keys_of_another_spec_are_refused():
    with pytest.raises(ValueError, match="does not fit spec 0"):
        codec(StringType()).decode('{"q":"a"}')


def test_paths_are_escaped_as_iceberg_does():
    assert codec(StringType()).path('{"p":"a/b c=d"}') == "p=a%2Fb+c%3Dd"
    for stored in ('"2026-01-01 00:00"', 490896):  # the number is of a record of an older version
        assert codec(TimestampType(), HourTransform()).path(f'{{"p":{stored}}}') == "p=2026-01-01-00"
    assert codec(StringType()).path('{"p":null}') == "p=null"


@pytest.mark.parametrize(
    ("value", "signs"),
    [
        (None, ()),
        (UUID(int=0), (False, False)),
        (UUID(int=1 << 63), (False, True)),
        (UUID(int=1 << 127), (True, False)),
        (UUID(int=(1 << 128) - 1).bytes, (True, True)),
    ],
)
def test_signs_of_uuids_are_those_of_their_halves(value: Any, signs: tuple[bool, ...]) -> None:
    assert uuid_signs(Record(value), [0]) == signs
    assert uuid_signs(Record(str(value)), []) == ()
