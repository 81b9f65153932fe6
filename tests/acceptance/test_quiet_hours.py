"""A blackout that begins while Spark works: the task is stopped in time, and the run goes on when it is over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.access import SYSTEM
from engine.domain.ids import RunId
from engine.domain.policies import PolicyDocument
from engine.domain.run_requests import RunRequest
from engine.domain.runs import Run, RunState, WaitingFor
from engine.factory import Container, open_container
from engine.services import hold_watch, lanes
from engine.settings import Settings
from tests.support.eventually import seen_when
from tests.support.windows_ahead import blackout, instant
from tests.support.world import Lake, make_lake, register_lake

PATIENCE_SECONDS = 90
PACED = {"limits": {"bandwidth": "300kB", "parallel_groups": 1}}


@asynccontextmanager
async def at_work(settings: Settings, lake: Lake) -> AsyncIterator[tuple[Container, Run]]:
    """Coordinator and worker on one submitted run."""
    async with open_container(settings) as container:
        table = await register_lake(container, lake)
        policy = PolicyDocument.model_validate(PACED)
        await container.policies.put(SYSTEM, table.id, policy, if_none_match=True)
        run, _ = await container.runs.submit(SYSTEM, table.id, RunRequest())
        parts = [asyncio.create_task(container.coordinator.run()), asyncio.create_task(container.worker.run())]
        try:
            yield container, run
        finally:
            container.worker.stop()
            container.coordinator.stop()
            await asyncio.gather(*parts)


async def waited(container: Container, run_id: RunId, *, event: str) -> Run:
    """Return the run as soon as its log has an event."""

    async def look() -> set[str]:
        async with container.database.read() as unit:
            return {entry.kind for entry in await unit.events.list(run_id, limit=1000)}

    await seen_when(look, lambda kinds: event in kinds, within_seconds=PATIENCE_SECONDS)
    return await container.runs.get(SYSTEM, run_id)


async def test_a_blackout_interrupts_spark_and_the_run_goes_on_afterwards(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold_watch, "POLICY_SECONDS", 0.0)
    monkeypatch.setattr(lanes, "LEAST_BUNDLE_BYTES", 1)
    lake = await asyncio.to_thread(make_lake, tmp_path / "lake", days=2, files=2)
    for day in (1, 2) * 3:
        await asyncio.to_thread(lake.append, day=f"2026-11-{day:02}", rows=30_000)
    rows = lake.rows()
    async with at_work(settings, lake) as (container, submitted):
        run = await waited(container, submitted.id, event="group_written")
        begin = instant(seconds=2)
        end = begin + timedelta(seconds=8)
        freeze = PolicyDocument.model_validate(PACED | {"blackouts": [blackout(begin, end, "interrupt")]})
        await container.policies.put(SYSTEM, run.table_id, freeze, if_match=1)
        parked = await waited(container, run.id, event="parked")
        assert datetime.now(UTC) - begin < timedelta(seconds=5)
        assert (parked.state, parked.waiting_for) == (RunState.QUEUED, WaitingFor.BLACKOUT)
        assert (parked.not_before, parked.failures, len(lake.replaces())) == (end, 0, 1)
        run = await seen_when(
            lambda: container.runs.get(SYSTEM, submitted.id),
            lambda run: run.is_terminal,
            within_seconds=PATIENCE_SECONDS,
        )
    assert (run.state, run.attempt, run.failures) == (RunState.SUCCEEDED, 2, 0), run.detail
    assert run.finished_at is not None
    assert run.finished_at > end
    assert (run.result["groups_committed"], lake.rows(), len(lake.paths())) == (2, rows, 2)
    live = {path.removeprefix("file://") for path in lake.paths()}
    assert {path for path in lake.stored_files() if run.id in path} == live
