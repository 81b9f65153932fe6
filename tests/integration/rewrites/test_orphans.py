"""Removal of orphans as a run: it looks, waits for the quarantine, looks again, deletes and proves.

It lists the table's folder, or reads an inventory. Steps, writers and cancels are those of every deletion
(`test_removals.py`).
"""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput, NotEligible
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import OutsideFiles
from engine.domain.tables.watches import Verdict
from engine.services.catalogs.locations import LocationRules
from engine.services.planning.upkeep.orphans import complete_rule, orphan_rule
from tests.support.attempts import advanced, content, explained, set_properties
from tests.support.expired_files import needed, stored
from tests.support.iceberg_tables import edit_metadata
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import ORPHANS as SETTING
from tests.support.removal_runs import grow_old, look_for_orphans, root_of, write_inventory, write_orphan
from tests.support.watching import Watching, finish_live, runs_of
from tests.support.world import World

REMOVE = RunRequest(Operation.REMOVE_ORPHANS)
NO_RULES: dict[str, Any] = {"preset": "balanced", "triggers": [], "schedule": {"min_interval": "0s"}}


async def first_look(world: World, **setting: Any) -> Run:
    grow_old(world)
    run: Run = await look_for_orphans(world, **setting)
    return run


async def remove(world: World) -> Run:
    return await world.finish((await world.submit(REMOVE)).id)


@pytest.mark.parametrize("version", [2, 3])
async def test_u12_l11_a_run_stores_what_it_found_and_a_later_one_deletes_it(world: World, version: int) -> None:
    if version > 2:
        edit_metadata(world.lake.table, lambda body: body.update({"format-version": version, "next-row-id": 0}))
    paths = [write_orphan(world, f"data/day=2026-11-01/{number}") for number in range(3)]
    rows, live = content(world), needed(world.lake.table)
    first = await first_look(world)
    assert (first.state, first.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert (first.detail or "").startswith("3 orphans (18 B) among ")
    assert "none can be deleted yet, the first from 20" in (first.detail or "")
    assert first.plan["removal"]["look"]["unreferenced"] == {"files": 3, "bytes": 18}
    assert all(path.exists() for path in paths)
    run = await remove(world)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert not any(path.exists() for path in paths)
    assert (run.result.document["deleted_files"], run.result.document["deleted_bytes"]) == (3, 18)
    assert [each["ok"] for each in run.result.verifications] == [True]
    assert live <= stored(world.lake.table)
    assert content(world) == rows


async def test_nothing_is_deleted_before_the_quarantine_ends(world: World) -> None:
    path = write_orphan(world, "data/0")
    first = await first_look(world, quarantine="7d")
    again = await remove(world)
    assert (first.state, again.state) == (RunState.SKIPPED, RunState.SKIPPED)
    assert again.plan["removal"]["look"]["next_at"] == first.plan["removal"]["look"]["next_at"] is not None
    assert path.exists()


async def test_f44_a_deletion_that_waited_for_weeks_makes_no_orphan_too_young(world: World) -> None:
    """F44: a run that waits for an acknowledgement writes nothing; its time is not that of a writer."""
    run = await look_for_orphans(world)
    world.execute("UPDATE runs SET started_at = '2026-01-01T00:00:00.000000Z' WHERE id = :id", run.id)
    policy = (await world.container.observations.observe(SYSTEM, world.table_id)).policy
    async with world.container.database.read() as unit:
        rule, _ = await complete_rule(unit, world.table_id, orphan_rule(policy), LocationRules(allows_local=True))
    assert rule.age == orphan_rule(policy).age


async def test_a_dry_run_shows_what_a_look_found_and_writes_nothing(world: World) -> None:
    write_orphan(world, "data/0")
    grow_old(world)
    await world.set_policy({"maintenance": {"remove_orphans": SETTING}})
    was = sorted(root_of(world).rglob("*"))
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.REMOVE_ORPHANS)
    assert (plan["count"], plan["details"]["removal"]["look"]["unreferenced"]["files"]) == (0, 1)
    assert plan["next_at"].isoformat() == plan["details"]["removal"]["look"]["next_at"]
    assert sorted(root_of(world).rglob("*")) == was
    await remove(world)
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.REMOVE_ORPHANS)
    assert (plan["count"], plan["details"]["removal"]["total"]) == (1, {"files": 1, "bytes": 6})


async def test_a_search_that_is_off_is_refused(world: World) -> None:
    with pytest.raises(InvalidInput, match="switched off"):
        await world.submit(REMOVE)


async def test_f35_files_of_another_live_run_stay(world: World) -> None:
    other = await world.submit(RunRequest())
    path = write_orphan(world, f"data/{other.id}-00001-1-0.parquet")
    gone = write_orphan(world, "data/0")
    await world.set_policy({"maintenance": {"remove_orphans": SETTING}})
    grow_old(world)
    for _ in range(2):
        await advanced(world, await world.submit(REMOVE))
    assert (path.exists(), gone.exists()) == (True, False)


