# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.unfreeze_request import UnfreezeRequest
from ...types import Unset


def _get_kwargs(
    table_id: str,
    *,
    body: UnfreezeRequest | Mapping[str, Any],
) -> dict[str, Any]:
    """Unfreeze a table.

    Let runs start again on a table that a failed proof froze. Look at the table first: `freeze` says at
    what.

    Nothing of the table is changed; its parent snapshot is let go by the next run. Does nothing when it
    is not frozen.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
        body: The end of a freeze.
    """

    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/tables/{table_id}/unfreeze".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
