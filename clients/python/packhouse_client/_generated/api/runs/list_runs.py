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
    page_token: None | str | Unset = UNSET,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    operation: None | Operation | Unset = UNSET,
    catalog: None | str | Unset = UNSET,
    team: None | str | Unset = UNSET,
    created_after: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["page_size"] = page_size

    json_page_token: None | str | Unset
    if isinstance(page_token, Unset):
        json_page_token = UNSET
    else:
        json_page_token = page_token
    params["page_token"] = json_page_token

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

    json_operation: None | str | Unset
    if isinstance(operation, Unset):
        json_operation = UNSET
    elif isinstance(operation, Operation):
        json_operation = operation.value
    else:
        json_operation = operation
    params["operation"] = json_operation

    json_catalog: None | str | Unset
    if isinstance(catalog, Unset):
        json_catalog = UNSET
    else:
        json_catalog = catalog
    params["catalog"] = json_catalog

    json_team: None | str | Unset
    if isinstance(team, Unset):
        json_team = UNSET
    else:
        json_team = team
    params["team"] = json_team

    json_created_after: None | str | Unset
    if isinstance(created_after, Unset):
        json_created_after = UNSET
    elif isinstance(created_after, datetime.datetime):
        json_created_after = created_after.isoformat()
    else:
        json_created_after = created_after
    params["created_after"] = json_created_after

    json_created_before: None | str | Unset
    if isinstance(created_before, Unset):
        json_created_before = UNSET
    elif isinstance(created_before, datetime.datetime):
        json_created_before = created_before.isoformat()
    else:
        json_created_before = created_before
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
    page_token: None | str | Unset = UNSET,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    operation: None | Operation | Unset = UNSET,
    catalog: None | str | Unset = UNSET,
    team: None | str | Unset = UNSET,
    created_after: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> Response[Problem | RunList]:
    """List runs, newest first

     List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (None | str | Unset): `next_page_token` of the page before.
        table_id (None | str | Unset):
        state (list[RunState] | None | Unset): May be given several times.
        operation (None | Operation | Unset):
        catalog (None | str | Unset):
        team (None | str | Unset): The table's owner team.
        created_after (datetime.datetime | None | Unset): From this instant on.
        created_before (datetime.datetime | None | Unset): Before this instant.

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
    page_token: None | str | Unset = UNSET,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    operation: None | Operation | Unset = UNSET,
    catalog: None | str | Unset = UNSET,
    team: None | str | Unset = UNSET,
    created_after: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> Problem | RunList | None:
    """List runs, newest first

     List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (None | str | Unset): `next_page_token` of the page before.
        table_id (None | str | Unset):
        state (list[RunState] | None | Unset): May be given several times.
        operation (None | Operation | Unset):
        catalog (None | str | Unset):
        team (None | str | Unset): The table's owner team.
        created_after (datetime.datetime | None | Unset): From this instant on.
        created_before (datetime.datetime | None | Unset): Before this instant.

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
    page_token: None | str | Unset = UNSET,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    operation: None | Operation | Unset = UNSET,
    catalog: None | str | Unset = UNSET,
    team: None | str | Unset = UNSET,
    created_after: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> Response[Problem | RunList]:
    """List runs, newest first

     List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (None | str | Unset): `next_page_token` of the page before.
        table_id (None | str | Unset):
        state (list[RunState] | None | Unset): May be given several times.
        operation (None | Operation | Unset):
        catalog (None | str | Unset):
        team (None | str | Unset): The table's owner team.
        created_after (datetime.datetime | None | Unset): From this instant on.
        created_before (datetime.datetime | None | Unset): Before this instant.

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
    page_token: None | str | Unset = UNSET,
    table_id: None | str | Unset = UNSET,
    state: list[RunState] | None | Unset = UNSET,
    operation: None | Operation | Unset = UNSET,
    catalog: None | str | Unset = UNSET,
    team: None | str | Unset = UNSET,
    created_after: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> Problem | RunList | None:
    """List runs, newest first

     List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (None | str | Unset): `next_page_token` of the page before.
        table_id (None | str | Unset):
        state (list[RunState] | None | Unset): May be given several times.
        operation (None | Operation | Unset):
        catalog (None | str | Unset):
        team (None | str | Unset): The table's owner team.
        created_after (datetime.datetime | None | Unset): From this instant on.
        created_before (datetime.datetime | None | Unset): Before this instant.

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
