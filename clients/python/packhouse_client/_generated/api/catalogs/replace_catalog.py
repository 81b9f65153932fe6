# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.catalog import Catalog
from ...models.catalog_replace import CatalogReplace
from ...models.problem import Problem
from ...types import Response


def _get_kwargs(
    name: str,
    *,
    body: CatalogReplace,
    if_match: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    headers["if-match"] = if_match

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v1/catalogs/{name}".format(
            name=quote(str(name), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Catalog | Problem | None:
    if response.status_code == 200:
        response_200 = Catalog.from_dict(response.json())

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Catalog | Problem]:
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
    body: CatalogReplace,
    if_match: str,
) -> Response[Catalog | Problem]:
    """Replace a catalog's properties and allowed locations

     Replace properties and allowed locations as a whole; grants stay. Needs If-Match.

    Args:
        name (str): Name of the catalog.
        if_match (str): ETag of the object as it was read.
        body (CatalogReplace): New properties, allowed locations and `outside_files` of a catalog,
            as a whole.

            Its name, format and grants stay.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Catalog | Problem]
    """

    kwargs = _get_kwargs(
        name=name,
        body=body,
        if_match=if_match,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    name: str,
    *,
    client: AuthenticatedClient,
    body: CatalogReplace,
    if_match: str,
) -> Catalog | Problem | None:
    """Replace a catalog's properties and allowed locations

     Replace properties and allowed locations as a whole; grants stay. Needs If-Match.

    Args:
        name (str): Name of the catalog.
        if_match (str): ETag of the object as it was read.
        body (CatalogReplace): New properties, allowed locations and `outside_files` of a catalog,
            as a whole.

            Its name, format and grants stay.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Catalog | Problem
    """

    return sync_detailed(
        name=name,
        client=client,
        body=body,
        if_match=if_match,
    ).parsed


async def asyncio_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    body: CatalogReplace,
    if_match: str,
) -> Response[Catalog | Problem]:
    """Replace a catalog's properties and allowed locations

     Replace properties and allowed locations as a whole; grants stay. Needs If-Match.

    Args:
        name (str): Name of the catalog.
        if_match (str): ETag of the object as it was read.
        body (CatalogReplace): New properties, allowed locations and `outside_files` of a catalog,
            as a whole.

            Its name, format and grants stay.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Catalog | Problem]
    """

    kwargs = _get_kwargs(
        name=name,
        body=body,
        if_match=if_match,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    name: str,
    *,
    client: AuthenticatedClient,
    body: CatalogReplace,
    if_match: str,
) -> Catalog | Problem | None:
    """Replace a catalog's properties and allowed locations

     Replace properties and allowed locations as a whole; grants stay. Needs If-Match.

    Args:
        name (str): Name of the catalog.
        if_match (str): ETag of the object as it was read.
        body (CatalogReplace): New properties, allowed locations and `outside_files` of a catalog,
            as a whole.

            Its name, format and grants stay.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Catalog | Problem
    """

    return (
        await asyncio_detailed(
            name=name,
            client=client,
            body=body,
            if_match=if_match,
        )
    ).parsed
