# Generated from openapi.yaml by clients/generate.py; do not edit.
import datetime
from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.operation import Operation
from ...models.problem import Problem
from ...models.run_list import RunList
from ...models.run_state import RunState
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    table_id: str | Unset = UNSET,
    state: list[RunState] | Unset = UNSET,
    operation: Operation | Unset = UNSET,
    catalog: str | Unset = UNSET,
    team: str | Unset = UNSET,
    created_after: datetime.datetime | Unset = UNSET,
    created_before: datetime.datetime | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["page_size"] = page_size

    params["page_token"] = page_token

    params["table_id"] = table_id

    json_state: list[str] | Unset = UNSET
    if not isinstance(state, Unset):
        json_state = []
        for state_item_data in state:
            state_item = state_item_data.value
            json_state.append(state_item)

    params["state"] = json_state

    json_operation: str | Unset = UNSET
    if not isinstance(operation, Unset):
        json_operation = operation.value

    params["operation"] = json_operation

    params["catalog"] = catalog

    params["team"] = team

    json_created_after: str | Unset = UNSET
    if not isinstance(created_after, Unset):
        json_created_after = created_after.isoformat()
    params["created_after"] = json_created_after

    json_created_before: str | Unset = UNSET
    if not isinstance(created_before, Unset):
        json_created_before = created_before.isoformat()
    params["created_before"] = json_created_before

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
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    table_id: str | Unset = UNSET,
    state: list[RunState] | Unset = UNSET,
    operation: Operation | Unset = UNSET,
    catalog: str | Unset = UNSET,
    team: str | Unset = UNSET,
    created_after: datetime.datetime | Unset = UNSET,
    created_before: datetime.datetime | Unset = UNSET,
) -> Response[Problem | RunList]:
    """List runs, newest first

     List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        table_id (str | Unset):
        state (list[RunState] | Unset): May be given several times.
        operation (Operation | Unset): What a run does to its table. The capability matrix says
            which of them a table format can do.
        catalog (str | Unset):
        team (str | Unset): The table's owner team.
        created_after (datetime.datetime | Unset): From this instant on.
        created_before (datetime.datetime | Unset): Before this instant.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | RunList]
    """

    kwargs = _get_kwargs(
        page_size=page_size,
        page_token=page_token,
        table_id=table_id,
        state=state,
        operation=operation,
        catalog=catalog,
        team=team,
        created_after=created_after,
        created_before=created_before,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    table_id: str | Unset = UNSET,
    state: list[RunState] | Unset = UNSET,
    operation: Operation | Unset = UNSET,
    catalog: str | Unset = UNSET,
    team: str | Unset = UNSET,
    created_after: datetime.datetime | Unset = UNSET,
    created_before: datetime.datetime | Unset = UNSET,
) -> Problem | RunList | None:
    """List runs, newest first

     List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        table_id (str | Unset):
        state (list[RunState] | Unset): May be given several times.
        operation (Operation | Unset): What a run does to its table. The capability matrix says
            which of them a table format can do.
        catalog (str | Unset):
        team (str | Unset): The table's owner team.
        created_after (datetime.datetime | Unset): From this instant on.
        created_before (datetime.datetime | Unset): Before this instant.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | RunList
    """

    return sync_detailed(
        client=client,
        page_size=page_size,
        page_token=page_token,
        table_id=table_id,
        state=state,
        operation=operation,
        catalog=catalog,
        team=team,
        created_after=created_after,
        created_before=created_before,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    table_id: str | Unset = UNSET,
    state: list[RunState] | Unset = UNSET,
    operation: Operation | Unset = UNSET,
    catalog: str | Unset = UNSET,
    team: str | Unset = UNSET,
    created_after: datetime.datetime | Unset = UNSET,
    created_before: datetime.datetime | Unset = UNSET,
) -> Response[Problem | RunList]:
    """List runs, newest first

     List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        table_id (str | Unset):
        state (list[RunState] | Unset): May be given several times.
        operation (Operation | Unset): What a run does to its table. The capability matrix says
            which of them a table format can do.
        catalog (str | Unset):
        team (str | Unset): The table's owner team.
        created_after (datetime.datetime | Unset): From this instant on.
        created_before (datetime.datetime | Unset): Before this instant.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | RunList]
    """

    kwargs = _get_kwargs(
        page_size=page_size,
        page_token=page_token,
        table_id=table_id,
        state=state,
        operation=operation,
        catalog=catalog,
        team=team,
        created_after=created_after,
        created_before=created_before,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    table_id: str | Unset = UNSET,
    state: list[RunState] | Unset = UNSET,
    operation: Operation | Unset = UNSET,
    catalog: str | Unset = UNSET,
    team: str | Unset = UNSET,
    created_after: datetime.datetime | Unset = UNSET,
    created_before: datetime.datetime | Unset = UNSET,
) -> Problem | RunList | None:
    """List runs, newest first

     List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        table_id (str | Unset):
        state (list[RunState] | Unset): May be given several times.
        operation (Operation | Unset): What a run does to its table. The capability matrix says
            which of them a table format can do.
        catalog (str | Unset):
        team (str | Unset): The table's owner team.
        created_after (datetime.datetime | Unset): From this instant on.
        created_before (datetime.datetime | Unset): Before this instant.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | RunList
    """

    return (
        await asyncio_detailed(
            client=client,
            page_size=page_size,
            page_token=page_token,
            table_id=table_id,
            state=state,
            operation=operation,
            catalog=catalog,
            team=team,
            created_after=created_after,
            created_before=created_before,
        )
    ).parsed
