# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.explanation import Explanation
from ...models.problem import Problem
from ...types import Response


def _get_kwargs(
    table_id: str,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables/{table_id}/explain".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Explanation | Problem | None:
    if response.status_code == 200:
        response_200 = Explanation.from_dict(response.json())

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
) -> Response[Explanation | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    table_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[Explanation | Problem]:
    """Explain why a table did or did not run

     Say whether the table is due, what holds it back, when it could run, and what a run would do now.

    Every setting comes with its origin, every rule with each measured condition. Works also while the
    catalog is away,
    and for a table that is gone or was made anew: then with less, and saying so.

    Args:
        table_id (str): Id of the registered table.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Explanation | Problem]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    table_id: str,
    *,
    client: AuthenticatedClient,
) -> Explanation | Problem | None:
    """Explain why a table did or did not run

     Say whether the table is due, what holds it back, when it could run, and what a run would do now.

    Every setting comes with its origin, every rule with each measured condition. Works also while the
    catalog is away,
    and for a table that is gone or was made anew: then with less, and saying so.

    Args:
        table_id (str): Id of the registered table.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Explanation | Problem
    """

    return sync_detailed(
        table_id=table_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    table_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[Explanation | Problem]:
    """Explain why a table did or did not run

     Say whether the table is due, what holds it back, when it could run, and what a run would do now.

    Every setting comes with its origin, every rule with each measured condition. Works also while the
    catalog is away,
    and for a table that is gone or was made anew: then with less, and saying so.

    Args:
        table_id (str): Id of the registered table.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Explanation | Problem]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    table_id: str,
    *,
    client: AuthenticatedClient,
) -> Explanation | Problem | None:
    """Explain why a table did or did not run

     Say whether the table is due, what holds it back, when it could run, and what a run would do now.

    Every setting comes with its origin, every rule with each measured condition. Works also while the
    catalog is away,
    and for a table that is gone or was made anew: then with less, and saying so.

    Args:
        table_id (str): Id of the registered table.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Explanation | Problem
    """

    return (
        await asyncio_detailed(
            table_id=table_id,
            client=client,
        )
    ).parsed
