"""Our clients, each with one call that a hostile server answers."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import pytest
from packhouse_client import AsyncPackhouse, Packhouse, Retries
from packhouse_client import PackhouseError as SdkError

from engine.aws import sessions as aws
from engine.domain.errors import PackhouseError
from engine.formats.base import TableFormat
from engine.formats.hive import HiveFormat
from engine.formats.iceberg.catalog.rest import sessions, tokens
from engine.formats.iceberg.connection import IcebergFormat
from engine.formats.paimon.catalog.rest import client as paimon_rest
from engine.formats.paimon.connection import PaimonFormat
from engine.identity import provider
from engine.prometheus import queries
from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.stores import google
from engine.rewriting.kernel.storage.stores.listings import http_listings
from engine.uris.schemes import GOOGLE
from tests.support.fake_clock import FakeClock

DEADLINE_SECONDS: Final = 0.5
"""The deadline of every call in the tests, by settings or constants of its module."""

MOST_SECONDS: Final = 12.0
"""In which a call with this deadline ends on a machine with much other work: those without one never do."""

Call: TypeAlias = Callable[[str], Any]
"""Makes a call to the server at a URL, and raises."""


@dataclass(frozen=True, slots=True)
class HttpClient:
    """A client of HTTP: its call, and the constants that are its deadlines. `is_repeated`: by another entry."""

    call: Call
    deadlines: tuple[tuple[Any, str], ...]
    is_repeated: bool = False
    raises: type[Exception] = PackhouseError

    def hurry(self, patch: pytest.MonkeyPatch) -> None:
        """Set the deadlines low."""
        for module, name in self.deadlines:
            patch.setattr(module, name, DEADLINE_SECONDS)


def _iceberg_rest(url: str) -> None:
    IcebergFormat().connect("lake", {"type": "rest", "uri": url, "token": "hidden"}).list_tables(1)


def _glue(url: str, catalogs: TableFormat | None = None) -> None:
    keys = {"client.access-key-id": "me", "client.secret-access-key": "hidden", "client.region": "us-east-1"}
    (catalogs or IcebergFormat()).connect("lake", {"type": "glue", "glue.endpoint": url, **keys}).list_tables(1)


def _own_tokens(url: str) -> None:
    given = {"type": "rest", "uri": url, "credential": "me:hidden"}
    IcebergFormat().connect("lake", given).list_tables(1)


def _other_tokens(url: str) -> None:
    given = {"type": "rest", "uri": "http://127.0.0.1:9", "credential": "me:hidden", "oauth2-server-uri": f"{url}/t"}
    IcebergFormat().connect("lake", given).list_tables(1)


def _paimon_rest(url: str) -> None:
    PaimonFormat().connect("lake", {"type": "rest", "warehouse": "w", "uri": url, "token": "hidden"}).ping()


def _provider(url: str) -> None:
    provider.IdentityProvider(issuer=url, clock=FakeClock()).discover()


def _prometheus(url: str) -> None:
    query = queries.LatencyQuery(url=url, query="q", token=lambda: "hidden", table_label=None)
    asyncio.run(query.ask())


def _listing(url: str) -> None:
    connection = google.connection("lake", {"gcs.service.host": url, "gcs.oauth2.token": "hidden"})
    listing = http_listings.listing_of(GOOGLE, "lake", connection)
    assert listing is not None
    list(listing.files("t", is_recursive=True))


def _sdk(url: str) -> None:
    with Packhouse(url, "pkh_hidden", timeout=DEADLINE_SECONDS, retries=Retries(attempts=1)) as client:
        client.tables.get("lake.sales.orders")


def _async_sdk(url: str) -> None:
    async def call() -> None:
        retries = Retries(attempts=1)
        async with AsyncPackhouse(url, "pkh_hidden", timeout=DEADLINE_SECONDS, retries=retries) as client:
            await client.tables.get("lake.sales.orders")

    asyncio.run(call())


HTTP_CLIENTS: Final[Mapping[str, HttpClient]] = {
    "Iceberg REST catalog": HttpClient(_iceberg_rest, ((sessions, "WHOLE_SECONDS"),)),
    "AWS Glue": HttpClient(_glue, ((aws, "ANSWER_SECONDS"),)),
    "AWS Glue, Hive-style tables": HttpClient(
        partial(_glue, catalogs=HiveFormat()), ((aws, "ANSWER_SECONDS"),), is_repeated=True
    ),
    "OAuth of a catalog": HttpClient(_own_tokens, ((tokens, "TOKEN_SECONDS"),), is_repeated=True),
    "OAuth elsewhere": HttpClient(_other_tokens, ((tokens, "TOKEN_SECONDS"),)),
    "Paimon REST catalog": HttpClient(
        _paimon_rest, ((paimon_rest, "ANSWER_SECONDS"), (paimon_rest, "CONNECT_SECONDS"))
    ),
    "identity provider": HttpClient(_provider, ((provider, "_ANSWER_SECONDS"),)),
    "listing by HTTP": HttpClient(_listing, ((http_listings, "_SECONDS"),), raises=StoreError),
    "SDK and CLI": HttpClient(_sdk, (), raises=SdkError),
    "SDK in asyncio": HttpClient(_async_sdk, (), raises=SdkError, is_repeated=True),
    "Prometheus": HttpClient(_prometheus, ((queries, "ANSWER_SECONDS"),)),
}


def _follow(url: str) -> None:
    with Packhouse(url, "pkh_hidden") as client:
        list(client.follow_run("run_1"))


def _follow_in_asyncio(url: str) -> None:
    async def call() -> None:
        async with AsyncPackhouse(url, "pkh_hidden") as client:
            async for _ in client.follow_run("run_1"):
                pass

    asyncio.run(call())


STREAMS: Final[Mapping[str, Call]] = {"SDK and CLI": _follow, "SDK in asyncio": _follow_in_asyncio}
"""Clients that follow a stream of events to its end."""
