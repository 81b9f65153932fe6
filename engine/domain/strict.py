"""Types of fields that take a value as JSON has it: no `1` or `"yes"` for true, no `"5"` for a number.

Instants are text by RFC 3339 with an offset; a bare number or a date alone is none.
"""

import re
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import AwareDatetime, BeforeValidator, Field, Strict

from engine.domain.hints import Misread

_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})", re.IGNORECASE
)


def _written_instant(value: Any) -> Any:
    if not isinstance(value, datetime) and not (isinstance(value, str) and _INSTANT.fullmatch(value)):
        raise Misread("not an instant of RFC 3339: a date, a time and an offset", "such as '2026-11-01T09:30:00Z'")
    return value


Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Number = Annotated[float, Strict()]
"""An integer or a fraction."""
Instant = Annotated[AwareDatetime, BeforeValidator(_written_instant), Field(examples=["2026-11-01T09:30:00Z"])]
"""A field that takes an instant with its offset."""
