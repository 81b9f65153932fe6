# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.policy_version_list import PolicyVersionList
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    table_id: str,
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["page_size"] = page_size

    params["page_token"] = page_token

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables/{table_id}/policy/versions".format(
            table_id=quote(str(table_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> PolicyVersionList | Problem | None:
    if response.status_code == 200:
        response_200 = PolicyVersionList.from_dict(response.json())

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
) -> Response[PolicyVersionList | Problem]:
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
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> Response[PolicyVersionList | Problem]:
    """List the versions of a table's own policy, newest first

     List all that was ever written, deletions too, each with what it changed.

    Args:
        table_id (str): Id of the registered table.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PolicyVersionList | Problem]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        page_size=page_size,
        page_token=page_token,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    table_id: str,
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> PolicyVersionList | Problem | None:
    """List the versions of a table's own policy, newest first

     List all that was ever written, deletions too, each with what it changed.

    Args:
        table_id (str): Id of the registered table.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PolicyVersionList | Problem
    """

    return sync_detailed(
        table_id=table_id,
        client=client,
        page_size=page_size,
        page_token=page_token,
    ).parsed


async def asyncio_detailed(
    table_id: str,
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> Response[PolicyVersionList | Problem]:
    """List the versions of a table's own policy, newest first

     List all that was ever written, deletions too, each with what it changed.

    Args:
        table_id (str): Id of the registered table.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PolicyVersionList | Problem]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        page_size=page_size,
        page_token=page_token,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    table_id: str,
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
) -> PolicyVersionList | Problem | None:
    """List the versions of a table's own policy, newest first

     List all that was ever written, deletions too, each with what it changed.

    Args:
        table_id (str): Id of the registered table.
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PolicyVersionList | Problem
    """

    return (
        await asyncio_detailed(
            table_id=table_id,
            client=client,
            page_size=page_size,
            page_token=page_token,
        )
    ).parsed
