"""Removal of orphans as a run: it looks, waits for the quarantine, looks again, deletes and proves."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.watches import Verdict
from engine.formats.deletion import removal as removals
from engine.services.planning.upkeep.operations import UPKEEP
from tests.interleaving.writers import ACTIONS
from tests.support.expired_files import needed, stored
from tests.support.moved_clock import MovedClock
from tests.support.watching import Watching, finish_live, runs_of
from tests.support.world import World

REMOVE = RunRequest(Operation.REMOVE_ORPHANS)
SETTING = {"older_than": "1d", "quarantine": "0s", "interval": "1h"}
NO_RULES: dict[str, Any] = {"preset": "balanced", "triggers": [], "schedule": {"min_interval": "0s"}}
LONG_AGO = 1_600_000_000
STEPS = ["looking", "planned", "files_recorded", "deleting_files", "files_deleted", "before_end"]


@pytest.fixture
async def clock(world: World) -> MovedClock:
    return await MovedClock.of(world.container.database)


def root(world: World) -> Path:
    return Path("/" + world.lake.table.location().removeprefix("file:").lstrip("/"))


def orphan(world: World, name: str) -> Path:
    path = root(world) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"orphan")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def grow_old(world: World) -> None:
    for path in root(world).rglob("*"):
        if path.is_file() and "packhouse-deletions" not in str(path):
            os.utime(path, (LONG_AGO, LONG_AGO))


async def submit(world: World, **setting: Any) -> Run:
    await world.set_policy({"maintenance": {"remove_orphans": SETTING | setting}})
    return await world.submit(REMOVE)


async def first_look(world: World, **setting: Any) -> Run:
    grow_old(world)
    return await world.finish((await submit(world, **setting)).id)


async def test_u12_l11_a_run_stores_what_it_found_and_a_later_one_deletes_it(world: World) -> None:
    paths = [orphan(world, f"data/day=2026-11-01/{number}.parquet") for number in range(3)]
    rows, live = world.lake.rows(), needed(world.lake.table)
    first = await first_look(world)
    assert (first.state, first.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert (first.detail or "").startswith("3 orphans (18 B) among ")
    assert "none can be deleted yet, the first from 20" in (first.detail or "")
    assert first.plan["removal"]["look"]["unreferenced"] == {"files": 3, "bytes": 18}
    assert all(path.exists() for path in paths)
    run = await world.finish((await world.submit(REMOVE)).id)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert not any(path.exists() for path in paths)
    assert (run.result.document["deleted_files"], run.result.document["deleted_bytes"]) == (3, 18)
    assert [each["ok"] for each in run.result.verifications] == [True]
    assert live <= stored(world.lake.table)
    assert world.lake.rows() == rows


async def test_nothing_is_deleted_before_the_quarantine_ends(world: World) -> None:
    path = orphan(world, "data/a.parquet")
    first = await first_look(world, quarantine="7d")
    again = await world.finish((await world.submit(REMOVE)).id)
    assert (first.state, again.state) == (RunState.SKIPPED, RunState.SKIPPED)
    assert again.plan["removal"]["look"]["next_at"] == first.plan["removal"]["look"]["next_at"] is not None
    assert path.exists()


async def test_a_dry_run_shows_what_a_look_found_and_writes_nothing(world: World) -> None:
    orphan(world, "data/a.parquet")
    grow_old(world)
    await world.set_policy({"maintenance": {"remove_orphans": SETTING}})
    was = sorted(root(world).rglob("*"))
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.REMOVE_ORPHANS)
    assert (plan["count"], plan["details"]["removal"]["look"]["unreferenced"]["files"]) == (0, 1)
    assert plan["next_at"].isoformat() == plan["details"]["removal"]["look"]["next_at"]
    assert sorted(root(world).rglob("*")) == was
    await world.finish((await world.submit(REMOVE)).id)
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.REMOVE_ORPHANS)
    assert (plan["count"], plan["details"]["removal"]["total"]) == (1, {"files": 1, "bytes": 6})


async def test_a_search_that_is_off_is_refused(world: World) -> None:
    with pytest.raises(InvalidInput, match="switched off"):
        await world.submit(REMOVE)


@pytest.mark.parametrize("step", STEPS)
async def test_an_attempt_that_dies_at_any_step_is_resumed(world: World, step: str) -> None:
    paths = [orphan(world, f"data/{number}.parquet") for number in range(3)]
    await first_look(world)
    live = needed(world.lake.table)
    run = await world.submit(REMOVE)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED
    assert run.result.document["deleted_files"] == 3
    assert not any(path.exists() for path in paths)
    assert live <= stored(world.lake.table)


@pytest.mark.parametrize("step", STEPS)
async def test_a_writer_at_any_step_loses_nothing(world: World, step: str) -> None:
    live = next(path for path in root(world).rglob("*.parquet"))
    late = orphan(world, "data/late.parquet")
    late.write_bytes(live.read_bytes())
    gone = orphan(world, "data/gone.parquet")
    await first_look(world)
    run = await world.submit(REMOVE)

    def write() -> None:
        world.lake.append(day="2026-11-01")
        world.lake.table.delete("id < 10")
        if late.exists():
            with world.lake.table.transaction() as change:
                change.add_files([f"{world.lake.table.location()}/data/late.parquet"], check_duplicate_files=False)

    world.at(step, write)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert not gone.exists()
    assert needed(world.lake.table) <= stored(world.lake.table)


@pytest.mark.parametrize("step", ["looking", "deleting_files"])
async def test_a_cancel_stops_the_run_and_nothing_is_deleted(world: World, step: str) -> None:
    path = orphan(world, "data/a.parquet")
    await first_look(world)
    run = await world.submit(REMOVE)
    world.at(step, world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert run.state is RunState.CANCELLED
    assert path.exists()


@pytest.mark.parametrize("step", ["looking", "deleting_files"])
async def test_a_table_that_is_dropped_and_created_again_loses_nothing(world: World, step: str) -> None:
    orphan(world, "data/a.parquet")
    await first_look(world)
    run = await world.submit(REMOVE)
    world.at(step, lambda: ACTIONS["recreate"](world))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "table_replaced")
    assert needed(world.lake.table) <= stored(world.lake.table)


async def test_files_that_the_store_refuses_to_delete_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        orphan(world, f"data/{number}.parquet")
    await first_look(world)
    delete = removals.Removal._delete_one

    def some(self: removals.Removal, store: Any, path: str) -> str | None:
        return "AccessDenied: object lock" if path.endswith("/1.parquet") else delete(self, store, path)

    monkeypatch.setattr(removals.Removal, "_delete_one", some)
    run = await world.finish((await world.submit(REMOVE)).id)
    assert run.state is RunState.SUCCEEDED
    assert (run.result.document["deleted_files"], run.result.document["delete_failures"]) == (2, 1)
    assert "refused" in (run.detail or "")


async def test_f35_files_of_another_live_run_stay(world: World) -> None:
    other = await world.submit(RunRequest())
    path = orphan(world, f"data/{other.id}-00001-1-0.parquet")
    gone = orphan(world, "data/a.parquet")
    await world.set_policy({"maintenance": {"remove_orphans": SETTING}})
    grow_old(world)
    for _ in range(2):
        run = await world.submit(REMOVE)
        await world.container.worker.advance(run.id)
    assert (path.exists(), gone.exists()) == (True, False)


async def test_a_table_that_forbids_it_is_left_alone(world: World) -> None:
    path = orphan(world, "data/a.parquet")
    await first_look(world)
    with world.lake.table.transaction() as change:
        change.set_properties({"gc.enabled": "false"})
    run = await world.finish((await world.submit(REMOVE)).id)
    assert (run.state, run.reason) == (RunState.FAILED, "not_eligible")
    assert path.exists()


async def test_l11_the_coordinator_searches_at_the_interval_and_deletes_what_two_searches_found(
    watching: Watching, clock: MovedClock
) -> None:
    world = watching.world
    path = orphan(world, "data/a.parquet")
    grow_old(world)
    await world.set_policy(NO_RULES | {"maintenance": {"rewrite_manifests": "off", "remove_orphans": SETTING}})
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
    await finish_live(world)
    assert path.exists(), "one look deletes nothing"
    await clock.pass_by(minutes=30)
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    await clock.pass_by(hours=1)
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
    await finish_live(world)
    assert {each.operation for each in await runs_of(world)} == {Operation.REMOVE_ORPHANS}
    assert not path.exists()


def test_l27_operations_that_are_due_together_run_in_order() -> None:
    """Each makes work for the next: an expiry leaves files that only a search for orphans finds."""
    order = [
        Operation.REWRITE_DELETES,
        Operation.REWRITE_MANIFESTS,
        Operation.EXPIRE_SNAPSHOTS,
        Operation.DELETE_OLD_COMPACTIONS,
        Operation.RECLAIM,
        Operation.REMOVE_ORPHANS,
    ]
    assert list(UPKEEP) == order


async def state_of(world: World) -> dict[str, Any]:
    explained = await world.container.explain.explain(SYSTEM, world.table_id)
    return next(each for each in explained["upkeep"] if each["operation"] is Operation.REMOVE_ORPHANS)


async def test_orphans_that_the_last_search_left_start_another_once_their_quarantine_is_over(
    watching: Watching, clock: MovedClock
) -> None:
    world = watching.world
    path = orphan(world, "data/a.parquet")
    path.write_bytes(bytes(2000))
    grow_old(world)
    rule = {"older_than": "1d", "quarantine": "6h", "interval": "30d"}
    when = [{"metric": "unreferenced_bytes", "above": "1KB"}]
    await world.set_policy(
        NO_RULES | {"maintenance": {"rewrite_manifests": "off", "remove_orphans": rule | {"when": when}}}
    )
    (before,) = (await state_of(world))["conditions"]
    assert (before["measured"], before["detail"]) == (None, before["detail"])
    assert "no search for orphans" in before["detail"]
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED, "the first is due at once"
    await finish_live(world)
    (measured,) = (await state_of(world))["conditions"]
    assert (measured["measured"], measured["holds"]) == (2000, True)
    await clock.pass_by(hours=5)
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE, "a search would delete nothing yet"
    assert (await state_of(world))["due_at"] is not None
    await clock.pass_by(hours=2)
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
    await finish_live(world)
    assert [each.operation for each in await runs_of(world)] == [Operation.REMOVE_ORPHANS] * 2


async def test_a_search_that_deleted_all_orphans_leaves_none_for_the_condition(world: World) -> None:
    orphan(world, "data/a.parquet")
    when = [{"metric": "unreferenced_bytes", "at_least": 0}]
    await first_look(world, when=when, interval="30d")
    run = await world.finish((await world.submit(REMOVE)).id)
    assert run.result.document["deleted_bytes"] == 6
    state = await state_of(world)
    assert [each["measured"] for each in state["conditions"]] == [0]
    waits = datetime.fromisoformat(str(state["due_at"])) - datetime.now(UTC)
    assert waits > timedelta(days=29), "nothing is in quarantine: only the interval starts the next"
