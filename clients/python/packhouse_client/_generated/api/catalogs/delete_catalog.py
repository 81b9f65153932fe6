# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote

from ...types import UNSET, Unset


def _get_kwargs(
    name: str,
    *,
    if_match: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> dict[str, Any]:
    """Delete a catalog.

    Delete a catalog without registered tables. Needs If-Match.

    Args:
        name: See the API's description.
        if_match: ETag of the object as it was read.
        if_none_match: `*`: only if there is none yet.
    """

    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["if-match"] = if_match

    if not isinstance(if_none_match, Unset):
        headers["if-none-match"] = if_none_match

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v1/catalogs/{name}".format(
            name=quote(str(name), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs
