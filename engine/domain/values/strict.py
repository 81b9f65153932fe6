"""Strict field types for JSON values: neither `1` nor `"yes"` is true, and `"5"` is not a number.

JSON has one kind of number, so `5.0` is the integer 5. Instants are RFC 3339 strings with an offset; a bare number or a
date alone is refused. One-line text contains no line breaks, and no characters that hide text or change its direction.
"""

import re
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, Strict

from engine.domain.values.hints import Misread

_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})", re.IGNORECASE
)

UNSEEN: Final = r"\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
"""Control characters, line separators, and characters that hide text or change its direction, as a character class of
a regular expression without its brackets. Unlike Python's `isprintable`, OpenAPI can express this rule as well."""
ONE_LINE: Final = f"^[^{UNSEEN}]*$"
_ONE_LINE: Final = re.compile(rf"[^{UNSEEN}\ud800-\udfff]*")  # lone surrogates can't be stored


def is_one_line(text: str) -> bool:
    """Return whether a text contains no control characters."""
    return _ONE_LINE.fullmatch(text) is not None


def one_line(text: str) -> str:
    """Return a text without control characters, or raise `Misread`."""
    if not is_one_line(text):
        raise Misread("no control characters are allowed")
    return text


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _written_instant(value: Any) -> Any:
    if not isinstance(value, datetime) and not (isinstance(value, str) and _INSTANT.fullmatch(value)):
        raise Misread("not an instant of RFC 3339: a date, a time and an offset", "such as '2026-11-01T09:30:00Z'")
    return value


Flag = Annotated[bool, Strict()]
Whole = Annotated[int, BeforeValidator(_whole), Strict()]
Number = Annotated[float, Strict()]
"""An integer or a fraction."""
OneLine = Annotated[str, AfterValidator(one_line), Field(json_schema_extra={"pattern": ONE_LINE})]
"""Text without control characters."""
Instant = Annotated[AwareDatetime, BeforeValidator(_written_instant), Field(examples=["2026-11-01T09:30:00Z"])]
"""A field that takes an instant with its offset."""
