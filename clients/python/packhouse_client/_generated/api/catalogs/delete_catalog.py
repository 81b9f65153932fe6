# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    name: str,
    *,
    if_match: str,
) -> dict[str, Any]:
    """Delete a catalog.

    Delete a catalog without registered tables. Needs If-Match.

    Args:
        name: Name of the catalog.
        if_match: ETag of the version that was read.
    """

    headers: dict[str, Any] = {}
    headers["if-match"] = if_match

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v1/catalogs/{name}".format(
            name=quote(str(name), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs
