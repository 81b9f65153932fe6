"""REST catalogs that take requests signed for AWS only: each signature is computed again by the server."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from engine.formats.iceberg.connection import IcebergFormat
from tests.support.faulty_proxy import FaultyProxy
from tests.support.signed_requests import Signatures
from tests.support.world import NAME, World, open_world

SIGNED = {"rest.sigv4-enabled": "true", "rest.signing-name": "glue", "client.region": "eu-central-1"}
KEYS = {"client.access-key-id": "lake", "client.secret-access-key": "secret"}


@pytest.fixture
def proxy(iceberg_rest_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProxy]:
    """The Iceberg project's server, behind what checks signatures."""
    monkeypatch.setenv("LAKE_KEY", "lake")
    monkeypatch.setenv("LAKE_SECRET", "secret")
    with FaultyProxy(iceberg_rest_url).running() as running:
        running.before = Signatures({"lake": "secret"}, service="glue", region="eu-central-1")
        yield running


@pytest.fixture
async def world(
    proxy: FaultyProxy, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    """A lake in the catalog: writers go to it directly, Packhouse with signed requests."""
    keys = {"client.access-key-id": "env:LAKE_KEY", "client.secret-access-key": "env:LAKE_SECRET"}
    lake = {
        "settings": {"type": "rest", "uri": proxy.target},
        "registered": {"type": "rest", "uri": proxy.url, **SIGNED, **keys},
    }
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, **lake) as opened:
        yield opened
        await asyncio.to_thread(opened.lake.catalog.drop_table, NAME)
        opened.lake.catalog.close()


def signatures(proxy: FaultyProxy) -> Signatures:
    assert isinstance(proxy.before, Signatures)
    return proxy.before


async def test_a_table_is_rewritten_by_signed_requests(world: World, proxy: FaultyProxy) -> None:
    rows = world.lake.rows()
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)
    assert len(signatures(proxy).seen) == len(proxy.requests) > 3


@pytest.mark.parametrize("name", ["a.b", "straße", "with space", "n" * 200, "+&=~"])
def test_names_are_signed_as_they_are_sent(proxy: FaultyProxy, name: str) -> None:
    connection = IcebergFormat().connect("lake", {"type": "rest", "uri": proxy.url, **SIGNED, **KEYS})
    connection.check()
    del proxy.requests[:], signatures(proxy).seen[:]
    catalog = connection._open()
    with pytest.raises(NoSuchNamespaceError):
        catalog.list_namespaces((name,))
    with pytest.raises(NoSuchTableError):
        catalog.load_table((name, name))
    assert len(signatures(proxy).seen) == len(proxy.requests) == 2


@pytest.mark.parametrize(
    ("properties", "ahead", "words"),
    [
        ({}, 0, None),
        ({"rest.signing-region": "us-east-1"}, 0, "403"),
        ({"rest.signing-name": "s3tables"}, 0, "403"),
        ({"client.secret-access-key": "wrong"}, 0, "403"),
        ({"rest.sigv4-enabled": "false"}, 0, "403"),
        ({}, 4, None),
        ({}, 10, "403"),
        ({}, -10, "403"),
    ],
)
def test_what_is_signed_otherwise_is_refused(
    proxy: FaultyProxy, properties: dict[str, str], ahead: int, words: str | None
) -> None:
    signatures(proxy).ahead = timedelta(minutes=ahead)
    chosen = {"type": "rest", "uri": proxy.url, **SIGNED, **KEYS, **properties}
    steps = IcebergFormat().connect("lake", chosen).check()
    assert steps[-1].ok is (words is None), steps
    assert words is None or steps[-1].name == "open_catalog"


def test_a_token_is_sent_beside_the_signature(proxy: FaultyProxy) -> None:
    chosen = {"type": "rest", "uri": proxy.url, **SIGNED, **KEYS, "token": "of-the-gateway"}
    assert IcebergFormat().connect("lake", chosen).check()[-1].ok
    named = {name.lower(): value for name, value in proxy.requests[0].headers.items()}
    assert named["original-authorization"] == "Bearer of-the-gateway"
    assert named["authorization"].startswith("AWS4-HMAC-SHA256 ")


def test_the_check_says_that_s3_tables_maintains_its_tables_itself(proxy: FaultyProxy) -> None:
    proxy.before = Signatures({"lake": "secret"}, service="s3tables", region="eu-central-1")
    chosen = {"type": "rest", "uri": proxy.url, **SIGNED, **KEYS, "rest.signing-name": "s3tables"}
    steps = {each.name: each for each in IcebergFormat().connect("lake", chosen).check()}
    assert steps["may_commit"].ok
    assert "S3 Tables compacts tables and expires snapshots itself" in steps["open_catalog"].detail
