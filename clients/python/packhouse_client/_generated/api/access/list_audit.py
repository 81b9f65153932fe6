# Generated from openapi.yaml by clients/generate.py; do not edit.
import datetime
from typing import Any

from ...types import UNSET, Unset


def _get_kwargs(
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    caller: str | Unset = UNSET,
    action: str | Unset = UNSET,
    object_: str | Unset = UNSET,
    since: datetime.datetime | str | Unset = UNSET,
    until: datetime.datetime | str | Unset = UNSET,
) -> dict[str, Any]:
    """List audit entries, newest first.

    List who changed what, when and how, with the hash of each entry and the head of the chain.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        caller: Changed by this caller.
        action: Of this kind of change.
        object_: Id or name of the changed object.
        since: From this instant on.
        until: Before this instant.
    """

    params: dict[str, Any] = {}
    params["page_size"] = page_size
    params["page_token"] = page_token
    params["caller"] = caller
    params["action"] = action
    params["object"] = object_
    params["since"] = since.isoformat() if isinstance(since, datetime.datetime) else since
    params["until"] = until.isoformat() if isinstance(until, datetime.datetime) else until

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/audit",
        "params": params,
    }

    return _kwargs
