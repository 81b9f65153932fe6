"""Our clients, each with one call that a hostile server answers."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pytest

import engine.formats.iceberg.catalog.catalogs as iceberg_catalogs
import engine.prometheus.queries as prometheus
from engine.formats.iceberg.connection import IcebergFormat
from engine.formats.paimon import PaimonFormat
from engine.formats.paimon.catalog.rest import client as paimon_rest
from engine.identity import provider
from tests.support.fake_clock import FakeClock

DEADLINE_SECONDS: Final = 1.0
"""The deadline of every call in the tests, by settings or constants of its module."""

Call: TypeAlias = Callable[[str], Any]
"""Makes a call to the server at a URL, and raises."""


@dataclass(frozen=True, slots=True)
class HttpClient:
    """A client of HTTP: its call, and the constants that are its deadlines."""

    call: Call
    deadlines: tuple[tuple[Any, str], ...]

    def hurry(self, patch: pytest.MonkeyPatch) -> None:
        """Set the deadlines low."""
        for module, name in self.deadlines:
            patch.setattr(module, name, DEADLINE_SECONDS)


def _iceberg_rest(url: str) -> None:
    IcebergFormat().connect("lake", {"type": "rest", "uri": url, "token": "hidden"}).list_tables(1)


def _paimon_rest(url: str) -> None:
    PaimonFormat().connect("lake", {"type": "rest", "warehouse": "w", "uri": url, "token": "hidden"}).ping()


def _provider(url: str) -> None:
    provider.IdentityProvider(issuer=url, clock=FakeClock()).endpoints()


def _prometheus(url: str) -> None:
    query = prometheus.LatencyQuery(url=url, query="q", token=lambda: "hidden", table_label=None)
    asyncio.run(query.ask())


HTTP_CLIENTS: Final[Mapping[str, HttpClient]] = {
    "Iceberg REST catalog": HttpClient(
        _iceberg_rest, ((iceberg_catalogs, "ANSWER_SECONDS"), (iceberg_catalogs, "CONNECT_SECONDS"))
    ),
    "Paimon REST catalog": HttpClient(
        _paimon_rest, ((paimon_rest, "ANSWER_SECONDS"), (paimon_rest, "CONNECT_SECONDS"))
    ),
    "identity provider": HttpClient(_provider, ((provider, "_ANSWER_SECONDS"),)),
    "Prometheus": HttpClient(_prometheus, ((prometheus, "ANSWER_SECONDS"),)),
}
