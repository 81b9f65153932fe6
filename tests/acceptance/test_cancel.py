"""A cancel ends a run that real Spark works on within five seconds, and nothing of it is left."""

import asyncio
import os
import time
from pathlib import Path

import pyarrow as pa
import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from engine.services.operations.tasks import waiting_groups
from engine.settings.model import Settings
from tests.support.at_work import PATIENCE_SECONDS, at_work, large_lake, waited
from tests.support.eventually import seen_when
from tests.support.world import Lake, make_lake

MOST_SECONDS = 5.0


def content(lake: Lake) -> pa.Table:
    """Return the rows in the order of their ids: as texts, as `Lake.rows` has them, 180,000 take seconds."""
    return lake.table.scan().to_arrow().sort_by("id")


async def test_a_running_task_is_stopped_and_its_output_removed(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    lake = await asyncio.to_thread(lambda: large_lake(make_lake(tmp_path / "lake", days=2, files=2)))
    before = (content(lake), sorted(lake.paths()), lake.stored_files())
    async with at_work(settings, lake) as (container, submitted):
        await waited(container, submitted.id, event="group_written")
        begun = time.monotonic()
        await container.runs.cancel(SYSTEM, submitted.id)
        run = await seen_when(
            lambda: container.runs.get(SYSTEM, submitted.id),
            lambda run: run.is_terminal,
            within_seconds=PATIENCE_SECONDS,
        )
        seconds = time.monotonic() - begun
        busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # how many wait for each core
    assert run.state is RunState.CANCELLED, run.detail
    assert seconds < MOST_SECONDS * busy
    assert (content(lake), sorted(lake.paths()), lake.stored_files()) == before
