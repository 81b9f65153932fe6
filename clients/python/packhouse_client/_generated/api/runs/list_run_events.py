# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote

from ...types import UNSET, Unset


def _get_kwargs(
    run_id: str,
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> dict[str, Any]:
    """List or stream a run's events.

    Show events, oldest first. With `Accept: text/event-stream` they come as they happen, until the run
    has ended.

    Args:
        run_id: Id of the run.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        last_event_id: Stream: resume after it.
    """

    headers: dict[str, Any] = {}
    if not isinstance(last_event_id, Unset):
        headers["Last-Event-ID"] = last_event_id

    params: dict[str, Any] = {}
    params["page_size"] = page_size
    params["page_token"] = page_token

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs/{run_id}/events".format(
            run_id=quote(str(run_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs
