# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.grants_put import GrantsPut
from ...types import Unset


def _get_kwargs(
    name: str,
    *,
    body: GrantsPut | Mapping[str, Any],
    if_match: str,
) -> dict[str, Any]:
    """Write a catalog's grants.

    Replace all grants. The ETag is the catalog's: needs If-Match with it.

    Args:
        name: Name of the catalog.
        if_match: ETag of the version that was read.
        body: All grants of a catalog.
    """

    headers: dict[str, Any] = {}
    headers["if-match"] = if_match

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v1/catalogs/{name}/grants".format(
            name=quote(str(name), safe=""),
        ),
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
