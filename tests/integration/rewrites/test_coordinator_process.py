"""A coordinator as a process of its own: it asks for query latency, reads events of stores, and serves its figures."""

import asyncio
import re
import signal
from functools import partial
from pathlib import Path

import httpx
import pytest

from engine.domain.ids import TableId
from engine.domain.runs.run import RunState, WaitingFor
from engine.domain.tables.signals import Signal, SignalKind
from tests.support.event_queues import event_queue
from tests.support.eventually import eventually, seen_when
from tests.support.processes import child, environment_of
from tests.support.prometheus_server import prometheus_server, vector
from tests.support.s3_server import S3Server
from tests.support.world import World

BACK_OFF = {
    "signal": "query_latency_p95",
    "throttle_above": "2s",
    "pause_above": "5s",
    "resume_below": "1s",
    "factor": 0.5,
}


async def test_polled_latency_holds_runs_back_events_are_read_and_the_coordinators_figures_tell_of_it(
    world: World, s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def signals(table_id: TableId | None = None, kind: SignalKind = SignalKind.QUERY_LATENCY) -> list[Signal]:
        assert process.poll() is None, log.read_text()
        async with world.container.database.read() as unit:
            return await unit.signals.list(table_id, kind)

    queue = event_queue(s3, monkeypatch)
    async with world.container.database.begin() as unit:
        await unit.locations.replace(world.table_id, ["s3://lake/t"])
    await world.set_policy({"backoff": BACK_OFF})
    log = tmp_path / "log"
    with prometheus_server() as server:
        server.says(vector(({}, "9")))
        settings = environment_of(
            world.container.settings,
            prometheus_url=server.url,
            latency_query="quantile(0.95, query_seconds)",
            metrics_port=0,
            **queue.settings,
        )
        with child(settings, "api", "coordinator", log=log) as process:
            (signal_kept,) = await seen_when(signals)
            assert signal_kept.sent_by == "prometheus"
            queue.send({"id": "1", "source": "aws.s3", "detail-type": "Object Created",
                        "detail": {"bucket": {"name": "lake"}, "object": {"key": "t/x"}}})  # fmt: skip
            (reported,) = await seen_when(partial(signals, world.table_id, SignalKind.COMMIT))
            assert reported.sent_by == "sqs"
            await asyncio.to_thread(eventually, lambda: not queue.waiting())
            found = re.search(r"at (http://127\.0\.0\.1:\d+)/metrics", log.read_text())
            assert found is not None, log.read_text()
            async with httpx.AsyncClient(base_url=found[1], trust_env=False) as client:
                assert (await client.get("/healthz")).json() == {"status": "ok"}
                text = (await client.get("/metrics")).text
            for line in (
                'packhouse_latency_polls_total{outcome="kept"} 1.0',
                'packhouse_leads{name="latency"} 1.0',
                'packhouse_event_messages_total{outcome="taken"} 1.0',
                'packhouse_duties_total{duty="reap",outcome="done"}',
            ):
                assert line in text
            process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(eventually, lambda: process.poll() is not None)
            assert process.returncode == 0, log.read_text()
    run = await world.submit()
    assert not await world.container.worker.advance_next()
    held = await world.get(run.id)
    assert (held.state, held.waiting_for) == (RunState.QUEUED, WaitingFor.LATENCY_BACKOFF)
