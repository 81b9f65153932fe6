"""Rewrites on several Spark endpoints, on both databases: chosen by labels, drained, away, unsuitable, and killed."""

import json
import platform
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM, Caller, Role
from engine.domain.errors import Away, Interrupted, InvalidInput, PreconditionFailed, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.endpoints import EndpointRequest, EndpointState, SparkEndpoint
from engine.domain.ids import RunId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState, WaitingFor
from engine.services.operations.tasks.executors import Executor
from engine.services.operations.tasks.servers import EndpointServer
from engine.services.outages.endpoints import EndpointProbes
from engine.services.outages.probes import OutageProbes
from engine.services.runs.claims import ClaimService
from tests.support.attempts import events_of
from tests.support.databases import FreshDatabase
from tests.support.local_dispatch import LocalDispatcher
from tests.support.moved_clock import MovedClock
from tests.support.settings import settings_of
from tests.support.world import NAME, SCHEMA, SPEC, Lake, World, make_lake, open_on

ADMIN = Caller("key:root", Role.ADMIN)
SUITABLE = Executor("exec-1", platform.python_version(), {"pyarrow": "25", "numpy": "2"}, 0.0, None)
EU = {"spark": {"require": {"site": "eu"}}}


class Sites:
    """Endpoints whose tasks run in threads, by name; `executor` is what their tasks report."""

    def __init__(self) -> None:
        self.dispatchers: dict[str, LocalDispatcher] = {}
        self.executor: Executor | Interrupted = SUITABLE
        self.urls: list[str] = []

    def make(self, name: str, url: str) -> EndpointServer:
        self.urls.append(url)
        dispatcher = self.dispatchers.setdefault(name, LocalDispatcher(name))

        def version() -> str:
            dispatcher.ping()
            return "4.1.4"

        def executor() -> Executor:
            if isinstance(self.executor, Interrupted):
                raise self.executor
            return self.executor

        procedures: Any = None
        return EndpointServer(dispatcher, procedures, name, version, executor)


@pytest.fixture
def sites() -> Sites:
    return Sites()


@pytest.fixture
async def world(
    fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path, sites: Sites
) -> AsyncIterator[World[Lake]]:
    settings = settings_of(
        tmp_path / "state", database_url=fresh_database.url, redis_url=redis_url, lease_seconds=30, watch=False
    )
    async with open_on(make_lake(tmp_path / "lake"), settings, make_server=sites.make) as opened:
        for site in ("eu", "us"):
            await opened.container.endpoints.create(ADMIN, site, asked(site))
        yield opened


def asked(site: str, **fields: Any) -> EndpointRequest:
    return EndpointRequest(f"sc://{site}.example.com:15002", labels={"site": site}, **fields)


async def written(world: World[Lake], name: str, **fields: Any) -> SparkEndpoint:
    service = world.container.endpoints
    present = await service.get(ADMIN, name)
    return await service.replace(ADMIN, name, asked(name, **fields), present.version)


async def seen(world: World[Lake], run: Run) -> Run:
    return await world.container.runs.get(SYSTEM, run.id)


async def test_a_run_goes_to_the_endpoint_that_its_policy_requires_and_says_so(
    world: World[Lake], sites: Sites
) -> None:
    await world.set_policy(EU)
    run = await world.finish((await world.submit()).id)
    assert (run.state, run.spark_endpoint) == (RunState.SUCCEEDED, "eu")
    begun = [each.details["spark_endpoint"] for each in await events_of(world, run.id) if "engine" in each.details]
    assert begun == ["eu"]
    assert list(sites.dispatchers) == ["eu"]


