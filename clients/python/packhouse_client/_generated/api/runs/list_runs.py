# Generated from openapi.yaml by clients/generate.py; do not edit.
import datetime
from collections.abc import Sequence
from typing import Any

from ...models.operation import Operation
from ...models.run_document import RunDocument
from ...models.run_state import RunState
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    include: Sequence[RunDocument | str] | str | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    state: Sequence[RunState | str] | str | Unset = UNSET,
    operation: Sequence[Operation | str] | str | Unset = UNSET,
    catalog: str | Unset = UNSET,
    owner_team: str | Unset = UNSET,
    since: datetime.datetime | str | Unset = UNSET,
    until: datetime.datetime | str | Unset = UNSET,
    table_id: str | Unset = UNSET,
) -> dict[str, Any]:
    """List runs, newest first.

    List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        include: Parts of each run to add to its summary; accepts several.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        state: Only those in one of these states; accepts several.
        operation: Only those of one of these kinds; accepts several.
        catalog: In this catalog.
        owner_team: Of tables that this team owns.
        since: From this instant on.
        until: Before this instant.
        table_id: Id or address of a table, such as `lake.sales.orders`.
    """

    params: dict[str, Any] = {}
    params["include"] = [include] if isinstance(include, str) else include
    params["page_size"] = page_size
    params["page_token"] = page_token
    params["state"] = [state] if isinstance(state, str) else state
    params["operation"] = [operation] if isinstance(operation, str) else operation
    params["catalog"] = catalog
    params["owner_team"] = owner_team
    params["since"] = since.isoformat() if isinstance(since, datetime.datetime) else since
    params["until"] = until.isoformat() if isinstance(until, datetime.datetime) else until
    params["table_id"] = table_id

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs",
        "params": params,
    }

    return _kwargs
