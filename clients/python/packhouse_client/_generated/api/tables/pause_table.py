# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.pause_request import PauseRequest
from ...types import Unset


def _get_kwargs(
    table_id: str,
    *,
    body: PauseRequest | Mapping[str, Any],
) -> dict[str, Any]:
    """Pause a table.

    Start nothing new on a table; what runs drains or stops, then waits. Pausing again changes reason
    and mode.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
        body: A pause and why.
    """

    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/tables/{table_id}/pause".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
