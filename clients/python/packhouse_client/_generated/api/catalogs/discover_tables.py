# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.discover_request import DiscoverRequest
from ...types import Unset


def _get_kwargs(
    name: str,
    *,
    body: DiscoverRequest | Mapping[str, Any],
) -> dict[str, Any]:
    """List a catalog's tables, and register many at once.

    List the tables that match with whether each is registered or can be; register them on request.

    Below admin: tables of namespaces granted with `discover`; registering needs `register` too. Sending
    the same
    request again continues where the last one ended.

    Args:
        name: Name of the catalog.
        body: Tables to look for, and whether to register them.
    """

    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/catalogs/{name}/discover".format(
            name=quote(str(name), safe=""),
        ),
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
