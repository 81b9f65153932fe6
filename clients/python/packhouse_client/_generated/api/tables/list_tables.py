# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Sequence
from typing import Any

from ...types import UNSET, Unset


def _get_kwargs(
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    catalog: str | Unset = UNSET,
    namespace: Sequence[str] | str | Unset = UNSET,
    name: str | Unset = UNSET,
    owner_team: str | Unset = UNSET,
    label: Sequence[str] | str | Unset = UNSET,
    paused: bool | Unset = UNSET,
    frozen: bool | Unset = UNSET,
) -> dict[str, Any]:
    """List tables, newest first.

    List registered tables that fit every filter given.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        catalog: In this catalog.
        namespace: Once for each level, outer first; needs `catalog`.
        name: With `catalog` and `namespace`: the one table.
        owner_team: Of tables that this team owns.
        label: `key:value`; several: all of them.
        paused: Only paused tables, or only others.
        frozen: Only frozen tables, or only others.
    """

    params: dict[str, Any] = {}
    params["page_size"] = page_size
    params["page_token"] = page_token
    params["catalog"] = catalog
    params["namespace"] = [namespace] if isinstance(namespace, str) else namespace
    params["name"] = name
    params["owner_team"] = owner_team
    params["label"] = [label] if isinstance(label, str) else label
    params["paused"] = paused
    params["frozen"] = frozen

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables",
        "params": params,
    }

    return _kwargs
