# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.run_accepted import RunAccepted
from ...models.run_submit import RunSubmit
from ...models.table_plan import TablePlan
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: RunSubmit,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["idempotency-key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/runs",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | RunAccepted | RunAccepted | TablePlan | None:
    if response.status_code == 200:

        def _parse_response_200(data: object) -> RunAccepted | TablePlan:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                response_200_type_0 = RunAccepted.from_dict(data)

                return response_200_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            response_200_type_1 = TablePlan.from_dict(data)

            return response_200_type_1

        response_200 = _parse_response_200(response.json())

        return response_200

    if response.status_code == 202:
        response_202 = RunAccepted.from_dict(response.json())

        return response_202

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


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[Problem | RunAccepted | RunAccepted | TablePlan]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: RunSubmit,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | RunAccepted | RunAccepted | TablePlan]:
    """Submit a run

     Accept a run durably and answer at once; follow it under Location. A double click is one run.

    Args:
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (RunSubmit): A run to start.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | RunAccepted | RunAccepted | TablePlan]
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
    body: RunSubmit,
    idempotency_key: str | Unset = UNSET,
) -> Problem | RunAccepted | RunAccepted | TablePlan | None:
    """Submit a run

     Accept a run durably and answer at once; follow it under Location. A double click is one run.

    Args:
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (RunSubmit): A run to start.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | RunAccepted | RunAccepted | TablePlan
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: RunSubmit,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | RunAccepted | RunAccepted | TablePlan]:
    """Submit a run

     Accept a run durably and answer at once; follow it under Location. A double click is one run.

    Args:
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (RunSubmit): A run to start.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | RunAccepted | RunAccepted | TablePlan]
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
    body: RunSubmit,
    idempotency_key: str | Unset = UNSET,
) -> Problem | RunAccepted | RunAccepted | TablePlan | None:
    """Submit a run

     Accept a run durably and answer at once; follow it under Location. A double click is one run.

    Args:
        idempotency_key (str | Unset): Makes a retry safe: the same key and body within 24 hours
            gets the same answer.
        body (RunSubmit): A run to start.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | RunAccepted | RunAccepted | TablePlan
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
