"""Random columns and partition keys of Hive tables: each type's names in Hive, DuckDB and Arrow, and its values."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, Final

import pyarrow as pa

from tests.support.hive.lakes import NULL

Make = Callable[[Random], Any]

_TEXTS: Final = (
    *("", "a", "A", "Aachen", "ß", "日本", "it's", "\\", "%41", "NaN", "null", "\U0001f600", "\0", "x\0y", "x\0"),
    *("a" * 70, "z" * 3000),
)
_SPECIAL: Final = (0.0, -0.0, math.nan, math.inf, -math.inf, 1.5)
_DAYS: Final = (date(1900, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(9999, 12, 31))


@dataclass(frozen=True)
class Kind:
    """A type of columns: its name in Hive and in DuckDB, its Arrow type, and random values of it, never null."""

    hive: str
    duckdb: str
    arrow: pa.DataType
    make: Make

    @property
    def is_nested(self) -> bool:
        """Whether it is a struct, list or map: no condition is asked of it."""
        return pa.types.is_nested(self.arrow)

    @property
    def is_floating(self) -> bool:
        """Whether it has NaN and two zeros."""
        return pa.types.is_floating(self.arrow)


def _whole(hive: str, arrow: pa.DataType) -> Kind:
    most = 2 ** (arrow.bit_width - 1) - 1
    return Kind(
        hive, hive, arrow, lambda chance: chance.choice((0, -1, most, -most - 1, *(chance.randrange(-99, 99),) * 6))
    )


def _decimal(precision: int, scale: int) -> Kind:
    name, most = f"decimal({precision},{scale})", 10**precision - 1

    def make(chance: Random) -> Decimal:
        digits = chance.choice((0, 1, most, *(chance.randrange(most),) * 3))
        return Decimal((chance.randrange(2), tuple(map(int, str(digits))), -scale))

    return Kind(name, name, pa.decimal128(precision, scale), make)


def _struct(**fields: Kind) -> Kind:
    return Kind(
        f"struct<{','.join(f'{name}:{each.hive}' for name, each in fields.items())}>",
        f"STRUCT({', '.join(f'{name} {each.duckdb}' for name, each in fields.items())})",
        pa.struct([(name, each.arrow) for name, each in fields.items()]),
        lambda chance: {name: _maybe(each, chance) for name, each in fields.items()},
    )


def _array(of: Kind) -> Kind:
    def make(chance: Random) -> list[Any]:
        return [_maybe(of, chance) for _ in range(chance.choice((0, 1, 3)))]

    return Kind(f"array<{of.hive}>", f"{of.duckdb}[]", pa.list_(of.arrow), make)


def _map(key: Kind, value: Kind) -> Kind:
    def make(chance: Random) -> list[tuple[Any, Any]]:
        return [(each, _maybe(value, chance)) for each in {key.make(chance) for _ in range(chance.choice((0, 1, 3)))}]

    return Kind(
        f"map<{key.hive},{value.hive}>",
        f"MAP({key.duckdb}, {value.duckdb})",
        pa.map_(key.arrow, value.arrow),
        make,
    )


def _maybe(kind: Kind, chance: Random) -> Any:
    return None if chance.random() < 0.2 else kind.make(chance)


def _day(chance: Random) -> date:
    return chance.choice((*_DAYS, *(date(2026, 11, 1) + timedelta(days=chance.randrange(40)),) * 3))


def _instant(chance: Random) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=chance.choice((0, -1, 1, chance.randrange(2**51))))


ID: Final = _whole("bigint", pa.int64())
_INT: Final = _whole("int", pa.int32())
_DOUBLE: Final = Kind(
    "double", "DOUBLE", pa.float64(), lambda chance: chance.choice((*_SPECIAL, *(chance.uniform(-9, 9),) * 3))
)
_STRING: Final = Kind("string", "VARCHAR", pa.string(), lambda chance: chance.choice(_TEXTS))
_MONEY: Final = _decimal(9, 2)
KINDS: Final[Sequence[Kind]] = (
    *(_whole("tinyint", pa.int8()), _whole("smallint", pa.int16()), _INT, ID, _DOUBLE, _STRING),
    *(_MONEY, _decimal(18, 4), _decimal(38, 10)),
    Kind(
        "float", "FLOAT", pa.float32(), lambda chance: chance.choice((*_SPECIAL, *(chance.randrange(-9, 9) / 8,) * 3))
    ),
    Kind("boolean", "BOOLEAN", pa.bool_(), lambda chance: chance.random() < 0.5),
    Kind("date", "DATE", pa.date32(), _day),
    Kind("timestamp", "TIMESTAMPTZ", pa.timestamp("us", "UTC"), _instant),
    Kind("binary", "BLOB", pa.binary(), lambda chance: chance.choice((b"", b"\0", b"\xff\xff", chance.randbytes(5)))),
    *(_struct(a=_INT, b=_STRING), _array(_INT), _array(_struct(x=_DOUBLE, y=_array(_STRING)))),
    *(_map(_STRING, _MONEY), _map(_INT, _struct(p=_DOUBLE, q=_array(_INT)))),
)

_WORDS: Final = (
    *("a", "A", "b", "a b", " lead", "trail ", "x=y", "x/y", "%", "%41", "a%2Fb", "日本", "ünï", "u\u0308", "it's"),
    *('"', "null", "NULL", "1", "01", ":", "#", "[a]", "{b}", "*", "?", "\\", "a+b", ".", "..", ".x", "_x", "~"),
    *("compaction_id=1", f"{NULL}_", "long" * 30, "日" * 60, "\t", "\x7f"),
)
KEYS: Final[Mapping[str, Sequence[str]]] = {
    "string": _WORDS,
    "int": ("0", "-1", "7", str(2**31 - 1), str(-(2**31))),
    "bigint": ("0", "5", str(2**63 - 1), str(-(2**63))),
    "date": ("1900-01-01", "1969-12-31", "2026-11-01", "2026-11-02", "9999-12-31"),
    "decimal(9,2)": ("-1.50", "0.00", "0.01", "1234567.89", "-9999999.99"),
    "boolean": ("true", "false"),
}
"""Texts of partition values by the type of their key; a null is `NULL`."""

ODD_KEYS: Final[Mapping[str, Sequence[str]]] = {
    "string": ("",),
    "int": ("0042",),
    "bigint": ("0042",),
    "date": ("2026-1-1",),
    "decimal(9,2)": ("1.5",),
}
"""Texts that other writers store and Spark writes in another way: rows that it inserts get another partition."""

KEY_KINDS: Final[Mapping[str, str]] = {"string": "VARCHAR"}
"""Names of the types of keys in DuckDB where they are not those of Hive."""
