# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.file_group_list import FileGroupList
from ...models.group_state import GroupState
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    run_id: str,
    *,
    state: list[GroupState] | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_state: list[str] | Unset = UNSET
    if not isinstance(state, Unset):
        json_state = []
        for state_item_data in state:
            state_item = state_item_data.value
            json_state.append(state_item)

    params["state"] = json_state

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


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> FileGroupList | Problem | None:
    if response.status_code == 200:
        response_200 = FileGroupList.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

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


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[FileGroupList | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient,
    state: list[GroupState] | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> Response[FileGroupList | Problem]:
    """List a run's file groups

     List file groups by ordinal, in some states if they are given.

    Args:
        run_id (str): Id of the run.
        state (list[GroupState] | Unset): May be given several times.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[FileGroupList | Problem]
    """

    kwargs = _get_kwargs(
        run_id=run_id,
        state=state,
        page_size=page_size,
        page_token=page_token,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    run_id: str,
    *,
    client: AuthenticatedClient,
    state: list[GroupState] | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> FileGroupList | Problem | None:
    """List a run's file groups

     List file groups by ordinal, in some states if they are given.

    Args:
        run_id (str): Id of the run.
        state (list[GroupState] | Unset): May be given several times.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        FileGroupList | Problem
    """

    return sync_detailed(
        run_id=run_id,
        client=client,
        state=state,
        page_size=page_size,
        page_token=page_token,
    ).parsed


async def asyncio_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient,
    state: list[GroupState] | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> Response[FileGroupList | Problem]:
    """List a run's file groups

     List file groups by ordinal, in some states if they are given.

    Args:
        run_id (str): Id of the run.
        state (list[GroupState] | Unset): May be given several times.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[FileGroupList | Problem]
    """

    kwargs = _get_kwargs(
        run_id=run_id,
        state=state,
        page_size=page_size,
        page_token=page_token,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    run_id: str,
    *,
    client: AuthenticatedClient,
    state: list[GroupState] | Unset = UNSET,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> FileGroupList | Problem | None:
    """List a run's file groups

     List file groups by ordinal, in some states if they are given.

    Args:
        run_id (str): Id of the run.
        state (list[GroupState] | Unset): May be given several times.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        FileGroupList | Problem
    """

    return (
        await asyncio_detailed(
            run_id=run_id,
            client=client,
            state=state,
            page_size=page_size,
            page_token=page_token,
        )
    ).parsed
