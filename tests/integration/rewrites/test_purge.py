"""Purge: a dry run, its hash and a typed address; then exactly that history goes, with its files.

Steps and writers are those of every deletion (`test_removals.py`).
"""

from dataclasses import replace
from typing import Any

import pytest

from engine.domain.access.audit import AuditFilter
from engine.domain.access.callers import SYSTEM, Caller, Role
from engine.domain.errors import Forbidden, InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.support.attempts import content, set_properties, snapshot_ids
from tests.support.iceberg_tables import edit_metadata
from tests.support.removal_runs import ADDRESS, confirmed_purge, nothing_needed_is_missing
from tests.support.world import World

OPERATOR = Caller(subject="an operator", role=Role.OWNER)


async def dry_run(world: World) -> dict[str, Any]:
    return dict(await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.PURGE))


async def purge(world: World) -> Run:
    return await world.finish((await world.submit(await confirmed_purge(world))).id)


@pytest.mark.parametrize("version", [2, 3])
async def test_m16_history_goes_at_once_with_its_files_and_is_audited(world: World, version: int) -> None:
    await world.rewrite()
    world.lake.table.manage_snapshots().create_tag(snapshot_ids(world)[2], "audit").commit()
    set_properties(world, {"history.expire.min-snapshots-to-keep": "50"})
    if version > 2:
        edit_metadata(world.lake.table, lambda body: body.update({"format-version": version, "next-row-id": 0}))
    kept = {each: content(world, each) for each in (snapshot_ids(world)[2], snapshot_ids(world)[-1])}
    plan = await dry_run(world)
    assert plan["setting"] is None
    assert plan["count"] == len(snapshot_ids(world)) - 2
    run = await purge(world)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert {each: content(world, each) for each in snapshot_ids(world)} == kept
    assert nothing_needed_is_missing(world)
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
    request = replace(await confirmed_purge(world), **change)
    with pytest.raises(InvalidInput, match="permanently") as refused:
        await world.submit(request)
    assert [each.pointer for each in refused.value.problems] == [pointer]


async def test_only_an_admin_purges_and_other_operations_take_no_confirmation(world: World) -> None:
    with pytest.raises(Forbidden, match="'admin'"):
        await world.container.runs.submit(OPERATOR, world.table_id, await confirmed_purge(world))
    with pytest.raises(InvalidInput, match="plan_hash, confirm"):
        await world.submit(RunRequest(Operation.REWRITE, plan_hash="0", confirm=ADDRESS))


async def test_a_table_that_changed_since_the_preview_keeps_its_history(world: World) -> None:
    request, before = await confirmed_purge(world), snapshot_ids(world)
    run = await world.submit(request)
    world.lake.append(day="2026-11-01")
    with pytest.raises(InvalidInput, match="permanently") as refused:
        await world.submit(request, allow_duplicate=True)
    assert [each.pointer for each in refused.value.problems] == ["/plan_hash"]
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "state_conflict")
    assert "make a new preview" in (run.detail or "")
    assert snapshot_ids(world)[:-1] == before
