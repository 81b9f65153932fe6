"""Times of attempts: the newest of each table are kept, and go with the table."""

from engine.domain.ids import TableId
from engine.domain.runs.times import RunKind, RunSize, RunTime
from engine.stores.runs.histories import MOST_OF_TABLE
from tests.integration.stores.samples import registered
from tests.integration.stores.stores import Stores


def a_time(table_id: TableId, seconds: float) -> RunTime:
    return RunTime(table_id, "spark-1", RunKind.PACK, RunSize(3, 40, 2**40, 2), seconds)


async def test_a_table_keeps_its_newest_times_only_and_one_that_is_not_registered_none(database: Stores) -> None:
    await database.run_times.add(a_time(TableId("tbl_gone"), 1.0))
    assert await database.run_times.list() == []
    busy, quiet = (await registered(database, "busy")).id, (await registered(database, "quiet")).id
    async with database.begin() as unit:
        await unit.run_times.add(a_time(quiet, 0.5))
        for number in range(MOST_OF_TABLE + 5):
            await unit.run_times.add(a_time(busy, 1.0 + number))
    own, fleet = await database.run_times.list(busy), await database.run_times.list()
    assert [time.seconds for time in own] == [float(5 + MOST_OF_TABLE - at) for at in range(MOST_OF_TABLE)]
    assert fleet == [*own, a_time(quiet, 0.5)]