@pytest.mark.parametrize("cause", ["drained", "away", "unsuitable", "none"])
async def test_a_run_without_an_endpoint_waits_with_the_reason_and_starts_once_there_is_one(
    world: World[Lake], sites: Sites, cause: str
) -> None:
    await world.set_policy({"spark": {"require": {"site": "mars"}}} if cause == "none" else EU)
    probes = EndpointProbes(database=world.container.database, servers=world.container.servers)
    sites.make("eu", "")
    if cause == "drained":
        await written(world, "eu", drained=True)
    if cause == "away":
        sites.dispatchers["eu"].is_away = True
    if cause == "unsuitable":
        sites.executor = Executor("exec-1", "3.9.2", {"pyarrow": "25", "numpy": "2"}, 0.0, None)
    await probe_all(world, probes)
    submitted = await world.submit()
    assert not await world.container.worker.advance(submitted.id)
    waiting = await seen(world, submitted)
    code = WaitingFor.SPARK_UNSUITABLE if cause == "unsuitable" else WaitingFor.NO_ENDPOINT
    words = {
        "drained": "the Spark endpoint eu is drained",
        "away": "the Spark endpoint eu does not answer",
        "unsuitable": "its executors have Python 3.9, and workers",
        "none": "no Spark endpoint has the labels site=mars",
    }
    assert (waiting.waiting_for, waiting.attempt, waiting.failures) == (code, 0, 0)
    assert words[cause] in (waiting.detail or "")
    explained = await world.container.explain.explain(SYSTEM, world.table_id)
    told = json.dumps(explained, default=str)
    assert f'"code": "{code.value}"' in told
    assert f"Run {submitted.id} waits: " in told  # until somebody does something, not until an instant
    assert await review(world) == []

    sites.dispatchers["eu"].is_away = False
    sites.executor = SUITABLE
    if cause == "none":
        await world.container.endpoints.create(ADMIN, "mars", asked("mars"))
    else:
        await written(world, "eu")
    await probe_all(world, probes)
    assert await review(world) == [submitted.id]
    ended = await world.finish(submitted.id)
    assert (ended.state, ended.attempt) == (RunState.SUCCEEDED, 1)


async def review(world: World[Lake]) -> list[RunId]:
    """Release runs whose wait is over, as the coordinator does."""
    container = world.container
    claims = ClaimService(database=container.database, operations=Operation, holder="reviewer", lease_seconds=30)
    return await claims.review(10)


async def end_outage(world: World[Lake]) -> None:
    """Probe the one outage, which the dependency answers."""
    container = world.container
    probes = OutageProbes(
        database=container.database,
        formats=container.formats,
        servers=container.servers,
        queue=container.queue,
        holder="prober",
    )
    async with container.database.begin() as unit:
        (outage,) = await unit.outages.claim_probes(8)
    assert await probes.probe(outage)


async def probe_all(world: World[Lake], probes: EndpointProbes) -> None:
    """Probe each endpoint whose probe is due."""
    while True:
        async with world.container.database.begin() as unit:
            claimed = await unit.endpoints.claim_probe()
        if claimed is None:
            return
        await probes.probe(claimed)


