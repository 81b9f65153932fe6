# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.pause_request import PauseRequest
from ...types import Unset


def _get_kwargs(
    name: str,
    *,
    body: PauseRequest | Mapping[str, Any],
) -> dict[str, Any]:
    """Pause a catalog's tables.

    Start nothing new on any table of a catalog; what runs drains or stops, then waits.

    Args:
        name: Name of the catalog.
        body: A pause and why.
    """

    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/catalogs/{name}/pause".format(
            name=quote(str(name), safe=""),
        ),
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
