# Generated from openapi.yaml by clients/generate.py; do not edit.
import datetime
from typing import Any

from ...models.signal_kind import SignalKind
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    kind: SignalKind | str,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    table_id: str | Unset = UNSET,
    since: datetime.datetime | str | Unset = UNSET,
    until: datetime.datetime | str | Unset = UNSET,
) -> dict[str, Any]:
    """List signals of a kind, newest first.

    List signals about a table or, without `table_id`, about the fleet.

    Args:
        kind: Subject of a signal.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        table_id: Id or address of a table, such as `lake.sales.orders`.
        since: From this instant on.
        until: Before this instant.
    """

    params: dict[str, Any] = {}
    params["kind"] = kind
    params["page_size"] = page_size
    params["page_token"] = page_token
    params["table_id"] = table_id
    params["since"] = since.isoformat() if isinstance(since, datetime.datetime) else since
    params["until"] = until.isoformat() if isinstance(until, datetime.datetime) else until

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/signals",
        "params": params,
    }

    return _kwargs
