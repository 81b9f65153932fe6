"""Arguments of requests for httpx: how Python values are written into addresses, queries, headers and bodies."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from packhouse_client.bases import Model


def quoted(value: object) -> str:
    """Return a value as one part of a path: slashes and all other reserved characters are escaped."""
    return quote(str(value), safe="")


def arguments(
    method: str,
    url: str,
    *,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str | None] | None = None,
    body: "Model | Mapping[str, Any] | None" = None,
) -> dict[str, Any]:
    """Return the arguments of one request, without the parameters that are None.

    Lists become repeated parameters, instants ISO 8601. A mapping is sent unchanged, a model with the fields that were
    given: a field that was given as None is sent as null, and a default is not sent.
    """
    found: dict[str, Any] = {"method": method, "url": url}
    if query is not None:
        found["params"] = {name: _query_value(value) for name, value in query.items() if value is not None}
    if headers is not None:
        found["headers"] = {name: value for name, value in headers.items() if value is not None}
    if body is not None:
        found["json"] = dict(body) if isinstance(body, Mapping) else body.to_document()
    return found


def _query_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