async def test_a_table_that_forbids_it_is_left_alone(world: World) -> None:
    path = write_orphan(world, "data/0")
    await first_look(world)
    set_properties(world, {"gc.enabled": "false"})
    run = await remove(world)
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert path.exists()


async def test_l11_the_coordinator_searches_at_the_interval_and_deletes_what_two_searches_found(
    watching: Watching, clock: MovedClock
) -> None:
    world = watching.world
    path = write_orphan(world, "data/0")
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


async def state_of(world: World) -> dict[str, Any]:
    return next(each for each in (await explained(world))["upkeep"] if each["operation"] is Operation.REMOVE_ORPHANS)


async def test_orphans_that_the_last_search_left_start_another_once_their_quarantine_is_over(
    watching: Watching, clock: MovedClock
) -> None:
    world = watching.world
    path = write_orphan(world, "data/0")
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
    write_orphan(world, "data/0")
    when = [{"metric": "unreferenced_bytes", "at_least": 0}]
    await first_look(world, when=when, interval="30d")
    run = await remove(world)
    assert run.result.document["deleted_bytes"] == 6
    state = await state_of(world)
    assert [each["measured"] for each in state["conditions"]] == [0]
    waits = datetime.fromisoformat(str(state["due_at"])) - datetime.now(UTC)
    assert waits > timedelta(days=29), "nothing is in quarantine: only the interval starts the next"


@pytest.fixture
async def orphans(world: World) -> list[Path]:
    """Three old files that nothing refers to, which the inventory of the table has."""
    paths = [write_orphan(world, f"data/day=2026-11-01/{number}") for number in range(3)]
    await write_inventory(world)
    return paths


@pytest.fixture
async def inventory(world: World, orphans: list[Path]) -> list[Path]:
    """The same, with a policy that names the inventory."""
    await set_inventory(world, location_of(world))
    return orphans


def location_of(world: World) -> str:
    return str(root_of(world).parent.parent / "inventories" / "all.csv")


async def set_inventory(world: World, location: str) -> None:
    await world.set_policy({"maintenance": {"remove_orphans": SETTING | {"inventory": location}}})


async def test_u12_l11_two_runs_delete_the_orphans_of_an_inventory(world: World, inventory: list[Path]) -> None:
    rows, live = content(world), needed(world.lake.table)
    first = await remove(world)
    assert (first.state, first.reason) == (RunState.SKIPPED, "nothing_to_do"), first.detail
    assert first.plan["rule"]["inventory"] == location_of(world)
    assert first.plan["removal"]["look"]["inventory_at"] <= first.plan["removal"]["look"]["taken_at"]
    run = await remove(world)
    assert (run.state, run.result.document["deleted_files"]) == (RunState.SUCCEEDED, 3)
    assert not any(path.exists() for path in inventory)
    again = await remove(world)
    assert (again.state, again.plan["removal"]["look"]["unreferenced"]) == (RunState.SKIPPED, {"files": 0, "bytes": 0})
    assert live <= stored(world.lake.table)
    assert content(world) == rows


async def test_an_inventory_elsewhere_fails_the_run(world: World, inventory: list[Path]) -> None:
    await world.allow(OutsideFiles.REFUSE, str(root_of(world).parent))
    run = await remove(world)
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "neither below the table's location nor below an allowed location of its catalog" in (run.detail or "")
    assert all(path.exists() for path in inventory)


@pytest.mark.parametrize("location", ["/etc/passwd.csv", "file:///etc/passwd.csv", "s3://lake/x", "/tmp/a%2F..%2F.csv"])
async def test_a_dry_run_opens_no_file_of_the_machine(world: World, orphans: list[Path], location: str) -> None:
    await set_inventory(world, location)
    with pytest.raises(NotEligible, match=re.escape(f"inventory can't be read from {location}: it ")):
        await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.REMOVE_ORPHANS)
    assert all(path.exists() for path in orphans)


async def test_production_reads_no_inventory_from_disks(world: World, inventory: list[Path]) -> None:
    del inventory
    policy = (await world.container.observations.observe(SYSTEM, world.table_id)).policy
    for rules in (LocationRules(allows_local=True), LocationRules(allows_local=False)):
        async with world.container.database.read() as unit:
            asked = complete_rule(unit, world.table_id, orphan_rule(policy), rules)
            if rules.allows_local:
                await asked
            else:
                with pytest.raises(NotEligible, match="local disk"):
                    await asked


async def test_a_missing_inventory_fails_the_run_with_its_name(world: World, inventory: list[Path]) -> None:
    Path(location_of(world)).unlink()
    run = await remove(world)
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "all.csv can't be used: it is missing" in (run.detail or "")
    assert all(path.exists() for path in inventory)
