"""A coordinator's watch in a world: each look begins when the test says so."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from engine.domain.ids import TableId
from engine.domain.runs.run import Run
from engine.domain.tables.table import TableRef
from engine.domain.tables.watches import Watch
from engine.services.watching.leadership import Leadership
from engine.services.watching.service import WatchService
from engine.stores.watching.leadership import WATCH
from tests.support.world import NAME, World

FEW = {"name": "few", "all": [{"metric": "small_file_count", "at_least": 5}]}
AT_ONCE = {"min_interval": "0s"}
DAY = "2026-11-01"


class Killed(BaseException):
    """The end of a process, for a step to raise."""


def die() -> None:
    raise Killed


class Watching:
    """The watch of a world: each look begins when the test says so."""

    def __init__(self, world: World[Any], *, seconds: float = 60, holder: str = "first") -> None:
        container = world.container
        self.world = world
        self.leadership = Leadership(
            database=container.database, clock=container.clock, name=WATCH, holder=holder, seconds=seconds
        )
        self.service = WatchService(
            database=container.database,
            formats=container.watching._formats,
            facts=container.watching._facts,
            submission=container.watching._submission,
            leadership=self.leadership,
            clock=container.clock,
            step=world.on_step,
            rest_seconds=0,
        )

    async def look(self, *, wake: bool = False, also: TableId | None = None) -> Watch:
        """Let the table's time come, look at what is due, return what was settled."""
        await self.service.lead()
        await self.let_time_come(evaluate=wake)
        if also is not None:
            async with self.world.container.database.begin() as unit:
                await unit.watches.wake(also)
        await self.service.turn()
        await self.service.finish()
        return await self.watch()

    async def let_time_come(self, *, evaluate: bool) -> None:
        async with self.world.container.database.begin() as unit:
            await unit.watches.wake(self.world.table_id, evaluate=evaluate)

    async def has_been_due(self, *, hours: int) -> None:
        """Let the table have been due for so long."""
        token = self.leadership.token
        assert token is not None
        seen = await self.watch()
        async with self.world.container.database.begin() as unit:
            since = await unit.now() - timedelta(hours=hours)
            assert await unit.watches.settle(token, [(seen, replace(seen, due_since=since))]) == 1

    async def watch(self, table_id: TableId | None = None) -> Watch:
        async with self.world.container.database.read() as unit:
            found = await unit.watches.get(table_id or self.world.table_id)
        assert found is not None
        return found


async def runs_of(world: World[Any]) -> list[Run]:
    async with world.container.database.read() as unit:
        return await unit.runs.list(world.table_id)


async def another_table(world: World, catalog_name: str, properties: dict[str, str]) -> TableId:
    """Put a table into the record that lies in another catalog, without asking that catalog."""
    table_id = TableId(f"tbl_{catalog_name}")
    async with world.container.database.begin() as unit:
        catalog, table = await unit.catalogs.get("lake"), await unit.tables.get(world.table_id)
        assert catalog is not None
        assert table is not None
        await unit.catalogs.insert(replace(catalog, name=catalog_name, properties=properties))
        await unit.tables.insert(replace(table, id=table_id, ref=TableRef(catalog_name, NAME[:1], NAME[1])))
    return table_id


async def is_led(world: World) -> bool:
    async with world.container.database.read() as unit:
        return await unit.leadership.is_led(WATCH)


async def set_policy(world: World, **document: Any) -> None:
    await world.set_policy({"triggers": [FEW], "schedule": AT_ONCE} | document)


async def finish_live(world: World[Any]) -> Run:
    (run,) = [run for run in await runs_of(world) if not run.is_terminal]
    return await world.finish(run.id)