async def test_new_runs_leave_an_endpoint_that_is_away_and_those_sent_there_wait_for_it(
    world: World[Lake], sites: Sites, clock: MovedClock
) -> None:
    """Tasks of a run can be stopped only where they were sent; runs that were not sent go elsewhere."""
    rows = world.lake.table.scan().to_arrow()
    table = world.lake.catalog.create_table((NAME[0], "returns"), SCHEMA, partition_spec=SPEC)
    for part in range(6):
        table.append(rows.slice(part * len(rows) // 6, len(rows) // 6))
    other = await world.register("returns", policy={"spark": {"prefer": {"site": "eu"}}})
    await world.set_policy({"spark": {"prefer": {"site": "eu"}}})
    sites.make("eu", "")
    sites.dispatchers["eu"].is_away = True
    first = await world.submit()
    await world.container.worker.advance(first.id)
    sent = await world.get(first.id)
    assert (sent.state, sent.waiting_for, sent.waits_on) == (RunState.QUEUED, WaitingFor.SPARK, "spark:eu")
    assert "Spark endpoint 'eu' has not answered" in (sent.detail or "")

    second, _ = await world.container.runs.submit(SYSTEM, other.id, RunRequest(force_full=True))
    assert await world.container.worker.advance(second.id)
    ended = await world.get(second.id)
    assert (ended.state, ended.spark_endpoint) == (RunState.SUCCEEDED, "default")
    assert not await world.container.worker.advance(first.id)

    sites.dispatchers["eu"].is_away = False
    await clock.pass_by(seconds=30)
    await end_outage(world)
    assert (await world.finish(first.id)).state is RunState.SUCCEEDED


async def test_an_endpoint_keeps_its_address_while_live_runs_have_worked_there(
    world: World[Lake], sites: Sites, clock: MovedClock
) -> None:
    await world.set_policy(EU)
    sites.make("eu", "")
    sites.dispatchers["eu"].is_away = True
    run = await world.submit()
    await world.container.worker.advance(run.id)
    service = world.container.endpoints
    present = await service.get(ADMIN, "eu")
    moved = EndpointRequest("sc://new.example.com:15002", labels={"site": "eu"})
    with pytest.raises(StateConflict, match="1 live runs have worked there"):
        await service.replace(ADMIN, "eu", moved, present.version)
    with pytest.raises(StateConflict, match="1 live runs have worked there"):
        await service.delete(ADMIN, "eu", present.version)
    assert (await service.get(ADMIN, "eu")).version == present.version
    assert (await written(world, "eu", drained=True)).drained

    sites.dispatchers["eu"].is_away = False
    await clock.pass_by(seconds=30)
    await end_outage(world)
    assert not await world.container.worker.advance(run.id)  # drained: it is taken up again when it is open
    waiting = await seen(world, run)
    assert waiting.waiting_for is WaitingFor.NO_ENDPOINT
    await world.container.runs.cancel(SYSTEM, run.id)
    assert (await world.finish(run.id)).state is RunState.CANCELLED
    present = await service.get(ADMIN, "eu")
    await service.replace(ADMIN, "eu", moved, present.version)


async def test_an_endpoint_that_was_changed_after_it_was_chosen_is_chosen_again(
    world: World[Lake], sites: Sites
) -> None:
    await world.set_policy(EU)
    run = await world.submit()
    moved = "UPDATE spark_endpoints SET version = 2, url = 'sc://new.example.com:15002' WHERE name = 'eu' AND :id = :id"
    world.at("planned", lambda: world.execute(moved, run.id))
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    assert sites.urls == ["sc://eu.example.com:15002", "sc://new.example.com:15002"]


@pytest.mark.parametrize(
    ("name", "request_", "pointer"),
    [
        ("a", EndpointRequest(), "/url"),
        ("a", EndpointRequest("http://a"), "/url"),
        ("a", EndpointRequest("sc://a:15002/;token=abc"), "/url"),
        ("a", EndpointRequest("sc://u:p@a:15002"), "/url"),
        ("a", EndpointRequest("sc://a", token="hunter2"), "/token"),
        ("a", EndpointRequest("sc://a", token="env:PACKHOUSE_SECRET_KEY"), "/token"),
        ("a", EndpointRequest("sc://a", token="file:/proc/self/environ"), "/token"),
        ("a", EndpointRequest("sc://a", labels={"name": "b"}), "/labels"),
        ("default", EndpointRequest("sc://a"), "/url"),
    ],
)
async def test_what_can_not_be_an_endpoint_is_refused_by_its_field_without_its_secret(
    world: World[Lake], name: str, request_: EndpointRequest, pointer: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await world.container.endpoints.create(ADMIN, name, request_)
    assert {each.pointer for each in refused.value.problems} == {pointer}
    assert "hunter2" not in str([refused.value, *refused.value.problems])


async def test_a_token_is_read_where_it_is_used_and_its_absence_is_told(
    world: World[Lake], sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    await written(world, "eu", token="env:SPARK_EU")
    probes = EndpointProbes(database=world.container.database, servers=world.container.servers)
    await probe_all(world, probes)
    found = await world.container.endpoints.get(ADMIN, "eu")
    assert found.state is EndpointState.UNSUITABLE
    assert "the environment variable SPARK_EU is not set" in found.detail
    monkeypatch.setenv("SPARK_EU", "a;b c")
    await written(world, "eu", token="env:SPARK_EU")
    await probe_all(world, probes)
    assert (await world.container.endpoints.get(ADMIN, "eu")).state is EndpointState.OK
    assert sites.urls[-1] == "sc://eu.example.com:15002/;token=a%3Bb%20c"


async def test_the_groups_of_all_runs_on_an_endpoint_stay_within_its_limit(world: World[Lake], sites: Sites) -> None:
    await world.set_policy({**EU, "limits": {"parallel_groups": 3}})
    await written(world, "eu", parallel_groups=1)
    sites.make("eu", "")
    dispatcher, most, now = sites.dispatchers["eu"], [0], [0]
    run_tasks = dispatcher.run

    def counted(*given: Any) -> list[str]:
        now[0] += 1
        most[0] = max(most[0], now[0])
        try:
            return run_tasks(*given)
        finally:
            now[0] -= 1

    dispatcher.run = counted  # type: ignore[method-assign]
    run = await world.finish((await world.submit()).id)
    assert (run.state, most, run.result.document["groups_committed"]) == (RunState.SUCCEEDED, [1], 3)


async def test_an_endpoint_is_written_under_its_version_and_default_is_never_deleted(world: World[Lake]) -> None:
    service = world.container.endpoints
    with pytest.raises(PreconditionFailed, match="exists"):
        await service.create(ADMIN, "eu", asked("eu"))
    with pytest.raises(PreconditionFailed, match="version 1 now"):
        await service.replace(ADMIN, "eu", asked("eu"), 7)
    with pytest.raises(StateConflict, match="always exists"):
        await service.delete(ADMIN, "default", 1)
    shown = await service.get(Caller("key:ana", Role.VIEWER, frozenset({"shop"})), "eu")
    assert (shown.url, shown.labels) == (None, {"site": "eu"})


async def test_an_outage_names_its_endpoint_and_ends_with_it(world: World[Lake], clock: MovedClock) -> None:
    await world.set_policy(EU)
    run = await world.submit()
    async with world.container.database.begin() as unit:
        away = Away(DependencyKind.SPARK, "no route", endpoint="eu")
        outage = await unit.outages.report(away, await world.get(run.id))
    assert (outage.key, outage.endpoint) == ("spark:eu", "eu")
    assert not await world.container.worker.advance(run.id)
    assert "eu does not answer" in ((await seen(world, run)).detail or "")
    await clock.pass_by(seconds=30)
    await end_outage(world)


async def test_a_run_whose_endpoint_this_worker_can_not_open_ends_and_leaves_its_files(
    world: World[Lake], sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tasks of its first attempt may still write, and can't be stopped from here."""
    monkeypatch.setenv("SPARK_EU", "a token")
    await written(world, "eu", token="env:SPARK_EU")
    await world.set_policy(EU)
    sites.make("eu", "")
    sites.dispatchers["eu"].is_away = True
    run = await world.submit()
    await world.container.worker.advance(run.id)
    monkeypatch.delenv("SPARK_EU")
    del world.container.servers._opened["eu"]  # another process
    ended = await world.finish(run.id)
    assert (ended.state, ended.reason) == (RunState.FAILED, "gave_up")
    assert "the environment variable SPARK_EU is not set" in (ended.detail or "")


async def test_an_endpoint_whose_executors_are_busy_takes_runs_and_is_asked_again(
    world: World[Lake], sites: Sites, clock: MovedClock
) -> None:
    await world.set_policy(EU)
    probes = EndpointProbes(database=world.container.database, servers=world.container.servers)
    sites.executor = Interrupted("the operation was stopped")
    await probe_all(world, probes)
    found = await world.container.endpoints.get(ADMIN, "eu")
    assert (found.state, found.detail) == (EndpointState.UNKNOWN, "no executor reported on itself within 60 s")
    assert (await world.finish((await world.submit()).id)).state is RunState.SUCCEEDED
    sites.executor = SUITABLE
    await clock.pass_by(minutes=2)
    await probe_all(world, probes)
    assert (await world.container.endpoints.get(ADMIN, "eu")).state is EndpointState.OK
