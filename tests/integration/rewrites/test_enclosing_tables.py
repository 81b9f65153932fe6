"""F43: a location that encloses another registered table is refused by every operation that deletes files."""

import os
from dataclasses import replace

import pytest
from pyiceberg.table.update import SetLocationUpdate

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotEligible
from engine.domain.ids import TableId
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.table import OutsideFiles, TableRef
from tests.support.expired_files import stored
from tests.support.moved_clock import MovedClock
from tests.support.orphans import named
from tests.support.removal_runs import LONG_AGO, PREPARED, root_of
from tests.support.world import World


async def register_inside(world: World, folder: str) -> None:
    """Register a table at a folder of the world's table, which catalogs without rules for locations allow."""
    async with world.container.database.begin() as unit:
        table = await unit.tables.get(world.table_id)
        assert table is not None
        other = replace(
            table,
            id=TableId("tbl_other"),
            ref=TableRef("lake", ("lake",), "other"),
            uuid="other",
            location=f"{table.location}/{folder}",
        )
        await unit.tables.insert(other)


@pytest.mark.parametrize("name", PREPARED)
async def test_f43_an_enclosed_table_stops_every_deletion(world: World, clock: MovedClock, name: str) -> None:
    request = await PREPARED[name](world, clock)
    await register_inside(world, "data/day=2026-11-01")
    was = stored(world.lake.table)
    run = await world.finish((await world.submit(request)).id)
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible"), run.detail
    assert "registered at the location of lake.lake.events, below it or around it" in (run.detail or "")
    assert {path for path in was - stored(world.lake.table) if not path.endswith(".metadata.json")} == set()


async def test_f43_a_dry_run_names_the_reason(world: World, clock: MovedClock) -> None:
    await PREPARED["orphans"](world, clock)
    await register_inside(world, "inner")
    with pytest.raises(NotEligible, match="none of its files is deleted"):
        await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.REMOVE_ORPHANS)


async def test_f30_a_table_that_was_moved_to_files_of_another_deletes_none(world: World, clock: MovedClock) -> None:
    """Its owner changes the location in its own metadata, in a catalog whose rules for locations allow both places."""
    request = await PREPARED["orphans"](world, clock)
    victim = root_of(world).parent / "victim"
    catalog = await world.container.catalogs.get(SYSTEM, "lake")
    await world.container.catalogs.replace(
        SYSTEM, "lake", catalog.properties, catalog.version,
        allowed_locations=[str(victim.parent)], outside_files=OutsideFiles.ALLOWED_LOCATIONS,
    )  # fmt: skip
    theirs = victim / named()
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"rows of another table")
    os.utime(theirs, (LONG_AGO, LONG_AGO))
    with world.lake.table.transaction() as change:
        change._apply((SetLocationUpdate(location=str(victim)),), ())
    run = await world.finish((await world.submit(request)).id)
    assert theirs.exists()
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible"), run.detail
    assert "register it again" in (run.detail or "")
