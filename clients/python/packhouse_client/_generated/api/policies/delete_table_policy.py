# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.policy_preview import PolicyPreview
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    table_id: str,
    *,
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["if-match"] = if_match

    params: dict[str, Any] = {}

    params["dry_run"] = dry_run

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v1/tables/{table_id}/policy".format(
            table_id=quote(str(table_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Any | PolicyPreview | Problem | None:
    if response.status_code == 200:
        response_200 = PolicyPreview.from_dict(response.json())

        return response_200

    if response.status_code == 204:
        response_204 = cast(Any, None)
        return response_204

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

    if response.status_code == 412:
        response_412 = Problem.from_dict(response.json())

        return response_412

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 428:
        response_428 = Problem.from_dict(response.json())

        return response_428

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
) -> Response[Any | PolicyPreview | Problem]:
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
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
) -> Response[Any | PolicyPreview | Problem]:
    """Delete a table's own policy

     Delete the policy: all settings are inherited again. Needs If-Match.

    Args:
        table_id (str): Id of the registered table.
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        if_match (str | Unset): ETag of the object as it was read.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | PolicyPreview | Problem]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        dry_run=dry_run,
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
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
) -> Any | PolicyPreview | Problem | None:
    """Delete a table's own policy

     Delete the policy: all settings are inherited again. Needs If-Match.

    Args:
        table_id (str): Id of the registered table.
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        if_match (str | Unset): ETag of the object as it was read.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | PolicyPreview | Problem
    """

    return sync_detailed(
        table_id=table_id,
        client=client,
        dry_run=dry_run,
        if_match=if_match,
    ).parsed


async def asyncio_detailed(
    table_id: str,
    *,
    client: AuthenticatedClient,
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
) -> Response[Any | PolicyPreview | Problem]:
    """Delete a table's own policy

     Delete the policy: all settings are inherited again. Needs If-Match.

    Args:
        table_id (str): Id of the registered table.
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        if_match (str | Unset): ETag of the object as it was read.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | PolicyPreview | Problem]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        dry_run=dry_run,
        if_match=if_match,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    table_id: str,
    *,
    client: AuthenticatedClient,
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
) -> Any | PolicyPreview | Problem | None:
    """Delete a table's own policy

     Delete the policy: all settings are inherited again. Needs If-Match.

    Args:
        table_id (str): Id of the registered table.
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        if_match (str | Unset): ETag of the object as it was read.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | PolicyPreview | Problem
    """

    return (
        await asyncio_detailed(
            table_id=table_id,
            client=client,
            dry_run=dry_run,
            if_match=if_match,
        )
    ).parsed
