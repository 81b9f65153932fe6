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

    Unfreeze a table after a failed proof, so that runs can start. Inspect the snapshots in `freeze`
    first.

    The table is not changed; the next run releases its protected parent snapshot. Has no effect on a
    table that is not
    frozen.

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
