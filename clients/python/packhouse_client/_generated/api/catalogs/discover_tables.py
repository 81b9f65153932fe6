# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.discover_request import DiscoverRequest
from ...models.discovery import Discovery
from ...models.problem import Problem
from ...types import Response


def _get_kwargs(
    name: str,
    *,
    body: DiscoverRequest,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/catalogs/{name}/discover".format(
            name=quote(str(name), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Discovery | Problem | None:
    if response.status_code == 200:
        response_200 = Discovery.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 408:
        response_408 = Problem.from_dict(response.json())

        return response_408

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())

        return response_413

    if response.status_code == 415:
        response_415 = Problem.from_dict(response.json())

        return response_415

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Discovery | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    body: DiscoverRequest,
) -> Response[Discovery | Problem]:
    """List a catalog's tables, and register many at once

     List the tables that match with whether each is registered or can be; register them on request.

    Below admin: tables of namespaces granted with `discover`; registering needs `register` too. Sending
    the same
    request again continues where the last one ended.

    Args:
        name (str): Name of the catalog.
        body (DiscoverRequest): Which tables to look for, and whether to register them.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Discovery | Problem]
    """

    kwargs = _get_kwargs(
        name=name,
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    name: str,
    *,
    client: AuthenticatedClient,
    body: DiscoverRequest,
) -> Discovery | Problem | None:
    """List a catalog's tables, and register many at once

     List the tables that match with whether each is registered or can be; register them on request.

    Below admin: tables of namespaces granted with `discover`; registering needs `register` too. Sending
    the same
    request again continues where the last one ended.

    Args:
        name (str): Name of the catalog.
        body (DiscoverRequest): Which tables to look for, and whether to register them.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Discovery | Problem
    """

    return sync_detailed(
        name=name,
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    body: DiscoverRequest,
) -> Response[Discovery | Problem]:
    """List a catalog's tables, and register many at once

     List the tables that match with whether each is registered or can be; register them on request.

    Below admin: tables of namespaces granted with `discover`; registering needs `register` too. Sending
    the same
    request again continues where the last one ended.

    Args:
        name (str): Name of the catalog.
        body (DiscoverRequest): Which tables to look for, and whether to register them.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Discovery | Problem]
    """

    kwargs = _get_kwargs(
        name=name,
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    name: str,
    *,
    client: AuthenticatedClient,
    body: DiscoverRequest,
) -> Discovery | Problem | None:
    """List a catalog's tables, and register many at once

     List the tables that match with whether each is registered or can be; register them on request.

    Below admin: tables of namespaces granted with `discover`; registering needs `register` too. Sending
    the same
    request again continues where the last one ended.

    Args:
        name (str): Name of the catalog.
        body (DiscoverRequest): Which tables to look for, and whether to register them.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Discovery | Problem
    """

    return (
        await asyncio_detailed(
            name=name,
            client=client,
            body=body,
        )
    ).parsed
