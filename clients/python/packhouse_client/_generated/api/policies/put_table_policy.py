# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.policy_document_input import PolicyDocumentInput
from ...types import UNSET, Unset


def _get_kwargs(
    table_id: str,
    *,
    body: PolicyDocumentInput | Mapping[str, Any],
    dry_run: bool | Unset = False,
    message: str | Unset = UNSET,
    if_match: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> dict[str, Any]:
    """Write a table's own policy.

    Write the policy as a whole: If-None-Match: * for the first, If-Match with its ETag to replace it.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
        dry_run: Write nothing and return the effect of the change; no precondition is needed.
        message: Reason for the change, one line: kept with the version and in the audit log. A write that
            changes nothing keeps none.
        if_match: ETag of the version that was read.
        if_none_match: `*`: only if there is none yet.
        body: A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`;
            rates are per second.
    """

    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["if-match"] = if_match

    if not isinstance(if_none_match, Unset):
        headers["if-none-match"] = if_none_match

    params: dict[str, Any] = {}
    params["dry_run"] = dry_run
    params["message"] = message

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v1/tables/{table_id}/policy".format(
            table_id=quote(str(table_id), safe=""),
        ),
        "params": params,
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
