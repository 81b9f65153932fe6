# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.grants_put import GrantsPut
from ...types import UNSET, Unset


def _get_kwargs(
    name: str,
    *,
    body: GrantsPut | Mapping[str, Any],
    if_match: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> dict[str, Any]:
    """Write a catalog's grants.

    Replace all grants. The ETag is the catalog's: needs If-Match with it.

    Args:
        name: See the API's description.
        if_match: ETag of the object as it was read.
        if_none_match: `*`: only if there is none yet.
        body: All grants of a catalog.
    """

    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["if-match"] = if_match

    if not isinstance(if_none_match, Unset):
        headers["if-none-match"] = if_none_match

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
