# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any

from ...types import UNSET, Unset


def _get_kwargs(
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> dict[str, Any]:
    """List catalogs by name.

    List the catalogs that the caller holds a grant on or sees tables of. Properties are shown to admins
    only.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """

    params: dict[str, Any] = {}
    params["page_size"] = page_size
    params["page_token"] = page_token

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/catalogs",
        "params": params,
    }

    return _kwargs
