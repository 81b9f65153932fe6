"""All upkeep of a table at a glance: what is on, what a run would do, what the operations that are off would do."""

from collections.abc import Mapping
from typing import Any

from pyiceberg.expressions import EqualTo

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.tables import FleetKey, FleetSort, FleetTableFilter
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.services.planning.upkeep.operations import UPKEEP
from tests.integration.rewrites.test_snapshot_rewrites import delete_rows
from tests.support.attempts import explained, set_properties
from tests.support.moved_clock import MovedClock
from tests.support.statements import texts_of
from tests.support.watching import DAY, set_policy
from tests.support.windows_ahead import change_policy
from tests.support.world import World

EXPIRY = {"older_than": "30m", "keep_last": 1, "delete_files": True}
OFF = "maintenance.expire_snapshots is off"


async def overview(world: World) -> dict[Operation, Mapping[str, Any]]:
    found = await world.container.upkeep.overview(SYSTEM, world.table_id)
    return {each["operation"]: each for each in found["operations"]}


async def replace_rows(world: World, *, days: float, commits: int = 1) -> None:
    """Replace the rows of a day some time ago: the files before are only in old snapshots."""
    world.lake.table.delete(EqualTo("day", DAY))
    for _ in range(commits):
        world.lake.append(day=DAY)
    clock = await MovedClock.of(world.container.database)
    await clock.pass_by(hours=24 * days)


async def history_of(world: World) -> int:
    health = await world.container.observations.health(SYSTEM, world.table_id)
    return int(health["metadata"]["history_bytes"])


async def test_every_operation_is_shown_in_the_order_in_which_they_run(world: World) -> None:
    found = await overview(world)
    assert list(found) == list(UPKEEP)
    assert {each: found[each]["is_on"] for each in found} == {
        each: each is Operation.REWRITE_MANIFESTS for each in UPKEEP
    }
    assert all(each["blocked"] is None for each in found.values())


async def test_an_operation_that_is_off_shows_what_its_example_would_do_and_is_never_due(world: World) -> None:
    await replace_rows(world, days=6, commits=10)
    found = (await overview(world))[Operation.EXPIRE_SNAPSHOTS]
    assert (found["value"], found["origin"], found["assumed"]) == (
        "off",
        "default",
        {"older_than": "5d", "keep_last": 10},
    )
    assert (found["due"], found["due_at"], found["last_run"]) == (False, None, None)
    assert found["count"] > 0
    assert "can expire (older than 5d, except the 10 newest of each branch)" in found["detail"]


async def test_an_operation_that_is_on_shows_its_value_what_it_frees_and_its_last_run(world: World) -> None:
    """The fleet sums and ranks the bytes of history."""
    await replace_rows(world, days=1)
    await set_policy(world, triggers=[], maintenance={"expire_snapshots": EXPIRY | {"interval": "1d"}})
    before = await history_of(world)
    fleet = await world.container.fleet.figures(SYSTEM)
    assert fleet.history_bytes == before > 0
    sort = FleetSort(FleetKey.HISTORY_BYTES)
    (listed,) = await world.container.fleet.tables(SYSTEM, FleetTableFilter(), sort, after=None, limit=10)
    assert (listed.table_id, listed.history_bytes, listed.sort_value) == (world.table_id, before, before)
    found = (await overview(world))[Operation.EXPIRE_SNAPSHOTS]
    assert (found["is_on"], found["origin"], found["assumed"], found["due"]) == (True, "table", None, True)
    assert found["value"] == EXPIRY | {"interval": "1d"}
    assert found["superseded_bytes"] == before > 0
    run = await world.finish((await world.submit(RunRequest(Operation.EXPIRE_SNAPSHOTS))).id)
    assert run.state is RunState.SUCCEEDED
    freed = run.result.document["deleted"]["data"]["bytes"]
    assert freed == before, "every commit was on one line: the estimate is exact"
    found = (await overview(world))[Operation.EXPIRE_SNAPSHOTS]
    assert (found["count"], found["superseded_bytes"], found["due"]) == (0, 0, False)
    assert (found["last_run"]["id"], found["last_run"]["state"]) == (run.id, RunState.SUCCEEDED)
    assert await history_of(world) == 0


async def test_the_overview_shows_the_sizes_that_upkeep_reduces(world: World) -> None:
    delete_rows(world.lake.table)
    found = await world.container.upkeep.overview(SYSTEM, world.table_id)
    snapshots = world.lake.table.snapshots()
    assert found["metadata"]["snapshot_count"] == len(snapshots)
    assert found["metadata"]["oldest_snapshot_at_ms"] == min(each.timestamp_ms for each in snapshots)
    assert found["metadata"]["delete_file_count"] == 12
    assert found["snapshot_id"] == str(world.lake.table.metadata.current_snapshot_id)
    deletes = next(each for each in found["operations"] if each["operation"] is Operation.REWRITE_DELETES)
    assert "12 of 12 position-delete files can become at most" in deletes["detail"]


async def test_what_the_table_forbids_is_blocked_with_the_reason(world: World) -> None:
    set_properties(world, {"gc.enabled": "false"})
    found = await overview(world)
    blocked = {each: found[each]["blocked"] for each in found if found[each]["blocked"] is not None}
    assert blocked.keys() >= {Operation.EXPIRE_SNAPSHOTS, Operation.RECLAIM, Operation.REMOVE_ORPHANS}
    assert set(blocked.values()) == {"not_eligible"}
    assert "gc.enabled" in found[Operation.EXPIRE_SNAPSHOTS]["detail"]


async def named(world: World) -> list[str]:
    advice = await world.container.advice.advise(SYSTEM, world.table_id)
    return [each for each in advice.upkeep.because if OFF in each]


async def test_advice_names_the_operations_that_are_off_and_would_do_something(world: World) -> None:
    assert await named(world) == []
    await replace_rows(world, days=6, commits=10)
    (found,) = await named(world)
    assert found.startswith(f'{OFF}; with {{"older_than": "5d", "keep_last": 10}}: ')
    await set_policy(world, triggers=[], maintenance={"expire_snapshots": EXPIRY})
    assert await named(world) == []


async def test_explain_names_what_old_snapshots_cost_unless_the_policy_frees_it(world: World) -> None:
    await replace_rows(world, days=1)
    maintenance: dict[str, Any]
    for maintenance, is_named in (
        ({}, True),
        ({"expire_snapshots": {"older_than": "30m"}}, True),
        ({"expire_snapshots": EXPIRY}, False),
        ({"reclaim": {"retention": "90d"}}, False),
    ):
        await change_policy(world, {"triggers": [], "maintenance": maintenance})
        assert ("Old snapshots need at most" in str(texts_of(await explained(world)))) is is_named
