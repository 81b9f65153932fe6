"""A catalog or storage that is away in the middle of a run, and vended credentials that expire during tasks."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.rewriting.kernel.storage import transfer
from engine.rewriting.kernel.storage.stores import objects
from tests.support.attempts import advanced, content
from tests.support.databases import FreshDatabase
from tests.support.faulty_proxy import LOST, FaultyProxy
from tests.support.rest_catalog import RestCatalogServer
from tests.support.s3_server import BUCKET, Asked, S3Server
from tests.support.settings import settings_of
from tests.support.world import World, make_lake, open_on

PROBES = 3


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that does not answer is tried once more, and by a task for a moment, not for many seconds."""
    monkeypatch.setattr(objects, "_PATIENT_RETRIES", {"max_retries": 1})
    monkeypatch.setattr(transfer, "patience", lambda _error: 0.2)


@dataclass
class Vendor:
    """Vends a new access key with each load of a table; it expires `lifetime` requests for data files later.

    `has_endpoint`: the catalog has an endpoint for credentials.
    """

    s3: S3Server
    lifetime: int = 10**9
    has_endpoint: bool = False
    asked: int = 0
    vended_at: dict[str, int] = field(default_factory=dict)

    def vend(self) -> dict[str, str]:
        key = f"vended{len(self.vended_at)}"
        self.vended_at[key] = self.asked
        return {"s3.access-key-id": key, "s3.secret-access-key": "secret", "s3.session-token": "token"}

    def note(self, asked: Asked) -> None:
        """Let time pass with each request of a task."""
        if asked.is_of_data_file and asked.access_key in self.vended_at:
            self.asked += 1
            self.s3.expired |= {key for key, at in self.vended_at.items() if self.asked - at > self.lifetime}


@dataclass
class Remote:
    """A world whose table is in S3, behind a proxy, and whose catalog is a REST server."""

    world: World
    catalog: RestCatalogServer
    proxy: FaultyProxy
    database: FreshDatabase
    answers: asyncio.Event = field(default_factory=asyncio.Event)

    def storage(self, answer: int) -> None:
        """Let the storage answer each request in this way until `answers` is set."""
        self.proxy.before = lambda _request: None if self.answers.is_set() else answer

    def catalog_is_away(self) -> None:
        self.catalog.before_get = lambda _path: None if self.answers.is_set() else 503

    async def ends(self, run: Run) -> Run:
        """Advance a run and probe what it waits for until it has ended; set `answers` after enough failed probes."""
        probes, failed = self.world.container.worker._probes, 0
        while not (run := await self.world.get(run.id)).is_terminal:
            if not await self.world.container.worker.advance(run.id):
                self.database.execute("UPDATE outages SET next_probe_at = away_since")
                assert await probes.turn() == 1, run
                await asyncio.gather(*probes._probing)
                failed += 1
                if failed == PROBES:
                    self.answers.set()
        return run


Open = Callable[..., AbstractAsyncContextManager[Remote]]


@pytest.fixture
def on_s3(s3: S3Server, fresh_database: FreshDatabase, redis_url: str, tmp_path: Path) -> Open:
    """Return what opens a world whose table is in S3 and whose catalog vends keys."""

    @asynccontextmanager
    async def opened(vendor: Vendor | None = None, **lake: int) -> AsyncIterator[Remote]:
        vendor = vendor or Vendor(s3)
        own = {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"s3://{BUCKET}/wh"}
        writers = own | {"init_catalog_tables": "true"} | s3.properties("writer", "secret")
        made = await asyncio.to_thread(lambda: make_lake(tmp_path / "lake", settings=writers, **lake))
        catalog = RestCatalogServer(catalog=made.catalog)  # type: ignore[arg-type]
        with catalog.running() as server, FaultyProxy(s3.url).running() as proxy:
            server.config = vendor.vend
            if vendor.has_endpoint:
                server.list_endpoints()
                server.credentials = vendor.vend
            made.properties.clear()
            made.properties.update(
                {"type": "rest", "uri": server.uri, "s3.endpoint": proxy.url, "s3.region": "us-east-1"}
            )
            settings = settings_of(
                tmp_path / "state", database_url=fresh_database.url, redis_url=redis_url, watch=False
            )
            async with open_on(made, settings) as world:
                s3.on_request = vendor.note
                yield Remote(world, server, proxy, fresh_database)

    return opened


@pytest.mark.parametrize(
    ("step", "what"),
    [
        ("rewriting", "storage"),
        ("claimed", "catalog"),
        pytest.param("planned", "catalog", marks=pytest.mark.deep),
        ("group_written", "catalog"),
    ],
)
async def test_a_store_that_is_away_costs_no_failure_and_a_run_names_the_storage(
    on_s3: Open, step: str, what: str
) -> None:
    async with on_s3(files=3) as remote:
        world = remote.world
        rows, run = content(world), await world.submit()
        world.at(step, remote.catalog_is_away if what == "catalog" else lambda: remote.storage(LOST))
        await world.container.worker.advance(run.id)
        if what == "storage":
            shown = await world.get(run.id)
            assert shown.waiting_for is WaitingFor.STORAGE
            assert f"the storage of table {world.table_id} in catalog 'lake' has not answered" in str(shown.detail)
        ended = await remote.ends(run)
        assert remote.answers.is_set()
        assert (ended.state, ended.failures) == (RunState.SUCCEEDED, 0), ended.detail
        assert content(world) == rows


@pytest.mark.parametrize("has_endpoint", [False, True])
async def test_a_run_goes_on_over_many_lifetimes_of_vended_credentials(
    on_s3: Open, s3: S3Server, *, has_endpoint: bool
) -> None:
    """From a server that lists an endpoint for credentials, tasks get theirs without another load of the table."""
    vendor = Vendor(s3, lifetime=20, has_endpoint=has_endpoint)
    async with on_s3(vendor, days=8) as remote:
        world = remote.world
        rows, run = content(world), await advanced(world, await world.submit())
        assert (run.state, run.failures, run.attempt) == (RunState.SUCCEEDED, 0, 1), run.detail
        assert run.result.groups_committed == 8
        assert vendor.asked > 4 * vendor.lifetime
        assert content(world) == rows
        renewed = [path for path in remote.catalog.asked if path.endswith("/credentials")]
        assert (len(renewed) >= 4) is has_endpoint


async def test_a_group_that_outlasts_new_credentials_fails_with_the_remedy(on_s3: Open, s3: S3Server) -> None:
    async with on_s3(Vendor(s3, lifetime=3), days=1) as remote:
        run = await remote.world.rewrite()
        assert (run.state, run.reason) == (RunState.FAILED, "groups_failed")
        assert "credentials expired 3 times before its end; lower rewrite.max_group_bytes" in str(run.detail)


async def test_refused_credentials_end_the_run_with_the_storage_named(on_s3: Open) -> None:
    async with on_s3(files=2) as remote:
        remote.world.at("rewriting", lambda: remote.storage(403))
        run = await advanced(remote.world, await remote.world.submit())
        assert (run.state, run.reason) == (RunState.FAILED, "state_conflict")
        assert "the storage refuses the credentials" in str(run.detail)
