"""Arguments of requests for httpx: how Python values are written into addresses, queries, headers and bodies."""

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias
from urllib.parse import quote

if TYPE_CHECKING:
    from packhouse_client.bases import Model


class _Absence(Enum):
    ABSENT = "ABSENT"

    def __repr__(self) -> str:
        return self.value


Absent: TypeAlias = Literal[_Absence.ABSENT]
"""Type of a field of a body that was not given. It is not sent; None is sent as null."""
ABSENT: Final = _Absence.ABSENT


def quoted(value: object) -> str:
    """Return a value as one part of a path: slashes and all other reserved characters are escaped."""
    return quote(str(value), safe="")


def arguments(
    method: str,
    url: str,
    *,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str | None] | None = None,
    body: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the arguments of one request, without the parameters that are None.

    Lists become repeated parameters, instants ISO 8601.
    """
    found: dict[str, Any] = {"method": method, "url": url}
    if query is not None:
        found["params"] = {name: _query_value(value) for name, value in query.items() if value is not None}
    if headers is not None:
        found["headers"] = {name: value for name, value in headers.items() if value is not None}
    if body is not None:
        found["json"] = body
    return found


def body_of(
    body: "Model | Mapping[str, Any] | None", fields: Mapping[str, Any], *, is_required: bool = True
) -> dict[str, Any] | None:
    """Return the JSON of a body that was given as a whole or by its fields; None if it was not given and is optional.

    A mapping is sent unchanged, a model with the fields that were given: None is sent as null, a default is not sent.

    Raises:
        TypeError: both were given, or neither where the body is required.
    """
    given = {name: _document(value) for name, value in fields.items() if value is not ABSENT}
    if body is None:
        if is_required and not given:
            raise TypeError(f"it needs a body, or fields of it: {', '.join(fields)}")
        return given or None
    if given:
        raise TypeError(f"give a body or fields of it ({', '.join(given)}), not both")
    return dict(body) if isinstance(body, Mapping) else body.to_document()


def _document(value: Any) -> Any:
    """Return a field's value as JSON: models inside of it become documents, instants ISO 8601."""
    if hasattr(value, "to_document"):
        return value.to_document()
    if isinstance(value, list | tuple):
        return [_document(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _document(each) for name, each in value.items()}
    return _query_value(value)


def _query_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
