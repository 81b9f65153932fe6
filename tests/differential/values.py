"""Random rows for any schema: few values a column, so that partitions meet and dictionaries pay; and extremes."""

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa

_FIELD_ID = b"PARQUET:field_id"
_EPOCH = dt.datetime(2026, 11, 1)  # noqa: DTZ001 - local timestamps have no zone
_TEXTS = ("", "a", "Aachen", "ß", "a longer text than statistics keep, by far", "0", "\u00e9\U0001f600", "it's", "\\")
_NARROW, _WIDE = 3, 30


def random_rows(schema: pa.Schema, *, ids: range, narrow: set[int], random: Random) -> pa.Table:
    """Return rows of an Arrow schema with field ids; columns in `narrow` have few values, the same in every call."""
    columns = []
    for field in schema:
        field_id = int(field.metadata[_FIELD_ID])
        if field_id == 1:
            columns.append(pa.array(ids, field.type))
            continue
        pool = Random(field_id)
        values = [_value(field.type, pool) for _ in range(_NARROW if field_id in narrow else _WIDE)]
        if field_id in narrow and pa.types.is_integer(field.type):
            values = [max(each, _least_to_truncate(field.type)) for each in values]
        if field_id not in narrow and random.random() < 0.3:
            values = [_value(field.type, random) for _ in ids]
        nulls = 0.0 if not field.nullable else random.choice((0.0, 0.2, 0.2, 1.0))
        chosen = [None if random.random() < nulls else random.choice(values) for _ in ids]
        columns.append(pa.array(chosen, field.type))
    return pa.table(columns, schema=schema)


def _value(of: pa.DataType, random: Random) -> Any:
    make = next((make for is_kind, make in _MAKERS if is_kind(of)), None)
    assert make is not None, f"no values for {of}"
    return make(of, random)


def _least_to_truncate(of: pa.DataType) -> int:
    """Return a least value for columns of partitions: Iceberg's `truncate` of lesser ones overflows to the greatest.

    Rows of such partitions are lost to filters of every engine, with or without a rewrite.
    """
    return -(2 ** (of.bit_width - 1)) + 1000


def _struct(of: pa.DataType, random: Random) -> Any:
    return {field.name: _maybe(field.type, random) for field in of}


def _list(of: pa.DataType, random: Random) -> Any:
    return [_maybe(of.value_type, random) for _ in range(random.choice((0, 1, 3)))]


def _map(of: pa.DataType, random: Random) -> Any:
    keys = {_value(of.key_type, random) for _ in range(random.choice((0, 1, 3)))}
    return [(key, _maybe(of.item_type, random)) for key in sorted(keys)]


def _whole(of: pa.DataType, random: Random) -> Any:
    most = 2 ** (of.bit_width - 1) - 1
    return random.choice((0, -1, most, -most - 1, *(random.randrange(-1000, 1000) for _ in range(8))))


def _float(of: pa.DataType, random: Random) -> Any:
    single = random.randrange(-100, 100) / 8
    return random.choice((*_SPECIAL, single, single if of == pa.float32() else random.uniform(-1, 1) / 3))


def _decimal(of: pa.DataType, random: Random) -> Any:
    digits = random.choice((0, 1, 10**of.precision - 1, random.randrange(10**of.precision)))
    return Decimal(random.choice((-1, 1)) * digits).scaleb(-of.scale)


def _date(_of: pa.DataType, random: Random) -> Any:
    return _EPOCH.date() + dt.timedelta(days=random.choice((0, 1, -30_000, random.randrange(40))))


def _timestamp(of: pa.DataType, random: Random) -> Any:
    at = _EPOCH + dt.timedelta(microseconds=random.choice((0, 1, -(10**15), random.randrange(10**11))))
    return at if of.tz is None else at.replace(tzinfo=dt.UTC)


def _maybe(of: pa.DataType, random: Random) -> Any:
    return None if random.random() < 0.2 else _value(of, random)


_SPECIAL = (0.0, -0.0, math.nan, math.inf, -math.inf, 1.5)
_MAKERS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Random], Any]], ...] = (
    (pa.types.is_struct, _struct),
    (pa.types.is_list, _list),
    (pa.types.is_large_list, _list),
    (pa.types.is_map, _map),
    (pa.types.is_boolean, lambda _, random: random.random() < 0.5),
    (pa.types.is_integer, _whole),
    (pa.types.is_floating, _float),
    (pa.types.is_decimal, _decimal),
    (pa.types.is_date, _date),
    (pa.types.is_timestamp, _timestamp),
    (pa.types.is_time, lambda _, random: dt.time(random.randrange(24), 30, microsecond=random.choice((0, 1, 999_999)))),
    (pa.types.is_fixed_size_binary, lambda of, random: random.randbytes(of.byte_width)),
    (lambda of: of == pa.uuid(), lambda _, random: random.randbytes(16)),
    (pa.types.is_large_string, lambda _, random: random.choice((*_TEXTS, f"text {random.randrange(1000)}"))),
    (pa.types.is_string, lambda _, random: random.choice((*_TEXTS, f"text {random.randrange(1000)}"))),
    (pa.types.is_large_binary, lambda _, random: random.choice((b"", b"\x00", b"\xff\xff", random.randbytes(5)))),
    (pa.types.is_binary, lambda _, random: random.choice((b"", b"\x00", b"\xff\xff", random.randbytes(5)))),
)
