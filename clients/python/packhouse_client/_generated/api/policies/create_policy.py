# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.policy_create import PolicyCreate
from ...models.policy_preview import PolicyPreview
from ...models.problem import Problem
from ...models.scoped_policy import ScopedPolicy
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: PolicyCreate,
    dry_run: bool | Unset = False,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["idempotency-key"] = idempotency_key

    params: dict[str, Any] = {}

    params["dry_run"] = dry_run

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/policies",
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> PolicyPreview | PolicyPreview | ScopedPolicy | Problem | None:
    if response.status_code == 200:
        response_200 = PolicyPreview.from_dict(response.json())

        return response_200

    if response.status_code == 201:

        def _parse_response_201(data: object) -> PolicyPreview | ScopedPolicy:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                response_201_type_0 = ScopedPolicy.from_dict(data)

                return response_201_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            response_201_type_1 = PolicyPreview.from_dict(data)

            return response_201_type_1

        response_201 = _parse_response_201(response.json())

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


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[PolicyPreview | PolicyPreview | ScopedPolicy | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: PolicyCreate,
    dry_run: bool | Unset = False,
    idempotency_key: str | Unset = UNSET,
) -> Response[PolicyPreview | PolicyPreview | ScopedPolicy | Problem]:
    """Create a policy for more than one table

     Store a policy for a scope, which stays. Fleet, catalogs and namespaces have one each, patterns any
    number.

    Args:
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (PolicyCreate): A policy to create for more than one table.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PolicyPreview | PolicyPreview | ScopedPolicy | Problem]
    """

    kwargs = _get_kwargs(
        body=body,
        dry_run=dry_run,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: PolicyCreate,
    dry_run: bool | Unset = False,
    idempotency_key: str | Unset = UNSET,
) -> PolicyPreview | PolicyPreview | ScopedPolicy | Problem | None:
    """Create a policy for more than one table

     Store a policy for a scope, which stays. Fleet, catalogs and namespaces have one each, patterns any
    number.

    Args:
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (PolicyCreate): A policy to create for more than one table.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PolicyPreview | PolicyPreview | ScopedPolicy | Problem
    """

    return sync_detailed(
        client=client,
        body=body,
        dry_run=dry_run,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: PolicyCreate,
    dry_run: bool | Unset = False,
    idempotency_key: str | Unset = UNSET,
) -> Response[PolicyPreview | PolicyPreview | ScopedPolicy | Problem]:
    """Create a policy for more than one table

     Store a policy for a scope, which stays. Fleet, catalogs and namespaces have one each, patterns any
    number.

    Args:
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (PolicyCreate): A policy to create for more than one table.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PolicyPreview | PolicyPreview | ScopedPolicy | Problem]
    """

    kwargs = _get_kwargs(
        body=body,
        dry_run=dry_run,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: PolicyCreate,
    dry_run: bool | Unset = False,
    idempotency_key: str | Unset = UNSET,
) -> PolicyPreview | PolicyPreview | ScopedPolicy | Problem | None:
    """Create a policy for more than one table

     Store a policy for a scope, which stays. Fleet, catalogs and namespaces have one each, patterns any
    number.

    Args:
        dry_run (bool | Unset): Write nothing and need no precondition: answer what the change
            would come to. Default: False.
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (PolicyCreate): A policy to create for more than one table.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PolicyPreview | PolicyPreview | ScopedPolicy | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            dry_run=dry_run,
            idempotency_key=idempotency_key,
        )
    ).parsed
