"""Traces of real runs: which spans there are, how attempts are linked, and that a collector can't delay a run."""

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import requests
from sqlalchemy import text

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.factory.traces import exported_traces
from engine.formats.iceberg.catalog.rest.sessions import guard
from engine.outgoing.bounds import any_peer
from engine.stores.database import Database
from engine.tracing import spans
from engine.tracing.contexts import SpanContext
from engine.tracing.otel import GRACE_SECONDS
from tests.support.attempts import die_at
from tests.support.databases import TWO_DATABASES
from tests.support.recording_server import RecordingServer
from tests.support.tarpit import Tarpit
from tests.support.traces import Kept, collector, kept_spans, tree
from tests.support.watching import Watching, runs_of, set_policy
from tests.support.world import World

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT count(*) FROM n"
SAFE = re.compile(r"[A-Za-z0-9_.:-]{0,80}")
"""What ids and codes look like: no path, SQL or message does."""


@pytest.fixture
def exporters() -> Iterator[None]:
    """Wait after the test for threads that were left behind, as they log."""
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("OtelBatch"):
            thread.join(20)


@pytest.fixture
def kept() -> Iterator[Kept]:
    with kept_spans() as made:
        yield made


async def test_a_rewrite_is_a_trace_of_its_own_that_is_linked_to_the_request(world: World, kept: Kept) -> None:
    with spans.request("POST", CALLER):
        run = await world.submit()
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    [request], [submit], [attempt] = (kept.named(name) for name in ("POST", "run.submit", "run.attempt"))
    assert (request.trace, request.parent) == ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
    assert (submit.trace, submit.parent) == request.key
    assert (attempt.parent, attempt.links) == ("", {submit.key})
    assert attempt.attributes["packhouse.run_id"] == run.id
    assert attempt.attributes["packhouse.state"] == "succeeded"
    inside = {(parent, name) for parent, name in tree(kept.all) if name not in ("sql", "catalog.call")}
    phases = {("group", name) for name in ("read", "encode", "write")}
    assert inside >= phases | {("run.attempt", name) for name in ("plan", "spark.operation", "commit", "proof")}
    assert ("spark.operation", "group") in inside


async def test_the_parts_of_an_operation_are_within_it(world: World, kept: Kept) -> None:
    """Rows are put in order, so that there are all five phases."""
    await world.set_policy({"rewrite": {"strategy": "sort", "columns": ["id"]}})
    run = await world.submit()
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    by_key = {each.key: each for each in kept.all}
    parts = [each for each in kept.all if each.name in ("group", "read", "decode", "order", "encode", "write")]
    assert {each.name for each in parts} == {"group", "read", "decode", "order", "encode", "write"}
    for part in parts:
        parent = by_key[part.trace, part.parent]
        assert parent.begun <= part.begun <= part.ended <= parent.ended
    for group in (each for each in parts if each.name == "group"):
        busy = sum(each.attributes["packhouse.seconds"] for each in parts if each.parent == group.id)
        assert 0 < busy <= (group.ended - group.begun) + 0.001  # each second counts once


async def test_attributes_are_ids_and_codes(world: World, kept: Kept) -> None:
    run = await world.submit()
    world.at("planned", lambda: (_ for _ in ()).throw(OSError("/secret/path is gone")))
    await world.finish(run.id)
    texts = [each for span in kept.all for each in span.attributes.values() if isinstance(each, str)]
    assert texts
    assert [each for each in texts if not SAFE.fullmatch(each)] == []
    assert "secret" not in str([each.status.description for each in kept.exporter.get_finished_spans()])


async def test_attempts_of_dead_workers_are_connected_by_links(world: World, kept: Kept) -> None:
    run = await world.submit()
    await die_at(world, run, "group_written")
    await die_at(world, run, "planned")
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    [submit] = kept.named("run.submit")
    first, second, third = sorted(kept.named("run.attempt"), key=lambda each: each.attributes["packhouse.attempt"])
    assert len({submit.trace, first.trace, second.trace, third.trace}) == 4
    assert first.links == {submit.key}
    assert second.links >= {submit.key}
    assert third.links >= {submit.key}
    for earlier, later in ((first, second), (second, third)):
        number = later.attributes["packhouse.attempt"]
        assert str(SpanContext.of_attempt(run.id, number)) == f"00-{later.trace}-{later.id}-01"
        if (
            earlier.attributes["packhouse.attempt"] == number - 1
        ):  # a stolen lease counts as an attempt without a worker
            assert earlier.key in later.links


async def test_upkeep_has_the_same_steps(world: World, kept: Kept) -> None:
    run = await world.submit(RunRequest(Operation.REWRITE_MANIFESTS))
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    assert {("run.attempt", name) for name in ("plan", "commit", "proof")} <= tree(kept.all)


async def test_an_automatic_run_is_linked_to_the_look_that_began_it(
    world: World, watching: Watching, kept: Kept
) -> None:
    await set_policy(world)
    await watching.look(wake=True)
    [run] = await runs_of(world)
    await world.finish(run.id)
    [look], [submit], [attempt] = (kept.named(name) for name in ("watch.evaluate", "run.submit", "run.attempt"))
    assert (look.attributes, submit.parent) == ({"packhouse.table_id": world.table_id}, look.id)
    assert attempt.links == {submit.key}


@TWO_DATABASES
async def test_a_slow_statement_is_a_span_without_its_text(world: World, kept: Kept) -> None:
    """Statements are watched by engines that are made while spans are recorded."""
    database = Database(world.database_url)
    async with database.read() as unit:
        with spans.span("outside"):
            await unit.connection.execute(text(SLOW))
    await database.close()
    [outside], sql = kept.named("outside"), kept.named("sql")
    assert [(each.parent, each.attributes) for each in sql] == [(outside.id, {"packhouse.statement": "WITH"})]


def test_a_rest_catalog_is_told_the_trace() -> None:
    session = requests.Session()
    guard(session, any_peer)
    with RecordingServer().running() as server:
        session.get(server.url)
        with kept_spans(), spans.span("plan"):
            session.get(server.url)
            told = spans.traceparent()
    session.close()
    assert [f"traceparent: {told}" in each for each in server.requests] == [False, True]
    assert "traceparent" not in server.requests[0]


def _tarpit(stack: ExitStack) -> str:
    tarpit = stack.enter_context(Tarpit().running())
    return f"http://127.0.0.1:{tarpit._port}"


@pytest.mark.usefixtures("exporters")
@pytest.mark.parametrize(
    "address", [lambda _stack: "http://127.0.0.1:9", _tarpit], ids=["nothing listens", "it never answers"]
)
async def test_a_collector_that_does_not_answer_delays_nothing(
    world: World, address: Callable[[ExitStack], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address(stack))
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
        with exported_traces("worker"):
            begun = time.monotonic()
            assert (await world.rewrite()).state is RunState.SUCCEEDED
            assert time.monotonic() - begun < 10  # the exporter's own timeout
            ending = time.monotonic()
        assert time.monotonic() - ending < GRACE_SECONDS + 1


async def test_spans_reach_a_collector(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with collector() as received:
        for name, value in received.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
        with exported_traces("worker"):
            run = await asyncio.wait_for(world.rewrite(), 60)
        assert {each.name for each in received.all} >= {"run.submit", "run.attempt", "plan", "group", "commit"}
        assert {each.attributes.get("packhouse.run_id", run.id) for each in received.all} == {run.id}
        [resource] = {tuple(sorted(each.items())) for each in received.resources}
        told = dict(resource)
        assert (told["service.name"], told["packhouse.process"]) == ("packhouse", "worker")
        assert told["deployment.environment.name"] == "test"
