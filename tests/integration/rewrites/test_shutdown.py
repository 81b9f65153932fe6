"""A worker process that is asked to stop: what is in flight may end for a while, the rest is another worker's."""

import asyncio
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from engine.domain.ids import RunId
from engine.domain.runs.run import GroupState, Run, RunState, WaitingFor
from tests.support.attempts import content, groups_of
from tests.support.eventually import eventually
from tests.support.processes import child, environment_of
from tests.support.world import World

ONE_LANE = {"limits": {"parallel_groups": 1}}
LONG_SECONDS = 300
SOON_SECONDS = 20  # with all of the process's own end; far less than LONG_SECONDS


@dataclass
class SlowWorker:
    """A worker process whose operations wait for a gate."""

    process: "subprocess.Popen[bytes]"
    folder: Path

    def begun(self) -> int:
        assert self.process.poll() in (None, 0), self.log()
        return len(list(self.folder.glob("begun-*")))

    def open_gate(self) -> None:
        (self.folder / "gate").touch()

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    async def ends(self, within_seconds: float = 60) -> None:
        code = await asyncio.to_thread(self.process.wait, within_seconds)
        assert code == 0, self.log()

    async def stops(self) -> None:
        """Ask it to end, and wait until its attempt has heard of it."""
        self.terminate()
        await asyncio.to_thread(eventually, lambda: "attempt_stops" in self.log())

    def log(self) -> str:
        return (self.folder / "log").read_text()


@contextmanager
def slow_worker(world: World, folder: Path, *, drain_seconds: float) -> Iterator[SlowWorker]:
    folder.mkdir()
    settings = environment_of(
        world.container.settings, worker_slots=1, drain_seconds=str(drain_seconds), metrics_port=0
    )
    with child(settings, "tests.support.slow_worker", str(folder), log=folder / "log") as process:
        yield SlowWorker(process, folder)


async def at_work(world: World, worker: SlowWorker) -> Run:
    """Submit a run of three groups in one lane, and wait until the first is in flight."""
    await world.set_policy(ONE_LANE)
    run = await world.submit()
    await asyncio.to_thread(eventually, lambda: worker.begun() == 1, within_seconds=60)
    return run


async def committed(world: World, run_id: RunId) -> int:
    return sum(group.state is GroupState.COMMITTED for group in await groups_of(world, run_id))


async def test_what_is_in_flight_ends_and_is_committed_and_nothing_new_begins(world: World, tmp_path: Path) -> None:
    """The worker serves its figures alone, and says that it lives, also while it drains."""
    rows = content(world)
    with slow_worker(world, tmp_path / "worker", drain_seconds=LONG_SECONDS) as worker:
        run = await at_work(world, worker)
        found = re.search(r"at (http://127\.0\.0\.1:\d+)/metrics", worker.log())
        assert found is not None, worker.log()
        async with httpx.AsyncClient(base_url=found[1], trust_env=False) as client:
            assert (await client.get("/healthz")).json() == {"status": "ok"}
            text = (await client.get("/metrics")).text
            assert 'packhouse_claims_total{outcome="claimed"} 1.0' in text
            assert "packhouse_attempts 1.0" in text
            assert (await client.get("/v1/runs")).status_code == 404
            await worker.stops()
            assert (await client.get("/healthz")).is_success
        assert (await world.get(run.id)).state is RunState.REWRITING
        worker.open_gate()
        await worker.ends()
        assert worker.begun() == 1
    parked = await world.get(run.id)
    assert (parked.state, parked.waiting_for, parked.reason) == (RunState.QUEUED, WaitingFor.RETRY, "worker_stopped")
    assert (parked.failures, parked.lease_holder, await committed(world, run.id)) == (0, None, 1)
    ended = await world.finish(run.id)
    assert (ended.state, ended.attempt, ended.result.groups_committed) == (RunState.SUCCEEDED, 2, 3)
    assert (content(world), len(world.lake.paths())) == (rows, 3)


async def test_what_does_not_end_in_time_is_interrupted_and_left_to_another(world: World, tmp_path: Path) -> None:
    rows = content(world)
    with slow_worker(world, tmp_path / "worker", drain_seconds=1) as worker:
        run = await at_work(world, worker)
        started = time.monotonic()
        worker.terminate()
        await worker.ends()
        assert 1 <= time.monotonic() - started < SOON_SECONDS
    parked = await world.get(run.id)
    assert (parked.state, parked.reason, parked.failures) == (RunState.QUEUED, "worker_stopped", 0)
    assert await committed(world, run.id) == 0
    assert (await world.finish(run.id)).result.groups_committed == 3
    assert (content(world), len(world.lake.paths())) == (rows, 3)


@pytest.mark.parametrize("drain_seconds", [pytest.param(0, marks=pytest.mark.deep), LONG_SECONDS])
async def test_without_patience_or_asked_twice_it_ends_at_once(
    world: World, tmp_path: Path, drain_seconds: float
) -> None:
    with slow_worker(world, tmp_path / "worker", drain_seconds=drain_seconds) as worker:
        run = await at_work(world, worker)
        started = time.monotonic()
        if drain_seconds:
            await worker.stops()
        worker.terminate()
        await worker.ends()
        assert time.monotonic() - started < SOON_SECONDS
    assert (await world.get(run.id)).reason == "worker_stopped"


async def test_a_cancel_is_heard_while_a_worker_drains(world: World, tmp_path: Path) -> None:
    with slow_worker(world, tmp_path / "worker", drain_seconds=LONG_SECONDS) as worker:
        run = await at_work(world, worker)
        await worker.stops()
        world.cancel_soon(run.id)()
        await worker.ends()
    assert (await world.get(run.id)).state is RunState.CANCELLED
