# Generated from openapi.yaml by clients/generate.py; do not edit.
from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.table_list import TableList
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    catalog: str | Unset = UNSET,
    namespace: list[str] | Unset = UNSET,
    name: str | Unset = UNSET,
    owner_team: str | Unset = UNSET,
    label: list[str] | Unset = UNSET,
    paused: bool | Unset = UNSET,
    frozen: bool | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["page_size"] = page_size

    params["page_token"] = page_token

    params["catalog"] = catalog

    json_namespace: list[str] | Unset = UNSET
    if not isinstance(namespace, Unset):
        json_namespace = namespace

    params["namespace"] = json_namespace

    params["name"] = name

    params["owner_team"] = owner_team

    json_label: list[str] | Unset = UNSET
    if not isinstance(label, Unset):
        json_label = label

    params["label"] = json_label

    params["paused"] = paused

    params["frozen"] = frozen

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables",
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | TableList | None:
    if response.status_code == 200:
        response_200 = TableList.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Problem | TableList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    catalog: str | Unset = UNSET,
    namespace: list[str] | Unset = UNSET,
    name: str | Unset = UNSET,
    owner_team: str | Unset = UNSET,
    label: list[str] | Unset = UNSET,
    paused: bool | Unset = UNSET,
    frozen: bool | Unset = UNSET,
) -> Response[Problem | TableList]:
    """List tables, newest first

     List registered tables that fit every filter given.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        catalog (str | Unset):
        namespace (list[str] | Unset): Once for each level, outer first; needs `catalog`.
        name (str | Unset): With `catalog` and `namespace`: the one table.
        owner_team (str | Unset):
        label (list[str] | Unset): `key:value`; several: all of them.
        paused (bool | Unset): Only paused tables, or only others.
        frozen (bool | Unset): Only frozen tables, or only others.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | TableList]
    """

    kwargs = _get_kwargs(
        page_size=page_size,
        page_token=page_token,
        catalog=catalog,
        namespace=namespace,
        name=name,
        owner_team=owner_team,
        label=label,
        paused=paused,
        frozen=frozen,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    catalog: str | Unset = UNSET,
    namespace: list[str] | Unset = UNSET,
    name: str | Unset = UNSET,
    owner_team: str | Unset = UNSET,
    label: list[str] | Unset = UNSET,
    paused: bool | Unset = UNSET,
    frozen: bool | Unset = UNSET,
) -> Problem | TableList | None:
    """List tables, newest first

     List registered tables that fit every filter given.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        catalog (str | Unset):
        namespace (list[str] | Unset): Once for each level, outer first; needs `catalog`.
        name (str | Unset): With `catalog` and `namespace`: the one table.
        owner_team (str | Unset):
        label (list[str] | Unset): `key:value`; several: all of them.
        paused (bool | Unset): Only paused tables, or only others.
        frozen (bool | Unset): Only frozen tables, or only others.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | TableList
    """

    return sync_detailed(
        client=client,
        page_size=page_size,
        page_token=page_token,
        catalog=catalog,
        namespace=namespace,
        name=name,
        owner_team=owner_team,
        label=label,
        paused=paused,
        frozen=frozen,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    catalog: str | Unset = UNSET,
    namespace: list[str] | Unset = UNSET,
    name: str | Unset = UNSET,
    owner_team: str | Unset = UNSET,
    label: list[str] | Unset = UNSET,
    paused: bool | Unset = UNSET,
    frozen: bool | Unset = UNSET,
) -> Response[Problem | TableList]:
    """List tables, newest first

     List registered tables that fit every filter given.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        catalog (str | Unset):
        namespace (list[str] | Unset): Once for each level, outer first; needs `catalog`.
        name (str | Unset): With `catalog` and `namespace`: the one table.
        owner_team (str | Unset):
        label (list[str] | Unset): `key:value`; several: all of them.
        paused (bool | Unset): Only paused tables, or only others.
        frozen (bool | Unset): Only frozen tables, or only others.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | TableList]
    """

    kwargs = _get_kwargs(
        page_size=page_size,
        page_token=page_token,
        catalog=catalog,
        namespace=namespace,
        name=name,
        owner_team=owner_team,
        label=label,
        paused=paused,
        frozen=frozen,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    page_size: int | Unset = 50,
    page_token: str | Unset = UNSET,
    catalog: str | Unset = UNSET,
    namespace: list[str] | Unset = UNSET,
    name: str | Unset = UNSET,
    owner_team: str | Unset = UNSET,
    label: list[str] | Unset = UNSET,
    paused: bool | Unset = UNSET,
    frozen: bool | Unset = UNSET,
) -> Problem | TableList | None:
    """List tables, newest first

     List registered tables that fit every filter given.

    Args:
        page_size (int | Unset): Items on a page. Default: 50.
        page_token (str | Unset): `next_page_token` of the page before.
        catalog (str | Unset):
        namespace (list[str] | Unset): Once for each level, outer first; needs `catalog`.
        name (str | Unset): With `catalog` and `namespace`: the one table.
        owner_team (str | Unset):
        label (list[str] | Unset): `key:value`; several: all of them.
        paused (bool | Unset): Only paused tables, or only others.
        frozen (bool | Unset): Only frozen tables, or only others.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | TableList
    """

    return (
        await asyncio_detailed(
            client=client,
            page_size=page_size,
            page_token=page_token,
            catalog=catalog,
            namespace=namespace,
            name=name,
            owner_team=owner_team,
            label=label,
            paused=paused,
            frozen=frozen,
        )
    ).parsed
