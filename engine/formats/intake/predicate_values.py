"""Convert the JSON values of partition predicates to the types of columns.

Every function raises `ValueError`, with a message for users, for a value that is not of the type.
"""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from engine.domain.tables.predicates import Scalar

_DAY: Final = "a date such as '2026-11-01'"
_TIMESTAMP: Final = "a timestamp without a time zone, such as '2026-11-01T16:00:00'"


def typed(kind: type[Any], value: Scalar, wanted: str) -> Any:
    """Return a value of exactly this Python type; `wanted` completes "… is not"."""
    if type(value) is not kind:
        message = f"{value!r} is not {wanted}"
        raise ValueError(message)
    return value


def truth(value: Scalar) -> bool:
    """Return a boolean."""
    return bool(typed(bool, value, "true or false"))


def text(value: Scalar) -> str:
    """Return a text."""
    return str(typed(str, value, "text"))


def parsed(parse: Callable[[str], Any], value: Scalar, wanted: str) -> Any:
    """Return what `parse` makes of a text; it raises `ValueError` for others. `wanted` completes "… is not"."""
    given = typed(str, value, wanted)
    try:
        return parse(given)
    except ValueError:
        message = f"{given!r} is not {wanted}"
        raise ValueError(message) from None


def whole(value: Scalar, bits: int) -> int:
    """Return a whole number of at most so many bits besides its sign."""
    number: int = typed(int, value, "a whole number")
    if not -(2**bits) <= number < 2**bits:
        message = f"{number} does not fit into {bits + 1} bits"
        raise ValueError(message)
    return number


def day(value: Scalar, parse: Callable[[str], date] = date.fromisoformat) -> date:
    """Return the date of an ISO 8601 text."""
    found: date = parsed(parse, value, _DAY)
    return found


def timestamp(value: Scalar) -> datetime:
    """Return the timestamp without a time zone of an ISO 8601 text."""
    found: datetime = parsed(_local, value, _TIMESTAMP)
    return found


def _local(given: str) -> datetime:
    found = datetime.fromisoformat(given)
    if found.tzinfo is not None:
        raise ValueError(given)
    return found


def decimal(value: Scalar) -> Decimal:
    """Return the decimal of a text or of a whole number."""
    given = str(value) if type(value) is int else value
    number: Decimal = parsed(_finite, given, "a decimal as text")
    return number


def _finite(given: str) -> Decimal:
    try:
        number = Decimal(given)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ValueError(given)
    return number
