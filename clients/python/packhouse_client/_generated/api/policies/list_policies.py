# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any

from ...types import UNSET, Unset


def _get_kwargs(
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    scope_team: str | Unset = UNSET,
    scope_label: str | Unset = UNSET,
) -> dict[str, Any]:
    """List policies by name.

    List the policies of all scopes but single tables.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        scope_team: Only the policy of this team.
        scope_label: Only the policy of this label, written `key:value`.
    """

    params: dict[str, Any] = {}
    params["page_size"] = page_size
    params["page_token"] = page_token
    params["scope_team"] = scope_team
    params["scope_label"] = scope_label

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/policies",
        "params": params,
    }

    return _kwargs
