"""A blackout that begins while Spark works: the task is stopped in time, and the run goes on when it is over."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.policies import PolicyDocument
from engine.domain.runs.run import RunState, WaitingFor
from engine.services.operations.tasks import waiting_groups
from engine.services.runs import hold_watch
from engine.settings.model import Settings
from tests.support.at_work import PACED, PATIENCE_SECONDS, at_work, large_lake, waited
from tests.support.eventually import seen_when
from tests.support.windows_ahead import blackout, instant
from tests.support.world import make_lake


async def test_a_blackout_interrupts_spark_and_the_run_goes_on_afterwards(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold_watch, "POLICY_SECONDS", 0.0)
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    lake = await asyncio.to_thread(lambda: large_lake(make_lake(tmp_path / "lake", days=2, files=2)))
    rows = lake.rows()
    async with at_work(settings, lake) as (container, submitted):
        run = await waited(container, submitted.id, event="group_written")
        begin = instant(seconds=2)
        end = begin + timedelta(seconds=8)
        freeze = PolicyDocument.model_validate(PACED | {"blackouts": [blackout(begin, end, "interrupt")]})
        await container.policies.replace(SYSTEM, run.table_id, freeze, if_match=1)
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
    assert (run.result.groups_committed, lake.rows(), len(lake.paths())) == (2, rows, 2)
    live = {path.removeprefix("file://") for path in lake.paths()}
    assert {path for path in lake.stored_files() if run.id in path} == live
