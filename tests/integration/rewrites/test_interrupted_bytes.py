"""When quiet hours interrupt a rewrite its tasks move nothing later than five seconds after they began."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from api.schemas.runs.pace import PaceReport, PaceShare
from engine.domain.errors import PackhouseError
from engine.domain.ids import RunId
from engine.domain.runs.run import RunState, WaitingFor
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.task import GroupRewrite
from engine.services.runs import hold_watch
from engine.spark.dispatch import Ticket
from tests.support.attempts import append_files, content
from tests.support.databases import FreshDatabase
from tests.support.eventually import until
from tests.support.windows_ahead import blackout, change_policy, go_on, instant
from tests.support.world import World, open_world

PACED = {"limits": {"bandwidth": "100kB", "parallel_groups": 1}}


@pytest.fixture
async def world(fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """A world whose tasks reach the pace channel without HTTP."""
    url = "http://packhouse/internal/pace"
    async with open_world(
        tmp_path / "world", database_url=fresh_database.url, redis_url=redis_url, pace_url=url, days=1, files=1
    ) as opened:
        connect_tasks(opened)
        yield opened


def connect_tasks(world: World) -> None:
    """Let tasks report to the run's ledger, as the api does for them."""
    loop, send = asyncio.get_running_loop(), world.dispatcher.run

    def post(_url: str, _headers: dict[str, str], body: bytes) -> bytes:
        whose = json.loads(body)
        report = PaceReport.model_validate_json(body).to_domain()
        call = world.container.pace.report(RunId(whose["run_id"]), whose["attempt"], report)
        try:
            answer = asyncio.run_coroutine_threadsafe(call, loop).result()
        except PackhouseError as error:  # the api answers it with a status that is no success
            raise OSError(error.message) from error
        return PaceShare.from_domain(answer).model_dump_json().encode()

    def rewrite(payload: str) -> str:
        return GroupRewrite(sent=SentKernelTask.from_json(payload), post=post).run().to_json()

    def run(ticket: Ticket, _function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        return send(ticket, rewrite, payloads)

    world.dispatcher.run = run  # type: ignore[method-assign]


async def test_no_byte_is_moved_later_than_five_seconds_after_the_start(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold_watch, "POLICY_SECONDS", 0.0)
    await asyncio.to_thread(append_files, world.lake, "2026-11-01", 5, rows=20_000)
    await change_policy(world, PACED)
    rows, run = content(world), await world.submit()
    advancing = asyncio.create_task(world.container.worker.advance(run.id))
    samples: list[tuple[datetime, int]] = []

    async def sample() -> None:
        while True:
            moved = await world.container.pace.progress(run.id)
            samples.append((datetime.now(UTC), moved.bytes_read + moved.bytes_written))
            await asyncio.sleep(0.1)

    sampling = asyncio.create_task(sample())
    await until(lambda: bool(samples) and samples[-1][1] > 150_000)
    begin = instant(seconds=1.5)
    freeze = {"blackouts": [blackout(begin, begin + timedelta(seconds=120), "interrupt")]}
    await change_policy(world, PACED | freeze)
    await asyncio.wait_for(advancing, 60)
    await until(lambda: samples[-1][0] > begin + timedelta(seconds=6))
    sampling.cancel()
    before, after = ([moved for at, moved in samples if at <= begin + timedelta(seconds=late)] for late in (0.0, 5.0))
    assert before[-1] > 150_000
    assert after[-1] == samples[-1][1]
    assert before[-1] > before[-15]  # it was at work when the window began
    parked = await world.get(run.id)
    assert (parked.state, parked.waiting_for) == (RunState.QUEUED, WaitingFor.BLACKOUT)
    assert not [path for path in world.lake.stored_files() if run.id in path]
    await change_policy(world, {"limits": {"parallel_groups": 1}})
    assert await world.container.coordinator.review() == 1
    ended = await go_on(world, run)
    assert (ended.state, ended.attempt, content(world)) == (RunState.SUCCEEDED, 2, rows)
