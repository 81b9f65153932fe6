"""Types of query parameters, which are sent as text: a flag is `true` or `false`, a whole number is digits."""

import re
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from engine.domain.values.hints import Misread

_FLAGS: Final = {"true": True, "false": False}
_WHOLE: Final = re.compile(r"-?[0-9]{1,19}")


def _flag(value: Any) -> Any:
    if isinstance(value, str) and value not in _FLAGS:
        raise Misread("not a flag: write true or false")
    return _FLAGS[value] if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    if isinstance(value, str) and not _WHOLE.fullmatch(value):
        raise Misread("not a whole number: write digits, such as 50")
    return value


TextFlag = Annotated[bool, BeforeValidator(_flag)]
TextWhole = Annotated[int, BeforeValidator(_whole)]
