"""Removal of orphans as a run that reads an inventory: where it may be, and what the run shows."""

import re
from pathlib import Path

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotEligible
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import OutsideFiles
from engine.services.catalogs.locations import LocationRules
from engine.services.planning.upkeep.orphans import complete_rule, orphan_rule
from tests.support.attempts import content
from tests.support.expired_files import needed, stored
from tests.support.removal_runs import ORPHANS as SETTING
from tests.support.removal_runs import root_of, write_inventory, write_orphan
from tests.support.world import World

REMOVE = RunRequest(Operation.REMOVE_ORPHANS)


@pytest.fixture
async def orphans(world: World) -> list[Path]:
    """Three old files that nothing refers to, which the inventory of the table has."""
    paths = [write_orphan(world, f"data/day=2026-11-01/{number}.parquet") for number in range(3)]
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


async def run_once(world: World) -> Run:
    return await world.finish((await world.submit(REMOVE)).id)


async def test_u12_l11_two_runs_delete_the_orphans_of_an_inventory(world: World, inventory: list[Path]) -> None:
    rows, live = content(world), needed(world.lake.table)
    first = await run_once(world)
    assert (first.state, first.reason) == (RunState.SKIPPED, "nothing_to_do"), first.detail
    assert first.plan["rule"]["inventory"] == location_of(world)
    assert first.plan["removal"]["look"]["inventory_at"] <= first.plan["removal"]["look"]["taken_at"]
    run = await run_once(world)
    assert (run.state, run.result.document["deleted_files"]) == (RunState.SUCCEEDED, 3)
    assert not any(path.exists() for path in inventory)
    again = await run_once(world)
    assert (again.state, again.plan["removal"]["look"]["unreferenced"]) == (RunState.SKIPPED, {"files": 0, "bytes": 0})
    assert live <= stored(world.lake.table)
    assert content(world) == rows


async def test_an_inventory_elsewhere_fails_the_run(world: World, inventory: list[Path]) -> None:
    await world.allow(OutsideFiles.REFUSE, str(root_of(world).parent))
    run = await run_once(world)
    assert (run.state, run.reason) == (RunState.FAILED, "not_eligible")
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
    run = await run_once(world)
    assert (run.state, run.reason) == (RunState.FAILED, "not_eligible")
    assert "all.csv can't be used: it is missing" in (run.detail or "")
    assert all(path.exists() for path in inventory)
