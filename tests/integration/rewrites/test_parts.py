"""A run of a very large table goes on part by part, and every part is committed before the next is planned."""

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from engine.planning.plans.file_groups import make_plan
from tests.support.attempts import advanced, content
from tests.support.world import World


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = make_plan.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "most_files", 6)  # one of the three partitions


async def test_a_run_goes_on_with_the_next_part_until_all_is_done(world: World) -> None:
    """U3: each part is committed before the next one is planned. A dry run shows what is left for later."""
    plan = await world.container.tables.plan(SYSTEM, world.table_id, policy=None)
    assert plan["later"] == {"partitions": 2, "files": 12, "bytes": plan["later"]["bytes"]}
    assert plan["prediction"]["input_files"] == 6
    before = content(world)
    run = await world.submit()
    for done in (1, 2):
        seen = await advanced(world, run)
        assert (seen.state, seen.reason, seen.waiting_for, seen.failures) == (RunState.QUEUED, "goes_on", None, 0)
        assert f"{done} groups committed so far; {3 - done} partitions" in (seen.detail or "")
        assert len(world.lake.replaces()) == done
    ended = await advanced(world, run)
    assert (ended.state, ended.attempt) == (RunState.SUCCEEDED, 3)
    assert ended.result.rewritten_files == 18
    assert len(world.lake.paths()) == 3
    assert content(world) == before
    assert world.lake.stored_files() >= {path.removeprefix("file://") for path in world.lake.paths()}


async def test_a_cancel_between_parts_keeps_what_is_committed(world: World) -> None:
    before = content(world)
    run = await world.submit()
    await world.container.worker.advance(run.id)
    world.cancel_soon(run.id)()
    ended = await advanced(world, run)
    assert ended.state is RunState.CANCELLED
    assert len(world.lake.replaces()) == 1
    assert content(world) == before


async def test_a_cancel_while_a_part_is_at_work_ends_the_run_there(world: World) -> None:
    run = await world.submit()
    world.at("before_commit", world.cancel_soon(run.id))
    await world.container.worker.advance(run.id)
    assert (await world.get(run.id)).state is RunState.CANCELLED
    assert len(world.lake.replaces()) <= 1
