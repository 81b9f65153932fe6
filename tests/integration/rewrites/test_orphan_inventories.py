"""Removal of orphans as a run that reads an inventory: where it may be, what the run shows, and how it is resumed."""

import os
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
from tests.support.expired_files import needed, stored
from tests.support.world import World

REMOVE = RunRequest(Operation.REMOVE_ORPHANS)
SETTING = {"older_than": "1d", "quarantine": "0s", "interval": "1h"}
LONG_AGO = 1_600_000_000
STEPS = ["looking", "planned", "files_recorded", "deleting_files", "files_deleted", "before_end"]


def root(world: World) -> Path:
    return Path("/" + world.lake.table.location().removeprefix("file:").lstrip("/"))


def folder(world: World) -> Path:
    return root(world).parent.parent / "inventories"


@pytest.fixture
async def orphans(world: World) -> list[Path]:
    """Three old files that nothing refers to, which the inventory of the table has."""
    paths = [root(world) / f"data/day=2026-11-01/{number}.parquet" for number in range(3)]
    for path in paths:
        path.write_bytes(b"orphan")
    files = [path for path in root(world).rglob("*") if path.is_file()]
    for path in files:
        os.utime(path, (LONG_AGO, LONG_AGO))
    folder(world).mkdir()
    lines = [f"{path},{path.stat().st_size},2020-09-13T12:26:40Z\n" for path in files]
    (folder(world) / "all.csv").write_text("path,size,modified\n" + "".join(lines))
    await world.allow(OutsideFiles.REFUSE, str(root(world).parent.parent))
    return paths


@pytest.fixture
async def inventory(world: World, orphans: list[Path]) -> list[Path]:
    """The same, with a policy that names the inventory."""
    await set_inventory(world, str(folder(world) / "all.csv"))
    return orphans


async def set_inventory(world: World, location: str) -> None:
    await world.set_policy({"maintenance": {"remove_orphans": SETTING | {"inventory": location}}})


async def run_once(world: World) -> Run:
    return await world.finish((await world.submit(REMOVE)).id)


async def test_u12_l11_two_runs_delete_the_orphans_of_an_inventory(world: World, inventory: list[Path]) -> None:
    rows, live = world.lake.rows(), needed(world.lake.table)
    first = await run_once(world)
    assert (first.state, first.reason) == (RunState.SKIPPED, "nothing_to_do"), first.detail
    assert first.plan["rule"]["inventory"] == str(folder(world) / "all.csv")
    assert first.plan["removal"]["look"]["inventory_at"] <= first.plan["removal"]["look"]["taken_at"]
    run = await run_once(world)
    assert (run.state, run.result.document["deleted_files"]) == (RunState.SUCCEEDED, 3)
    assert not any(path.exists() for path in inventory)
    again = await run_once(world)
    assert (again.state, again.plan["removal"]["look"]["unreferenced"]) == (RunState.SKIPPED, {"files": 0, "bytes": 0})
    assert live <= stored(world.lake.table)
    assert world.lake.rows() == rows


@pytest.mark.parametrize("step", STEPS)
async def test_an_attempt_that_dies_at_any_step_counts_each_file_once(
    world: World, inventory: list[Path], step: str
) -> None:
    await run_once(world)
    run = await world.submit(REMOVE)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert (run.state, run.result.document["deleted_files"]) == (RunState.SUCCEEDED, 3), run.detail
    assert not any(path.exists() for path in inventory)
    assert needed(world.lake.table) <= stored(world.lake.table)


async def test_an_inventory_elsewhere_fails_the_run(world: World, inventory: list[Path]) -> None:
    await world.allow(OutsideFiles.REFUSE, str(root(world).parent))
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
    (folder(world) / "all.csv").unlink()
    run = await run_once(world)
    assert (run.state, run.reason) == (RunState.FAILED, "not_eligible")
    assert "all.csv can't be used: it is missing" in (run.detail or "")
    assert all(path.exists() for path in inventory)
