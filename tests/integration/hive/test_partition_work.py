"""The list of partitions of a Hive table with the newest task of each."""

import pytest

from engine.domain.runs.run import RunState
from tests.integration.api.conftest import api_on
from tests.support.hive.worlds import DAYS, WrittenTable
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")


async def test_u18_a_partition_that_a_writer_changed_is_skipped_and_the_other_moves(world: World[WrittenTable]) -> None:
    async with api_on(world.container) as api:
        path = f"/v1/tables/{world.table_id}/partitions"
        before = {item["partition"]["text"]: item for item in (await api.get(path))["items"]}
        world.at("before_commit", lambda: world.lake.overwrite(DAYS[0]))
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        items = {
            item["partition"]["text"]: item
            for item in (await api.get(path, params={"include": "decision,task"}))["items"]
        }
    changed, moved = (f"day={day}" for day in DAYS)
    assert items.keys() == {changed, moved}
    lost, won = items[changed]["task"], items[moved]["task"]
    assert (lost["state"], lost["reason"], lost["dropped_outputs"]) == ("dropped", "source_gone", 1)
    assert items[changed]["decision"]["cools_until"] > lost["ended_at"]
    assert (won["state"], won["committed_outputs"], won["rewritten_bytes"]) == (
        "committed",
        items[moved]["file_count"],
        before[moved]["total_bytes"],
    )
