"""The API's own messages for values that pydantic refuses: the requirement, and its limits.

Used for requests, policies and settings, so that readers need not know pydantic's phrases or Python's type names.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import ErrorDetails

_MESSAGES: Final[Mapping[str, str]] = {
    "missing": "this field is required",
    "extra_forbidden": "unknown field",
    "none_required": "must be null",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number of at most 4300 digits",
    "int_from_float": "must be a whole number, without a fraction",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "multiple_of": "must be a multiple of {multiple_of}",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be a string",
    "string_unicode": "must be a string of valid Unicode",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "frozen_set_type": "must be a list",
    "iterable_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "mapping_type": "must be an object",
    "dataclass_type": "must be an object",
    "model_attributes_type": "must be an object",
    "datetime_type": "must be a time such as 2026-11-01T12:00:00Z",
    "datetime_parsing": "must be a time such as 2026-11-01T12:00:00Z",
    "datetime_from_date_parsing": "must be a time such as 2026-11-01T12:00:00Z",
    "datetime_object_invalid": "must be a time such as 2026-11-01T12:00:00Z",
    "timezone_aware": "must have a time zone, such as the Z of 2026-11-01T12:00:00Z",
    "date_type": "must be a date such as 2026-11-01",
    "date_parsing": "must be a date such as 2026-11-01",
    "date_from_datetime_parsing": "must be a date such as 2026-11-01",
    "date_from_datetime_inexact": "must be a date such as 2026-11-01, without a time",
    "time_type": "must be a time of day such as 09:30",
    "time_parsing": "must be a time of day such as 09:30",
    "json_invalid": "must be JSON",
    "json_type": "must be JSON",
    "union_tag_not_found": "this field is required",
    "union_tag_invalid": "must be one of {expected_tags}",
    "recursion_loop": "must not contain itself",
}
"""Message by type of error; names in braces refer to the error's context."""

_COUNTED: Final[Mapping[str, str]] = {
    "too_short": "must have at least {min_length} {noun}",
    "too_long": "must have at most {max_length} {noun}",
}
_ENUM_MEMBER: Final = re.compile(r"<[\w.]+: ('[^']*')>")
"""The form in which pydantic names a tag that is a member of an enum, with its value."""
_ADDED_BY_PYDANTIC: Final = ("Value error, ", "Assertion failed, ")


def message_of(error: ErrorDetails | Mapping[str, Any]) -> str:
    """Return the requirement that a refused value violates.

    Args:
        error: one entry of `ValidationError.errors()`. The message of a `ValueError` from a Packhouse validator is
            returned unchanged.
    """
    context = error.get("ctx", {})
    kind = error["type"]
    if kind in _COUNTED:
        count = context.get("min_length", context.get("max_length"))
        return _COUNTED[kind].format(**context, noun="entry" if count == 1 else "entries")
    if kind in _MESSAGES:
        if "expected_tags" in context:
            context = {**context, "expected_tags": _ENUM_MEMBER.sub(r"\1", context["expected_tags"])}
        return _MESSAGES[kind].format(**context)
    message = str(error["msg"])
    for prefix in _ADDED_BY_PYDANTIC:
        message = message.removeprefix(prefix)
    return message
