# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Sequence
from typing import Any

from ...models.list_fleet_tables_sort import ListFleetTablesSort
from ...models.run_state import RunState
from ...models.verdict import Verdict
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    verdict: Sequence[Verdict | str] | str | Unset = UNSET,
    hold: Sequence[str] | str | Unset = UNSET,
    last_run_state: Sequence[RunState | str] | str | Unset = UNSET,
    due: bool | Unset = UNSET,
    catalog: str | Unset = UNSET,
    namespace: Sequence[str] | str | Unset = UNSET,
    name: str | Unset = UNSET,
    owner_team: str | Unset = UNSET,
    label: Sequence[str] | str | Unset = UNSET,
    paused: bool | Unset = UNSET,
    frozen: bool | Unset = UNSET,
    sort: ListFleetTablesSort | str | Unset = ListFleetTablesSort.VALUE_1,
) -> dict[str, Any]:
    """List tables with their state.

    List every table that the caller sees with its verdict, hold, next look and last run, without
    reading any table.

    Tables are ordered by benefit per cost, highest first, unless `sort` is given.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        verdict: Only tables with one of these verdicts; accepts several.
        hold: Only tables held back by one of these codes; accepts several.
        last_run_state: Only tables whose newest run is in one of these states; accepts several.
        due: Only tables that a rule makes due, or only others.
        catalog: In this catalog.
        namespace: Once for each level, outer first; needs `catalog`.
        name: With `catalog` and `namespace`: the one table.
        owner_team: Of tables that this team owns.
        label: `key:value`; several: all of them.
        paused: Only paused tables, or only others.
        frozen: Only frozen tables, or only others.
        sort: Key to sort by; with `-` in front: descending. Tables without a value are always last.
    """

    params: dict[str, Any] = {}
    params["page_size"] = page_size
    params["page_token"] = page_token
    params["verdict"] = [verdict] if isinstance(verdict, str) else verdict
    params["hold"] = [hold] if isinstance(hold, str) else hold
    params["last_run_state"] = [last_run_state] if isinstance(last_run_state, str) else last_run_state
    params["due"] = due
    params["catalog"] = catalog
    params["namespace"] = [namespace] if isinstance(namespace, str) else namespace
    params["name"] = name
    params["owner_team"] = owner_team
    params["label"] = [label] if isinstance(label, str) else label
    params["paused"] = paused
    params["frozen"] = frozen
    params["sort"] = sort

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/fleet/tables",
        "params": params,
    }

    return _kwargs
