"""Each action of another writer at each step of a rewrite, and random sequences of them.

`make test` plays each action at one step and at each step two actions, and `make test-deep` all.
`make fuzz-writers RUNS=500 SEED=1` plays many sequences; a failure names its seed.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pyiceberg.exceptions import CommitFailedException, ValidationException
from pyiceberg.table import Transaction
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from tests.interleaving.checks import cells, check, check_rewrite_while, check_rewrite_while_many
from tests.interleaving.writers import ACTIONS
from tests.support.world import World, open_world

STEPS = ("claimed", "planned", "rewriting", "group_written", "before_commit", "after_commit", "verified")
HARMLESS = ("append", "change_spec")
"""Actions that cost a rewrite nothing, whenever they come."""

RACES = (("delete_merge_on_read", "before_commit"), ("rewrite_too", "before_commit"))
"""Commits that come between the plan of a rewrite and its commit, and change what it read."""

FIRST = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
RUNS = int(os.environ.get("PACKHOUSE_FUZZ_RUNS", "8" if os.environ.get("PACKHOUSE_DEEP") else "1"))


@pytest.fixture
async def world(sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Three partitions of four small files each."""
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, files=4) as opened:
        await opened.set_policy({"rewrite": {"min_input_files": 2, "deletes": {"files": 1}}})
        yield opened


@pytest.mark.parametrize(("action", "step"), cells(ACTIONS, STEPS, also=RACES))
async def test_an_action_of_another_writer_at_a_step(world: World, action: str, step: str) -> None:
    """U2, P5: at every step readers find all rows and writers commit."""
    run = await check_rewrite_while(world, step, ACTIONS[action])
    if action in HARMLESS:
        assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail


@pytest.mark.parametrize("dies_at", [None, "taken_back"])
async def test_a_commit_that_somebody_rolled_back_is_not_said_to_be_ours_to_mend(
    world: World, dies_at: str | None
) -> None:
    """It landed and was right: no freeze, no alarm, and it is not done again; also when the worker dies over it."""
    run = await world.submit()
    world.at("after_commit", lambda: ACTIONS["roll_back"](world))
    if dies_at is not None:
        world.at(dies_at, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    rows = world.lake.rows()
    if dies_at is not None:
        await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert (run.state, run.reason, run.attempt) == (RunState.FAILED, "taken_back", 1 if dies_at is None else 3)
    assert "another program rolled the table back" in (run.detail or "")
    assert (run.result.groups_committed, run.result.document["groups_dropped"]) == (0, {"taken_back": 3})
    (proof,) = run.result.verifications
    assert [each["name"] for each in proof["checks"] if not each["holds"]] == ["in_main_history"]
    assert len(world.lake.replaces()) == 1
    assert (await world.container.tables.get(SYSTEM, world.table_id)).freeze is None
    check(world, run, rows)


async def test_a_commit_whose_snapshot_expired_at_once_has_succeeded(world: World) -> None:
    world.at("after_commit", lambda: ACTIONS["append_and_expire"](world))
    run = await world.rewrite()
    assert (run.state, run.attempt, run.result.groups_committed) == (RunState.SUCCEEDED, 1, 3), run.detail
    assert world.lake.ids() == list(range(world.lake.next_id))
    check(world, run, world.lake.rows())


@pytest.mark.parametrize("sent_at", ["before_commit", "after_commit", "verified"])
async def test_a_writer_that_began_before_our_commit_loses_or_wins_whole(world: World, sent_at: str) -> None:
    """Its change was made of files that we replace: sent after our commit it must not bring any of them back."""
    begun: list[Transaction] = []
    taken: list[bool] = []

    def begin() -> None:
        begun.append(world.lake.table.transaction())
        begun[0].delete("id < 30")

    def send() -> None:
        try:
            begun[0].commit_transaction()
            taken.append(True)
        except (CommitFailedException, ValidationException):
            taken.append(False)

    rows, ids = world.lake.rows(), world.lake.ids()
    world.at("planned", begin)
    world.at(sent_at, send)
    run = await world.rewrite()
    assert len(taken) == 1
    if taken[0]:
        assert world.lake.ids() == [each for each in ids if each >= 30]
        rows = world.lake.rows()
    check(world, run, rows)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS))
async def test_many_actions_during_one_run(world: World, seed: int) -> None:
    await check_rewrite_while_many(world, ACTIONS, seed, STEPS)
