# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote

from ...types import UNSET, Unset


def _get_kwargs(
    name: str,
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> dict[str, Any]:
    """List the versions of a policy, newest first.

    List all versions under a name, including deletions, each with its changes.

    Args:
        name: Name of the policy.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """

    params: dict[str, Any] = {}
    params["page_size"] = page_size
    params["page_token"] = page_token

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/policies/{name}/versions".format(
            name=quote(str(name), safe=""),
        ),
        "params": params,
    }

    return _kwargs
