# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.plan_request import PlanRequest
from ...types import UNSET, Unset


def _get_kwargs(
    table_id: str,
    *,
    body: None | PlanRequest | Mapping[str, Any] | Unset = UNSET,
) -> dict[str, Any]:
    """Plan without doing.

    Plan a run without starting it: groups, bytes, files, seconds. A policy can replace the stored one.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
        body: The document to send; see the class for its fields.
    """

    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/tables/{table_id}/plan".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
