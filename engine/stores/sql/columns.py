"""Column types that behave identically on SQLite and Postgres.

Hazard: SQLite compares times as text, so every instant must have the same fixed width (microseconds and a `Z`);
`stores.sql.clock` formats SQLite's own clock accordingly. Ordered text (ids, names) is compared byte by byte on both,
regardless of the Postgres server's locale; otherwise keyset pages would differ.
"""

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeVar

from sqlalchemy import JSON, ColumnElement, DateTime, Dialect, String, Text, TypeDecorator
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR
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
