# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote

from ...types import UNSET, Unset


def _get_kwargs(
    table_id: str,
    *,
    dry_run: bool | Unset = False,
    message: str | Unset = UNSET,
    if_match: str | Unset = UNSET,
) -> dict[str, Any]:
    """Delete a table's own policy.

    Delete the policy: all settings are inherited again. Needs If-Match.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
        dry_run: Write nothing and return the effect of the change; no precondition is needed.
        message: Reason for the change, one line: kept with the version and in the audit log. A write that
            changes nothing keeps none.
        if_match: ETag of the version that was read.
    """

    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["if-match"] = if_match

    params: dict[str, Any] = {}
    params["dry_run"] = dry_run
    params["message"] = message

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v1/tables/{table_id}/policy".format(
            table_id=quote(str(table_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs
