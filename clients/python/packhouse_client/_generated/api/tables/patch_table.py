# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.table_patch import TablePatch
from ...types import UNSET, Unset


def _get_kwargs(
    table_id: str,
    *,
    body: TablePatch | Mapping[str, Any],
    if_match: str | Unset = UNSET,
) -> dict[str, Any]:
    """Change a table's team and labels.

    Change the given fields, as a JSON merge patch (RFC 7396). If-Match is optional.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
        if_match: ETag of the version that was read.
        body: Changes of a table, as a JSON merge patch: an absent field stays, null removes a value.
    """

    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["if-match"] = if_match

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/v1/tables/{table_id}".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
