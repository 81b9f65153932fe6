"""A catalog or storage that is away in the middle of a run, and vended credentials that expire during tasks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.rewriting.kernel.storage.stores import objects
from tests.support.databases import FreshDatabase
from tests.support.faulty_proxy import LOST, FaultyProxy
from tests.support.rest_catalog import RestCatalogServer
from tests.support.s3_server import BUCKET, Asked, S3Server
from tests.support.settings import settings_of
from tests.support.world import World, make_lake, open_on

PROBES = 7


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that does not answer is tried once more, not for three seconds."""
    monkeypatch.setattr(objects, "_PATIENT_RETRIES", {"max_retries": 1})


@dataclass
class Vendor:
    """Vends a new access key with each load of a table; it expires `lifetime` requests for data files later."""

    s3: S3Server
    lifetime: int = 10**9
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


@asynccontextmanager
async def on_s3(
    vendor: Vendor, folder: Path, *, database: FreshDatabase, redis_url: str, endpoint: str = "", **lake: int
) -> AsyncIterator[tuple[World, RestCatalogServer]]:
    """Open a world whose table is in S3 and whose catalog is a REST server; Packhouse reaches S3 at `endpoint`."""
    s3 = vendor.s3
    own = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"s3://{BUCKET}/wh"}
    writers = own | {"init_catalog_tables": "true"} | s3.properties("writer", "secret")
    made = await asyncio.to_thread(lambda: make_lake(folder / "lake", settings=writers, **lake))
    with RestCatalogServer(catalog=made.catalog).running() as server:  # type: ignore[arg-type]
        server.config = vendor.vend
        made.properties.clear()
        made.properties.update(
            {"type": "rest", "uri": server.uri, "s3.endpoint": endpoint or s3.url, "s3.region": "us-east-1"}
        )
        settings = settings_of(folder / "state", database_url=database.url, redis_url=redis_url, watch=False)
        async with open_on(made, settings) as world:
            s3.on_request = vendor.note
            yield world, server


async def until_ended(world: World, run: Run, database: FreshDatabase, *, answers: asyncio.Event) -> Run:
    """Advance a run and probe what it waits for until it has ended; set `answers` after enough failed probes."""
    probes, failed = world.container.worker._probes, 0
    while not (run := await world.get(run.id)).is_terminal:
        if not await world.container.worker.advance(run.id):
            database.execute("UPDATE outages SET next_probe_at = away_since")
            assert await probes.turn() == 1, run
            await asyncio.gather(*probes._probing)
            failed += 1
            if failed == PROBES:
                answers.set()
    return run


async def test_a_storage_that_is_away_in_the_middle_of_a_run_costs_no_failure(
    s3: S3Server, fresh_database: FreshDatabase, redis_url: str, tmp_path: Path
) -> None:
    with FaultyProxy(s3.url).running() as proxy:
        vendor = Vendor(s3)
        async with on_s3(vendor, tmp_path, database=fresh_database, redis_url=redis_url, endpoint=proxy.url) as (
            world,
            _,
        ):
            rows, answers = world.lake.rows(), asyncio.Event()

            def go_away() -> None:
                proxy.before = lambda _request: None if answers.is_set() else LOST

            world.at("rewriting", go_away)
            run = await until_ended(world, await world.submit(), fresh_database, answers=answers)
            assert answers.is_set()
            assert (run.state, run.failures) == (RunState.SUCCEEDED, 0), run.detail
            assert world.lake.rows() == rows


async def test_a_run_names_the_storage_that_it_waits_for(
    s3: S3Server, fresh_database: FreshDatabase, redis_url: str, tmp_path: Path
) -> None:
    with FaultyProxy(s3.url).running() as proxy:
        vendor = Vendor(s3)
        async with on_s3(vendor, tmp_path, database=fresh_database, redis_url=redis_url, endpoint=proxy.url) as (
            world,
            _,
        ):
            world.at("rewriting", lambda: setattr(proxy, "before", lambda _request: LOST))
            run = await world.submit()
            await world.container.worker.advance(run.id)
            shown = await world.get(run.id)
            assert shown.waiting_for is WaitingFor.STORAGE
            assert f"the storage of table {world.table_id} in catalog 'lake' has not answered" in str(shown.detail)


@pytest.mark.parametrize("step", ["claimed", "planned", "group_written"])
async def test_a_catalog_that_is_away_costs_no_failure(
    step: str, s3: S3Server, fresh_database: FreshDatabase, *, redis_url: str, tmp_path: Path
) -> None:
    vendor = Vendor(s3)
    async with on_s3(vendor, tmp_path, database=fresh_database, redis_url=redis_url) as (world, server):
        rows, answers = world.lake.rows(), asyncio.Event()

        def go_away() -> None:
            server.before_get = lambda _path: None if answers.is_set() else 503

        world.at(step, go_away)
        run = await until_ended(world, await world.submit(), fresh_database, answers=answers)
        assert answers.is_set()
        assert (run.state, run.failures) == (RunState.SUCCEEDED, 0), run.detail
        assert world.lake.rows() == rows


async def test_a_run_goes_on_over_many_lifetimes_of_vended_credentials(
    s3: S3Server, fresh_database: FreshDatabase, redis_url: str, tmp_path: Path
) -> None:
    vendor = Vendor(s3, lifetime=20)
    async with on_s3(vendor, tmp_path, database=fresh_database, redis_url=redis_url, days=14) as (world, _):
        rows, run = world.lake.rows(), await world.submit()
        await world.container.worker.advance(run.id)
        run = await world.get(run.id)
        assert (run.state, run.failures, run.attempt) == (RunState.SUCCEEDED, 0, 1), run.detail
        assert run.result.groups_committed == 14
        assert vendor.asked > 4 * vendor.lifetime
        assert world.lake.rows() == rows


async def test_a_group_that_outlasts_new_credentials_fails_with_the_remedy(
    s3: S3Server, fresh_database: FreshDatabase, redis_url: str, tmp_path: Path
) -> None:
    vendor = Vendor(s3, lifetime=3)
    async with on_s3(vendor, tmp_path, database=fresh_database, redis_url=redis_url, days=1) as (world, _):
        run = await world.rewrite()
        assert (run.state, run.reason) == (RunState.FAILED, "groups_failed")
        assert "credentials expired 3 times before its end; lower rewrite.max_group_bytes" in str(run.detail)


async def test_refused_credentials_end_the_run_with_the_storage_named(
    s3: S3Server, fresh_database: FreshDatabase, redis_url: str, tmp_path: Path
) -> None:
    with FaultyProxy(s3.url).running() as proxy:
        vendor = Vendor(s3)
        async with on_s3(vendor, tmp_path, database=fresh_database, redis_url=redis_url, endpoint=proxy.url) as (
            world,
            _,
        ):
            world.at("rewriting", lambda: setattr(proxy, "before", lambda _request: 403))
            run = await world.submit()
            await world.container.worker.advance(run.id)
            run = await world.get(run.id)
            assert (run.state, run.reason) == (RunState.FAILED, "state_conflict")
            assert "the storage refuses the credentials" in str(run.detail)
