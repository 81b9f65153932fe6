# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.run_list import RunList
from ...models.run_state import RunState
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: None | str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_table_id: None | str | Unset
    if isinstance(table_id, Unset):
        json_table_id = UNSET
    else:
        json_table_id = table_id
    params["table_id"] = json_table_id

    json_state: list[str] | None | Unset
    if isinstance(state, Unset):
        json_state = UNSET
    elif isinstance(state, list):
        json_state = []
        for state_type_0_item_data in state:
            state_type_0_item = state_type_0_item_data.value
            json_state.append(state_type_0_item)

    else:
        json_state = state
    params["state"] = json_state

    params["page_size"] = page_size

    json_page_token: None | str | Unset
    if isinstance(page_token, Unset):
        json_page_token = UNSET
    else:
        json_page_token = page_token
    params["page_token"] = json_page_token

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs",
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | RunList | None:
    if response.status_code == 200:
        response_200 = RunList.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Problem | RunList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: None | str | Unset = UNSET,
) -> Response[Problem | RunList]:
    """List runs, newest first

     List runs, of one table or in some states if they are given.

    Args:
        table_id (None | str | Unset):
        state (list[RunState] | None | Unset): May be given several times.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (None | str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | RunList]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        state=state,
        page_size=page_size,
        page_token=page_token,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: None | str | Unset = UNSET,
) -> Problem | RunList | None:
    """List runs, newest first

     List runs, of one table or in some states if they are given.

    Args:
        table_id (None | str | Unset):
        state (list[RunState] | None | Unset): May be given several times.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (None | str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | RunList
    """

    return sync_detailed(
        client=client,
        table_id=table_id,
        state=state,
        page_size=page_size,
        page_token=page_token,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: None | str | Unset = UNSET,
) -> Response[Problem | RunList]:
    """List runs, newest first

     List runs, of one table or in some states if they are given.

    Args:
        table_id (None | str | Unset):
        state (list[RunState] | None | Unset): May be given several times.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (None | str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | RunList]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        state=state,
        page_size=page_size,
        page_token=page_token,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: None | str | Unset = UNSET,
) -> Problem | RunList | None:
    """List runs, newest first

     List runs, of one table or in some states if they are given.

    Args:
        table_id (None | str | Unset):
        state (list[RunState] | None | Unset): May be given several times.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (None | str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | RunList
    """

    return (
        await asyncio_detailed(
            client=client,
            table_id=table_id,
            state=state,
            page_size=page_size,
            page_token=page_token,
        )
    ).parsed
