"""Columns, the clock and INSERT … ON CONFLICT, so that they behave identically on SQLite and Postgres.

Hazard: SQLite compares times as text, so every instant must have the same fixed width (microseconds and a `Z`); its
own clock has milliseconds and is padded. Ordered text (ids, names) is compared byte by byte on both, regardless of the
Postgres server's locale; otherwise keyset pages would differ.

All processes check leases against the database's clock. On Postgres that is `clock_timestamp()`, because `now()` is
frozen at the start of the transaction.
"""

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeVar

from sqlalchemy import JSON, ColumnElement, DateTime, Dialect, Float, String, Table, Text, TypeDecorator, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from engine.domain.runs.hot_partitions import Place
from engine.domain.values.instants import Period

_Member = TypeVar("_Member", bound=StrEnum)

ID_LENGTH: Final = 40
NAME_LENGTH: Final = 200
SQLITE_TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_SQLITE_TIME_WIDTH: Final = 27


class UtcTime(TypeDecorator[datetime]):
    """Column type for timezone-aware UTC datetimes: `timestamptz` on Postgres, fixed-width text on SQLite.

    Raises:
        ValueError: a naive datetime was bound.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of the dialect in use."""
        is_sqlite = dialect.name == "sqlite"
        return dialect.type_descriptor(String(_SQLITE_TIME_WIDTH) if is_sqlite else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Return the value in the driver's type."""
        if value is None:
            return None
        if value.tzinfo is None:
            message = f"{value!r} has no time zone"
            raise ValueError(message)
        instant = value.astimezone(UTC)
        return instant.strftime(SQLITE_TIME_FORMAT) if dialect.name == "sqlite" else instant

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return an aware UTC datetime."""
        if value is None:
            return None
        instant: datetime = datetime.fromisoformat(value) if dialect.name == "sqlite" else value
        return instant.astimezone(UTC)


class EnumText(TypeDecorator[_Member]):
    """Column type for a `StrEnum` member, stored as its value; a CHECK in the schema lists the allowed values.

    A newer version that uses the same database may store values unknown to this one. Such a value is read as a member
    that the class does not list (`unlisted`): it is shown and written back unchanged, and equals no listed one.
    """

    impl = String
    cache_ok = True

    def __init__(self, members: type[_Member]) -> None:
        super().__init__(40)
        self.members = members

    def process_bind_param(self, value: _Member | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - fixed by the base
        """Return the member's value."""
        return None if value is None else self.members(value).value

    def process_result_value(self, value: Any, dialect: Dialect) -> _Member | None:  # noqa: ARG002 - fixed by the base
        """Return the member."""
        if value is None:
            return None
        known: dict[str, _Member] = self.members._value2member_map_  # type: ignore[assignment]
        return known.get(value) or unlisted(self.members, value)


class Namespace(TypeDecorator[tuple[str, ...]]):
    """Column type for namespace levels: a compact JSON array as text, since unique indexes need one spelling."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - fixed by the base
        """Return the array as text."""
        return None if value is None else dump_json(list(value))

    def process_result_value(self, value: Any, dialect: Dialect) -> tuple[str, ...] | None:  # noqa: ARG002 - fixed by the base
        """Return the levels."""
        return None if value is None else tuple(json.loads(value))


@cache
def unlisted(members: type[_Member], value: str) -> _Member:
    """Return a member for a value that the class does not list; always the same object for the same value."""
    made = str.__new__(members, value)
    made._name_, made._value_ = value, value
    return made


def ordered_text(length: int) -> TypeEngine[str]:
    """Return the type of text of at most `length` characters that is ordered by its bytes on both dialects."""
    return String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def document() -> TypeEngine[Any]:
    """Return the JSON column type: JSONB on Postgres (key order is not kept), text on SQLite."""
    return JSON().with_variant(JSONB(), "postgresql")


def partition_key(place: Place) -> str:
    """Return a partition's unique key, a hash: its values may be too long for an index."""
    return hashlib.sha256(f"{place[0]} {place[1]}".encode()).hexdigest()


def within(column: ColumnElement[datetime], period: Period) -> list[ColumnElement[bool]]:
    """Return the conditions that an instant is in a period."""
    since = [] if period.since is None else [column >= period.since]
    return since + ([] if period.until is None else [column < period.until])


def dump_json(value: Any) -> str:
    """Return compact JSON; refuses NaN and infinities, which Postgres would refuse later and SQLite would store."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def one_of(column: str, members: Iterable[str]) -> str:
    """Return the condition for a CHECK that a column has one of these values."""
    return f"{column} IN ({', '.join(repr(str(member)) for member in sorted(members))})"


_SQLITE_FORMAT = "%Y-%m-%dT%H:%M:%f000Z"


class Now(FunctionElement[datetime]):
    """The current instant by the database's clock."""

    name = "packhouse_now"
    type = UtcTime()
    inherit_cache = True


class NowPlus(FunctionElement[datetime]):
    """The current instant by the database's clock, shifted by seconds (fractions and negative values allowed)."""

    name = "packhouse_now_plus"
    type = UtcTime()
    inherit_cache = True


def now() -> Now:
    """Return the SQL expression for the current instant."""
    return Now()


def seconds_from_now(seconds: float) -> NowPlus:
    """Return the SQL expression for the instant `seconds` from now; negative values are in the past."""
    return NowPlus(bindparam(None, float(seconds), type_=Float()))


@compiles(Now, "postgresql")
def _now_postgresql(_element: Now, _compiler: SQLCompiler, **_options: Any) -> str:
    return "clock_timestamp()"


@compiles(Now, "sqlite")
def _now_sqlite(_element: Now, _compiler: SQLCompiler, **_options: Any) -> str:
    return f"strftime('{_SQLITE_FORMAT}', 'now')"


@compiles(NowPlus, "postgresql")
def _now_plus_postgresql(element: NowPlus, compiler: SQLCompiler, **options: Any) -> str:
    return f"(clock_timestamp() + make_interval(secs => {compiler.process(element.clauses, **options)}))"


@compiles(NowPlus, "sqlite")
def _now_plus_sqlite(element: NowPlus, compiler: SQLCompiler, **options: Any) -> str:
    return f"strftime('{_SQLITE_FORMAT}', 'now', ({compiler.process(element.clauses, **options)}) || ' seconds')"


class StoredNumber(FunctionElement[float]):
    """The number at a path of a JSON column; without effect on a sum where the document has another value there."""

    name = "packhouse_stored_number"
    type = Float()
    inherit_cache = True


@compiles(StoredNumber, "postgresql")
def _number_postgresql(element: StoredNumber, compiler: SQLCompiler, **options: Any) -> str:
    value = compiler.process(element.clauses, **options)
    return f"CASE jsonb_typeof({value}) WHEN 'number' THEN ({value})::double precision END"


@compiles(StoredNumber, "sqlite")
def _number_sqlite(element: StoredNumber, compiler: SQLCompiler, **options: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **options)} AS REAL)"


def upsert(connection: AsyncConnection, into: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT with the `on_conflict_…` methods of the connection's dialect."""
    return sqlite.insert(into) if connection.dialect.name == "sqlite" else postgresql.insert(into)
