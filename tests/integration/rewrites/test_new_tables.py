"""What a newly registered table waits for, what ends a rest after runs in vain, and tables without a snapshot."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.domain.tables.discoveries import RegistrationRequest
from engine.domain.tables.table import OutsideFiles, Table, TableRef
from engine.domain.tables.watches import Verdict, Watch
from tests.support.attempts import explained, set_properties
from tests.support.moved_clock import MovedClock
from tests.support.statements import texts_of
from tests.support.watching import Watching, runs_of, set_policy
from tests.support.world import NAME, SCHEMA, World

DUE = PolicyDocument.model_validate(
    {"triggers": [{"name": "few", "all": [{"metric": "small_file_count", "at_least": 5}]}]}
)
FLEET = PolicyScope(PolicyScopeKind.FLEET)
GRACE = timedelta(minutes=15)


@pytest.fixture
async def new(world: World) -> TableId:
    """A due table that is registered with a grace of 15 minutes."""
    async with world.container.database.begin() as unit:
        await unit.policies.insert("fleet", FLEET, DUE, "test")
    await world.allow(OutsideFiles.ALLOWED_LOCATIONS, world.lake.table.location())
    await asyncio.to_thread(world.lake.add_twin, "new")
    world.container.tables._grace_seconds = GRACE.total_seconds()
    return (await world.register("new")).id


async def look(watching: Watching, table_id: TableId) -> Watch:
    await watching.look(also=table_id)
    return await watching.watch(table_id)


async def test_the_first_automatic_run_waits_for_the_grace_and_explain_shows_until_when(
    world: World, watching: Watching, clock: MovedClock, new: TableId
) -> None:
    registered_at = await clock.now()
    seen = await look(watching, new)
    assert (seen.verdict, seen.code) == (Verdict.HELD, "new_table")
    told = await world.container.explain.explain(SYSTEM, new)
    (hold,) = told["next_eligible"]["held_by"]
    assert hold["code"] == "new_table"
    assert abs(hold["until"] - registered_at - GRACE) < timedelta(seconds=20)
    assert told["starts"]["text"].startswith("No run starts automatically before ")
    assert told["starts_at"] >= hold["until"]
    assert seen.reconsider_at == hold["until"]
    await clock.pass_until(hold["until"] + timedelta(seconds=1))
    assert (await look(watching, new)).verdict is Verdict.SUBMITTED


async def resume(world: World, table_id: TableId) -> None:
    await world.container.pauses.resume_table(SYSTEM, table_id)


async def write_own_policy(world: World, table_id: TableId) -> None:
    await world.set_policy({"schedule": {"min_interval": "0s"}}, table_id)


async def ask_for_a_run(world: World, table_id: TableId) -> None:
    run, _ = await world.container.runs.submit(SYSTEM, table_id, RunRequest())
    await world.container.runs.cancel(SYSTEM, run.id)


@pytest.mark.parametrize("act", [resume, write_own_policy, ask_for_a_run])
async def test_the_grace_ends_with_a_decision_on_this_table(
    world: World, watching: Watching, new: TableId, act: Callable[[World, TableId], Awaitable[None]]
) -> None:
    assert (await look(watching, new)).code == "new_table"
    await act(world, new)
    assert (await look(watching, new)).verdict is Verdict.SUBMITTED


async def test_the_grace_does_not_end_with_a_policy_of_the_whole_fleet(
    world: World, watching: Watching, new: TableId
) -> None:
    document = DUE.model_copy(update={"priority": "high"})
    await world.container.scoped_policies.replace(SYSTEM, "fleet", document, 1)
    assert (await look(watching, new)).code == "new_table"


async def test_a_run_that_is_asked_for_does_not_wait_for_the_grace(world: World, new: TableId) -> None:
    run, _ = await world.container.runs.submit(SYSTEM, new, RunRequest())
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED


async def test_a_table_registered_as_paused_starts_nothing_until_it_is_resumed(
    world: World, watching: Watching, new: TableId
) -> None:
    await world.container.tables.delete(SYSTEM, new)
    ref = TableRef("lake", NAME[:1], "new")
    table = await world.container.tables.register(SYSTEM, ref, owner_team=None, labels={"tier": "gold"}, paused=True)
    assert table.pause is not None
    assert (await look(watching, table.id)).code == "table_paused"
    told = await world.container.explain.explain(SYSTEM, table.id)
    assert told["starts"]["text"] == "No run starts automatically: the table is paused."
    assert told["starts_at"] is None
    await resume(world, table.id)
    assert (await look(watching, table.id)).verdict is Verdict.SUBMITTED


async def test_tables_that_are_discovered_may_be_registered_as_paused(world: World, new: TableId) -> None:
    await world.container.tables.delete(SYSTEM, new)
    request = RegistrationRequest("lake.new", labels={"tier": "gold"}, paused=True)
    discovery = await world.container.discovery.register(SYSTEM, "lake", request)
    (found,) = discovery.tables
    assert found.table_id is not None
    table = await world.container.tables.get(SYSTEM, found.table_id)
    assert (table.labels, table.pause is not None) == ({"tier": "gold"}, True)


async def test_min_interval_counts_only_runs_that_changed_the_table(world: World, watching: Watching) -> None:
    await set_policy(world, schedule={"min_interval": "1h"}, rewrite={"min_input_files": 100})
    run, _ = await world.container.runs.submit(SYSTEM, world.table_id, RunRequest())
    assert (await world.finish(run.id)).state is RunState.SKIPPED
    document = PolicyDocument.model_validate({**DUE.model_dump(exclude_none=True), "schedule": {"min_interval": "1h"}})
    await world.container.policies.replace(SYSTEM, world.table_id, document, if_match=1, if_none_match=False)
    assert (await watching.look()).verdict is Verdict.SUBMITTED


async def fail_once(world: World, watching: Watching) -> None:
    """Let an automatic run fail, so that the table rests."""
    await set_policy(world)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    async with world.container.database.begin() as unit:
        (run,) = await unit.runs.list(world.table_id)
        await unit.runs.request_cancel(run.id, "test")
    assert (await watching.look(wake=True)).code == "runs_in_vain"


@pytest.mark.parametrize("changed", ["policy", "catalog"])
async def test_a_change_ends_the_rest_after_runs_in_vain(world: World, watching: Watching, changed: str) -> None:
    await fail_once(world, watching)
    if changed == "policy":
        document = PolicyDocument.model_validate({**DUE.model_dump(exclude_none=True), "priority": "high"})
        await world.container.policies.replace(SYSTEM, world.table_id, document, if_match=1, if_none_match=False)
    else:
        await world.container.catalogs.replace(SYSTEM, "lake", {**world.lake.properties, "pool_pre_ping": "true"}, 1)
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED


@pytest.mark.parametrize(
    "document", [{"rewrite": {"max_group_bytes": "1MiB"}}, {"rewrite": {"target_file_bytes": "2GiB"}}]
)
async def test_a_group_size_below_the_target_is_refused_with_both_values(
    world: World, document: dict[str, Any]
) -> None:
    other = {"rewrite": {"max_group_bytes": "64MiB"}} if "target_file_bytes" in document["rewrite"] else {}
    async with world.container.database.begin() as unit:  # as an earlier version stored it
        await unit.policies.insert("fleet", FLEET, PolicyDocument.model_validate(other), "test")
    with pytest.raises(InvalidInput) as refused:
        await world.set_policy(document)
    (problem,) = refused.value.problems
    assert problem.pointer == "/rewrite/max_group_bytes"
    assert "below rewrite.target_file_bytes of" in problem.message
    assert ("2 GiB (table)" in problem.message) == bool(other)


async def test_a_group_size_below_a_target_that_the_table_raised_later_stops_no_run(world: World) -> None:
    await world.set_policy({"rewrite": {"max_group_bytes": "600MiB"}})
    name = "write.target-file-size-bytes"
    set_properties(world, {name: str(2**30)})
    told = " ".join(texts_of(await explained(world)))
    assert "File groups have the target size: rewrite.max_group_bytes is 600 MiB (table), below" in told
    assert (await world.rewrite()).state is RunState.SUCCEEDED


@pytest.fixture
async def empty(world: World) -> Table:
    """A registered table without a snapshot."""
    await asyncio.to_thread(world.lake.catalog.create_table, (NAME[0], "empty"), SCHEMA)
    return await world.register("empty")


async def test_an_empty_table_is_skipped_everywhere_and_says_so(world: World, watching: Watching, empty: Table) -> None:
    container = world.container
    assert (await look(watching, empty.id)).verdict is Verdict.NOT_DUE
    assert (await container.observations.health(SYSTEM, empty.id))["file_count"] == 0
    plan = await container.tables.plan(SYSTEM, empty.id, policy=None)
    assert (plan["eligible"], plan["groups"]) == (True, [])
    told = await container.explain.explain(SYSTEM, empty.id)
    assert "the table has no files" in " ".join(texts_of(told))
    assert not await runs_of(world)
    run, _ = await container.runs.submit(SYSTEM, empty.id, RunRequest())
    ended = await world.finish(run.id)
    assert (ended.state, ended.reason, ended.attempt) == (RunState.SKIPPED, "nothing_to_do", 1)
    assert "the table is empty" in (ended.detail or "")


async def test_an_empty_table_whose_rules_always_hold_starts_nothing(
    world: World, watching: Watching, empty: Table
) -> None:
    always = [{"name": "always", "all": [{"metric": "snapshot_count", "at_least": 0}]}]
    full = {"full": {"interval": "1d", "always_below_bytes": "1GiB"}}
    await world.set_policy({"triggers": always, "rewrite": full}, empty.id)
    seen = await look(watching, empty.id)
    assert (seen.verdict, seen.code) in {(Verdict.NOT_DUE, None), (Verdict.HELD, "nothing_to_do")}
    async with world.container.database.read() as unit:
        assert not await unit.runs.list(empty.id)


async def test_the_effect_of_a_deletion_shows_a_group_size_below_the_target(world: World) -> None:
    async with world.container.database.begin() as unit:
        fleet = PolicyDocument.model_validate({"rewrite": {"max_group_bytes": "64MiB"}})
        await unit.policies.insert("fleet", FLEET, fleet, "test")
        own = PolicyDocument.model_validate({"rewrite": {"target_file_bytes": "32MiB"}})
        await unit.policies.insert(
            world.table_id, PolicyScope(PolicyScopeKind.TABLE, table_id=world.table_id), own, "x"
        )
    judged = await world.container.policies.preview(SYSTEM, world.table_id, None)
    assert [problem.pointer for problem in judged.effect.problems] == ["/rewrite/max_group_bytes"]
