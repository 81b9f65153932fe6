"""F43: a location that encloses another registered table is refused by every operation that deletes files."""

from dataclasses import replace

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotEligible
from engine.domain.ids import TableId
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.table import TableRef
from tests.support.expired_files import stored
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import PREPARED
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
    assert (run.state, run.reason) == (RunState.FAILED, "not_eligible"), run.detail
    assert "registered at the location of lake.lake.events, below it or around it" in (run.detail or "")
    assert {path for path in was - stored(world.lake.table) if not path.endswith(".metadata.json")} == set()


async def test_f43_a_dry_run_names_the_reason(world: World, clock: MovedClock) -> None:
    await PREPARED["orphans"](world, clock)
    await register_inside(world, "inner")
    with pytest.raises(NotEligible, match="none of its files is deleted"):
        await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.REMOVE_ORPHANS)
