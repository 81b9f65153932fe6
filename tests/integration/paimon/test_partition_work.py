"""The list of partitions of a Paimon table with the newest task of each, which covers all its buckets."""

from engine.domain.runs.run import RunState
from tests.integration.api.conftest import api_on
from tests.support.paimon.worlds import TwinLake
from tests.support.world import World


async def test_u18_the_task_of_a_partition_sums_up_its_buckets(world: World[TwinLake]) -> None:
    async with api_on(world.container) as api:
        path = f"/v1/tables/{world.table_id}/partitions"
        before = {item["partition"]["text"]: item for item in (await api.get(path))["items"]}
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        items = (await api.get(path, params={"include": "decision,task"}))["items"]
        groups = (await api.get(f"/v1/runs/{run.id}/groups"))["items"]
    assert (len(groups), {item["partition"]["text"] for item in items}) == (4, before.keys())
    for item in items:
        task, own = item["task"], [group for group in groups if group["partition"]["text"] == item["partition"]["text"]]
        assert (task["run_id"], task["state"], len(own)) == (run.id, "committed", 2)
        assert task["input_files"] == sum(group["input_files"] for group in own)
        assert task["committed_outputs"] == sum(group["output_files"] for group in own) == item["file_count"]
        assert task["rewritten_bytes"] == before[item["partition"]["text"]]["total_bytes"]
        assert task["size_reduction"] == 1 - item["total_bytes"] / task["rewritten_bytes"]
        assert (item["decision"]["is_due"], item["decision"]["input_files"]) == (False, None)
