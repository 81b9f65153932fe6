# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.table import Table
from ...models.table_register import TableRegister
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: TableRegister,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["idempotency-key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/tables",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | Table | None:
    if response.status_code == 201:
        response_201 = Table.from_dict(response.json())

        return response_201

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Problem | Table]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: TableRegister,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | Table]:
    """Register a table

     Load the table from its catalog and register it under its own uuid.

    Its first automatic run waits for a grace (15 minutes unless set otherwise), which explain shows as
    `new_table`; a
    policy of its own, a run that is requested and a resume end the grace.

    Args:
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (TableRegister): A table to register, by its address in a catalog.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Table]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: TableRegister,
    idempotency_key: str | Unset = UNSET,
) -> Problem | Table | None:
    """Register a table

     Load the table from its catalog and register it under its own uuid.

    Its first automatic run waits for a grace (15 minutes unless set otherwise), which explain shows as
    `new_table`; a
    policy of its own, a run that is requested and a resume end the grace.

    Args:
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (TableRegister): A table to register, by its address in a catalog.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Table
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: TableRegister,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | Table]:
    """Register a table

     Load the table from its catalog and register it under its own uuid.

    Its first automatic run waits for a grace (15 minutes unless set otherwise), which explain shows as
    `new_table`; a
    policy of its own, a run that is requested and a resume end the grace.

    Args:
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (TableRegister): A table to register, by its address in a catalog.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Table]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: TableRegister,
    idempotency_key: str | Unset = UNSET,
) -> Problem | Table | None:
    """Register a table

     Load the table from its catalog and register it under its own uuid.

    Its first automatic run waits for a grace (15 minutes unless set otherwise), which explain shows as
    `new_table`; a
    policy of its own, a run that is requested and a resume end the grace.

    Args:
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (TableRegister): A table to register, by its address in a catalog.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Table
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
