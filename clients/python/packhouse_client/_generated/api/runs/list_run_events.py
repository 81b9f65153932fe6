# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.run_event_list import RunEventList
from ...types import UNSET, Response, Unset


def _get_kwargs(
    run_id: str,
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(last_event_id, Unset):
        headers["Last-Event-ID"] = last_event_id

    params: dict[str, Any] = {}

    params["page_size"] = page_size

    params["page_token"] = page_token

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs/{run_id}/events".format(
            run_id=quote(str(run_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Any | Problem | RunEventList | None:
    if response.status_code == 200:
        response_200 = RunEventList.from_dict(response.json())

        return response_200

    if response.status_code == 204:
        response_204 = cast(Any, None)
        return response_204

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 406:
        response_406 = Problem.from_dict(response.json())

        return response_406

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
) -> Response[Any | Problem | RunEventList]:
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
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> Response[Any | Problem | RunEventList]:
    """List or stream a run's events

     Show events, oldest first. With `Accept: text/event-stream` they come as they happen, until the run
    has ended.

    Args:
        run_id (str): Id of the run.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        last_event_id (str | Unset): Stream: resume after it.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem | RunEventList]
    """

    kwargs = _get_kwargs(
        run_id=run_id,
        page_size=page_size,
        page_token=page_token,
        last_event_id=last_event_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    run_id: str,
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> Any | Problem | RunEventList | None:
    """List or stream a run's events

     Show events, oldest first. With `Accept: text/event-stream` they come as they happen, until the run
    has ended.

    Args:
        run_id (str): Id of the run.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        last_event_id (str | Unset): Stream: resume after it.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem | RunEventList
    """

    return sync_detailed(
        run_id=run_id,
        client=client,
        page_size=page_size,
        page_token=page_token,
        last_event_id=last_event_id,
    ).parsed


async def asyncio_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> Response[Any | Problem | RunEventList]:
    """List or stream a run's events

     Show events, oldest first. With `Accept: text/event-stream` they come as they happen, until the run
    has ended.

    Args:
        run_id (str): Id of the run.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        last_event_id (str | Unset): Stream: resume after it.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem | RunEventList]
    """

    kwargs = _get_kwargs(
        run_id=run_id,
        page_size=page_size,
        page_token=page_token,
        last_event_id=last_event_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    run_id: str,
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> Any | Problem | RunEventList | None:
    """List or stream a run's events

     Show events, oldest first. With `Accept: text/event-stream` they come as they happen, until the run
    has ended.

    Args:
        run_id (str): Id of the run.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        last_event_id (str | Unset): Stream: resume after it.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem | RunEventList
    """

    return (
        await asyncio_detailed(
            run_id=run_id,
            client=client,
            page_size=page_size,
            page_token=page_token,
            last_event_id=last_event_id,
        )
    ).parsed
