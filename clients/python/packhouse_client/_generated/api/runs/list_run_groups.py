# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from ...models.group_state import GroupState
from ...types import UNSET, Unset


def _get_kwargs(
    run_id: str,
    *,
    state: Sequence[GroupState | str] | str | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> dict[str, Any]:
    """List a run's file groups.

    List file groups by ordinal, in some states if they are given.

    Args:
        run_id: Id of the run.
        state: Only those in one of these states; accepts several.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """

    params: dict[str, Any] = {}
    params["state"] = [state] if isinstance(state, str) else state
    params["page_size"] = page_size
    params["page_token"] = page_token

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs/{run_id}/groups".format(
            run_id=quote(str(run_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs
