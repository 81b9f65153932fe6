# Generated from openapi.yaml by clients/generate.py; do not edit.
import datetime
from typing import Any
from urllib.parse import quote

from ...types import UNSET, Unset


def _get_kwargs(
    table_id: str,
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    since: datetime.datetime | str | Unset = UNSET,
    until: datetime.datetime | str | Unset = UNSET,
) -> dict[str, Any]:
    """List the measurements of a table, newest first.

    List measurements: one for each snapshot that was looked at by health, plan, explain or a run.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        since: From this instant on.
        until: Before this instant.
    """

    params: dict[str, Any] = {}
    params["page_size"] = page_size
    params["page_token"] = page_token
    params["since"] = since.isoformat() if isinstance(since, datetime.datetime) else since
    params["until"] = until.isoformat() if isinstance(until, datetime.datetime) else until

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables/{table_id}/health/history".format(
            table_id=quote(str(table_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs
