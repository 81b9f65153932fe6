"""Runs that remove orphans of a Paimon table: attempts that die, and writers that work, at every step."""

from typing import Any, Final

import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.integration.paimon.upkeep.test_killed_expiries import lake, some, world
from tests.support.paimon.expiries import files_of
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.orphans import place
from tests.support.world import World
from tests.upkeep.orphans import grow_old

__all__ = ["lake", "world"]

REMOVE: Final = RunRequest(Operation.REMOVE_ORPHANS)
SETTING: Final = {"older_than": "1d", "quarantine": "0s", "interval": "1h"}
STEPS: Final = ("looking", "planned", "files_recorded", "deleting_files", "files_deleted", "before_end")


async def looked_once(world: World, lake: PaimonLake) -> set[str]:
    """Let a run look at a table with three orphans; return the files without them."""
    files = files_of(lake)
    for name in ("bucket-0/data-{}-0.parquet", "bucket-0/data-{}-1.parquet", "manifest/manifest-{}-0"):
        place(lake.folder, name)
    grow_old(lake.folder)
    await world.set_policy({"maintenance": {"remove_orphans": SETTING}})
    run = await world.finish((await world.submit(REMOVE)).id)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert run.plan["removal"]["look"]["unreferenced"] == {"files": 3, "bytes": 18}
    return files


async def finished(world: World, run: Run) -> Any:
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert {each["ok"] for each in run.result.verifications} == {True}
    return run.result.document


@pytest.mark.parametrize("step", STEPS)
async def test_an_attempt_that_dies_at_any_step_is_resumed(world: World, lake: PaimonLake, step: str) -> None:
    files, rows = await looked_once(world, lake), lake.call("history")
    run = await world.submit(REMOVE)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    assert (await finished(world, run))["deleted_files"] == 3
    assert files_of(lake) == files
    assert lake.call("history") == rows


@pytest.mark.parametrize("step", some(STEPS, "planned", "deleting_files"))
async def test_writers_at_any_step_lose_nothing(world: World, lake: PaimonLake, step: str) -> None:
    await looked_once(world, lake)
    run = await world.submit(REMOVE)

    def write() -> None:
        lake.write([[9, "b", 1.0]])
        lake.call("create_tag", name="t", snapshot=7)
        lake.compact()

    world.at(step, write)
    assert (await finished(world, run))["deleted_files"] == 3
    rows = lake.call("history")["rows"]
    assert len(rows["snapshot 8"]) == len(rows["tag t"]) == 6


@pytest.mark.parametrize("step", ["looking", "planned"])
async def test_an_expiry_by_another_program_loses_nothing(world: World, lake: PaimonLake, step: str) -> None:
    await looked_once(world, lake)
    run = await world.submit(REMOVE)
    world.at(step, lambda: lake.call("expire", retained=1))
    assert (await finished(world, run))["deleted_files"] == 3
    assert set(lake.call("history")["rows"]) == {"snapshot 6", "tag old"}
