"""Purge: a dry run, its hash and a typed address; then exactly that history goes, with its files."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from engine.domain.access.audit import AuditFilter
from engine.domain.access.callers import SYSTEM, Caller, Role
from engine.domain.errors import Forbidden, InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.support.expired_files import needed, stored
from tests.support.world import World

ADDRESS = "lake.lake.events"
OPERATOR = Caller(subject="an operator", role=Role.OWNER)
STEPS = ["planned", "before_commit", "after_commit", "files_recorded", "deleting_files", "files_deleted", "before_end"]


def ids(world: World) -> list[int]:
    return [each.snapshot_id for each in world.lake.table.snapshots()]


def rows(world: World, snapshot_id: int | None = None) -> pa.Table:
    return world.lake.table.scan(snapshot_id=snapshot_id).to_arrow().sort_by("id")


async def dry_run(world: World) -> dict[str, Any]:
    return dict(await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.PURGE))


async def confirmed(world: World) -> RunRequest:
    plan = await dry_run(world)
    return RunRequest(Operation.PURGE, plan_hash=plan["details"]["plan_hash"], confirm=ADDRESS)


async def purge(world: World) -> Run:
    return await world.finish((await world.submit(await confirmed(world))).id)


async def test_m16_history_goes_at_once_with_its_files_and_is_audited(world: World) -> None:
    await world.rewrite()
    table = world.lake.table
    table.manage_snapshots().create_tag(ids(world)[2], "audit").commit()
    with table.transaction() as change:
        change.set_properties({"history.expire.min-snapshots-to-keep": "50"})
    kept = {each: rows(world, each) for each in (ids(world)[2], ids(world)[-1])}
    plan = await dry_run(world)
    assert plan["setting"] is None
    assert plan["count"] == len(ids(world)) - 2
    run = await purge(world)
    table = world.lake.table
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert {each: rows(world, each) for each in ids(world)} == kept
    assert needed(table) <= stored(table)
    assert run.result.document["deleted_files"] == plan["details"]["removal"]["total"]["files"] > 0
    async with world.container.database.read() as unit:
        [(entry, _)] = await unit.audit.list(AuditFilter(action="table.purge"), before=None, limit=10)
    assert entry.after == {
        "run_id": run.id,
        "requested_by": "system",
        "snapshots": run.result.expired_snapshots,
        "deleted_files": run.result.document["deleted_files"],
        "deleted_bytes": run.result.document["deleted_bytes"],
    }


@pytest.mark.parametrize(
    ("change", "pointer"),
    [({"plan_hash": None}, "/plan_hash"), ({"confirm": None}, "/confirm"), ({"confirm": "events"}, "/confirm")],
)
async def test_a_purge_is_refused_without_its_confirmation(world: World, change: dict[str, Any], pointer: str) -> None:
    request = replace(await confirmed(world), **change)
    with pytest.raises(InvalidInput, match="for good") as refused:
        await world.submit(request)
    assert [each.pointer for each in refused.value.problems] == [pointer]


async def test_only_an_admin_purges_and_other_operations_take_no_confirmation(world: World) -> None:
    with pytest.raises(Forbidden, match="'admin'"):
        await world.container.runs.submit(OPERATOR, world.table_id, await confirmed(world))
    with pytest.raises(InvalidInput, match="plan_hash, confirm"):
        await world.submit(RunRequest(Operation.REWRITE, plan_hash="0", confirm=ADDRESS))


async def test_a_table_that_changed_since_the_dry_run_keeps_its_history(world: World) -> None:
    request, before = await confirmed(world), ids(world)
    run = await world.submit(request)
    world.lake.append(day="2026-11-01")
    with pytest.raises(InvalidInput, match="for good") as refused:
        await world.submit(request, force=True)
    assert [each.pointer for each in refused.value.problems] == ["/plan_hash"]
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "state_conflict")
    assert "make a new dry run" in (run.detail or "")
    assert ids(world)[:-1] == before


@pytest.mark.parametrize("step", STEPS)
async def test_an_attempt_that_dies_at_any_step_is_resumed_and_purges_only_what_was_shown(
    world: World, step: str
) -> None:
    head = ids(world)[-1]
    run = await world.submit(await confirmed(world))
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    if step != "planned":  # before it, nothing is decided yet: the hash would not fit
        world.lake.append(day="2026-11-01")
        world.lake.append(day="2026-11-01")
    before = ids(world)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED
    assert ids(world) == before[before.index(head) :], "what was the head at the dry run stays, and all after it"
    table = world.lake.table
    assert needed(table) <= stored(table)


@pytest.mark.parametrize("step", STEPS)
async def test_a_writer_at_any_step_loses_nothing(world: World, step: str) -> None:
    run = await world.submit(await confirmed(world))
    world.at(step, lambda: world.lake.append(day="2026-11-01"))
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED
    assert len(ids(world)) == 2
    for each in ids(world):
        assert rows(world, each).num_rows > 0
    table = world.lake.table
    assert needed(table) <= stored(table)
