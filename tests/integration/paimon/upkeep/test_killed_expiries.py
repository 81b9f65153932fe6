"""Runs that expire snapshots of a Paimon table: attempts that die, and writers that work, at every step."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import FormatName
from engine.factory.container import open_container
from tests.support.local_dispatch import LocalDispatcher
from tests.support.moved_clock import MovedClock
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.expiries import files_of
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.settings import settings_of
from tests.support.world import World

RULE: Final = {"older_than": "30m", "keep_last": 1, "interval": "1h", "delete_files": True}
STEPS: Final = (
    *("planned", "before_tags", "after_tags", "before_commit", "after_commit"),
    *("files_recorded", "deleting_files", "files_deleted", "before_end"),
)


def some(steps: Sequence[str], *names: str) -> list[Any]:
    """Return the steps; those with other names are deep."""
    return [pytest.param(each, marks=() if each in names else pytest.mark.deep) for each in steps]


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    """A key table with six snapshots, one live file and a tag that is past its time."""

    def make(lake: PaimonLake) -> None:
        lake.create(primary_keys=["id"], bucket="1", write_only="true")
        lake.write_and_compact()
        lake.call("create_tag", name="old", snapshot=1, seconds=0)

    return made_once(paimon_core, tmp_path / "warehouse", "six snapshots and an old tag", make)


@pytest.fixture
async def world(
    lake: PaimonLake, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    """A container whose record is 13 hours ahead, with the table registered; `redis` is empty."""
    del redis
    dispatcher, worlds = LocalDispatcher(), list[World]()
    settings = settings_of(
        tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, lease_seconds=30, watch=False
    )
    async with open_container(
        settings, step=lambda name: worlds[0].on_step(name) if worlds else None, dispatcher=dispatcher
    ) as container:
        await container.catalogs.create(SYSTEM, "lake", FormatName.PAIMON, dict(lake.properties))
        table = await container.tables.register(SYSTEM, lake.ref, owner_team=None, labels={})
        worlds.append(World(container, cast("Any", lake), table.id, dispatcher, sqlite_url))
        clock = await MovedClock.of(container.database)
        await clock.pass_by(hours=13)
        yield worlds[0]


async def submitted(world: World) -> Run:
    await world.set_policy({"maintenance": {"expire_snapshots": RULE}})
    return await world.submit(RunRequest(Operation.EXPIRE_SNAPSHOTS))


def data_files(lake: PaimonLake) -> list[str]:
    return [each for each in files_of(lake) if "bucket-" in each]


@pytest.mark.parametrize("step", STEPS)
async def test_an_attempt_that_dies_at_any_step_is_resumed(world: World, lake: PaimonLake, step: str) -> None:
    rows = lake.call("values")
    run = await submitted(world)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert (run.result.expired_snapshots, run.result.expired_tags) == (5, 1)
    assert run.result.document["deleted"]["data"]["files"] == 4
    assert len(data_files(lake)) == 1
    assert lake.call("values") == rows
    assert len(lake.call("history")["rows"]) == 1


@pytest.mark.parametrize("step", some(STEPS, "after_tags", "before_commit", "deleting_files"))
async def test_writers_at_any_step_lose_nothing(world: World, lake: PaimonLake, step: str) -> None:
    run = await submitted(world)

    def write() -> None:
        lake.write([[9, "b", 1.0]])
        lake.call("create_tag", name="t", snapshot=7)
        lake.compact()
        lake.call("expire", retained=1)

    world.at(step, write)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    rows = lake.call("history")["rows"]
    assert set(rows) == {"snapshot 8", "tag t"}
    assert len(rows["snapshot 8"]) == len(rows["tag t"]) == 6


@pytest.mark.parametrize("step", some(STEPS[:-1], "before_commit", "files_recorded", "files_deleted"))
async def test_a_cancel_at_any_step_leaves_a_readable_table(world: World, lake: PaimonLake, step: str) -> None:
    rows = lake.call("values")
    run = await submitted(world)
    world.at(step, world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert run.state is (RunState.SUCCEEDED if step == "files_deleted" else RunState.CANCELLED), run.detail
    assert await asyncio.to_thread(lake.call, "values") == rows
    assert len(lake.call("history")["rows"]) in (1, 11, 12)
