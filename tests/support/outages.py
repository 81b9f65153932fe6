"""Dependencies that are away while several runs live: more tables, due probes, attempts until none is ready."""

import asyncio
from collections.abc import Sequence

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.outages import Outage
from engine.domain.ids import TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run
from engine.domain.tables.table import OutsideFiles
from tests.support.databases import FreshDatabase
from tests.support.world import World


async def with_twins(world: World) -> Sequence[TableId]:
    """Register two more tables that read the same files; return all three."""
    found = [world.table_id]
    await world.allow(OutsideFiles.ALLOWED_LOCATIONS, world.lake.table.location())
    for name in ("second", "third"):
        await asyncio.to_thread(world.lake.add_twin, name)
        found.append((await world.register(name)).id)
    return found


async def submit_all(world: World, tables: Sequence[TableId]) -> list[Run]:
    """Submit a run of each table."""
    return [(await world.container.runs.submit(SYSTEM, each, RunRequest()))[0] for each in tables]


async def work_off(world: World) -> int:
    """Execute attempts until no run is ready; return how many there were."""
    count = 0
    while await world.container.worker.advance_next():
        count += 1
    return count


def let_probe_be_due(database: FreshDatabase) -> None:
    """Let the time until the next probe pass."""
    database.execute("UPDATE outages SET next_probe_at = away_since")


async def probe_once(world: World, database: FreshDatabase) -> None:
    """Let the next probe be due, and wait for its end."""
    probes = world.container.worker._probes
    let_probe_be_due(database)
    assert await probes.turn() == 1
    await asyncio.gather(*probes._probing)


async def outage_of(world: World, key: str) -> Outage | None:
    """Return an outage as it is stored."""
    async with world.container.database.read() as unit:
        return (await unit.outages.of_runs(())).get(key)
