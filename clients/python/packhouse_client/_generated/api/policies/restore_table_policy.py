# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.policy_preview import PolicyPreview
from ...models.policy_restore import PolicyRestore
from ...models.problem import Problem
from ...models.table_policy import TablePolicy
from ...types import UNSET, Response, Unset


def _get_kwargs(
    table_id: str,
    *,
    body: PolicyRestore,
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["if-match"] = if_match

    if not isinstance(if_none_match, Unset):
        headers["if-none-match"] = if_none_match

    params: dict[str, Any] = {}

    params["dry_run"] = dry_run

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/tables/{table_id}/policy/restore".format(
            table_id=quote(str(table_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> PolicyPreview | TablePolicy | Problem | None:
    if response.status_code == 200:

        def _parse_response_200(data: object) -> PolicyPreview | TablePolicy:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                response_200_type_0 = TablePolicy.from_dict(data)

                return response_200_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            response_200_type_1 = PolicyPreview.from_dict(data)

            return response_200_type_1

        response_200 = _parse_response_200(response.json())

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
) -> Response[PolicyPreview | TablePolicy | Problem]:
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
    body: PolicyRestore,
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Response[PolicyPreview | TablePolicy | Problem]:
    """Restore a version of a table's own policy

     Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion.

    Args:
        table_id (str): Id of the registered table.
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        if_match (str | Unset): ETag of the object as it was read.
        if_none_match (str | Unset): `*`: only if there is none yet.
        body (PolicyRestore): Which version to store again.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PolicyPreview | TablePolicy | Problem]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        body=body,
        dry_run=dry_run,
        if_match=if_match,
        if_none_match=if_none_match,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    table_id: str,
    *,
    client: AuthenticatedClient,
    body: PolicyRestore,
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> PolicyPreview | TablePolicy | Problem | None:
    """Restore a version of a table's own policy

     Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion.

    Args:
        table_id (str): Id of the registered table.
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        if_match (str | Unset): ETag of the object as it was read.
        if_none_match (str | Unset): `*`: only if there is none yet.
        body (PolicyRestore): Which version to store again.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PolicyPreview | TablePolicy | Problem
    """

    return sync_detailed(
        table_id=table_id,
        client=client,
        body=body,
        dry_run=dry_run,
        if_match=if_match,
        if_none_match=if_none_match,
    ).parsed


async def asyncio_detailed(
    table_id: str,
    *,
    client: AuthenticatedClient,
    body: PolicyRestore,
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Response[PolicyPreview | TablePolicy | Problem]:
    """Restore a version of a table's own policy

     Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion.

    Args:
        table_id (str): Id of the registered table.
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        if_match (str | Unset): ETag of the object as it was read.
        if_none_match (str | Unset): `*`: only if there is none yet.
        body (PolicyRestore): Which version to store again.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PolicyPreview | TablePolicy | Problem]
    """

    kwargs = _get_kwargs(
        table_id=table_id,
        body=body,
        dry_run=dry_run,
        if_match=if_match,
        if_none_match=if_none_match,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    table_id: str,
    *,
    client: AuthenticatedClient,
    body: PolicyRestore,
    dry_run: bool | Unset = False,
    if_match: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> PolicyPreview | TablePolicy | Problem | None:
    """Restore a version of a table's own policy

     Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion.

    Args:
        table_id (str): Id of the registered table.
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        if_match (str | Unset): ETag of the object as it was read.
        if_none_match (str | Unset): `*`: only if there is none yet.
        body (PolicyRestore): Which version to store again.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PolicyPreview | TablePolicy | Problem
    """

    return (
        await asyncio_detailed(
            table_id=table_id,
            client=client,
            body=body,
            dry_run=dry_run,
            if_match=if_match,
            if_none_match=if_none_match,
        )
    ).parsed
