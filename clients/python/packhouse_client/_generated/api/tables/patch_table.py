# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.table import Table
from ...models.table_patch import TablePatch
from ...types import UNSET, Response, Unset


def _get_kwargs(
    table_id: str,
    *,
    body: TablePatch,
    if_match: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["if-match"] = if_match

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/v1/tables/{table_id}".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | Table | None:
    if response.status_code == 200:
        response_200 = Table.from_dict(response.json())

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

    if response.status_code == 412:
        response_412 = Problem.from_dict(response.json())

        return response_412

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Problem | Table]:
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
    body: TablePatch,
    if_match: str | Unset = UNSET,
) -> Response[Problem | Table]:
    """Change a table's team and labels

     Change what is named, as a JSON merge patch (RFC 7396). If-Match is optional.

    Args:
        table_id (str): Id of the registered table.
        if_match (str | Unset): ETag of the object as it was read.
        body (TablePatch): What to change of a table, as a JSON merge patch: a field left out
            stays, null takes a value away.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Table]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        body=body,
        if_match=if_match,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    table_id: str,
    *,
    client: AuthenticatedClient,
    body: TablePatch,
    if_match: str | Unset = UNSET,
) -> Problem | Table | None:
    """Change a table's team and labels

     Change what is named, as a JSON merge patch (RFC 7396). If-Match is optional.

    Args:
        table_id (str): Id of the registered table.
        if_match (str | Unset): ETag of the object as it was read.
        body (TablePatch): What to change of a table, as a JSON merge patch: a field left out
            stays, null takes a value away.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Table
    """

    return sync_detailed(
        table_id=table_id,
        client=client,
        body=body,
        if_match=if_match,
    ).parsed


async def asyncio_detailed(
    table_id: str,
    *,
    client: AuthenticatedClient,
    body: TablePatch,
    if_match: str | Unset = UNSET,
) -> Response[Problem | Table]:
    """Change a table's team and labels

     Change what is named, as a JSON merge patch (RFC 7396). If-Match is optional.

    Args:
        table_id (str): Id of the registered table.
        if_match (str | Unset): ETag of the object as it was read.
        body (TablePatch): What to change of a table, as a JSON merge patch: a field left out
            stays, null takes a value away.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Table]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        body=body,
        if_match=if_match,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    table_id: str,
    *,
    client: AuthenticatedClient,
    body: TablePatch,
    if_match: str | Unset = UNSET,
) -> Problem | Table | None:
    """Change a table's team and labels

     Change what is named, as a JSON merge patch (RFC 7396). If-Match is optional.

    Args:
        table_id (str): Id of the registered table.
        if_match (str | Unset): ETag of the object as it was read.
        body (TablePatch): What to change of a table, as a JSON merge patch: a field left out
            stays, null takes a value away.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Table
    """

    return (
        await asyncio_detailed(
            table_id=table_id,
            client=client,
            body=body,
            if_match=if_match,
        )
    ).parsed
