"""`limits.bytes_per_day`: what a dry run and explain say is what a run then does."""

from sqlalchemy import text

from tests.integration.api.conftest import Api
from tests.support.statements import texts_of
from tests.support.world import Lake


async def spend(api: Api, table_id: str, count: int) -> None:
    """Let so many bytes of the table have been rewritten just now."""
    async with api.container.database.begin() as unit:
        columns = "INSERT INTO rewritten_bytes (table_id, at, bytes)"
        statement = f"{columns} SELECT id, created_at, {count} FROM tables WHERE id = :id"
        await unit.connection.execute(text(statement), {"id": table_id})


async def limit_the_day(api: Api, table_id: str, limit: str) -> None:
    body = {"limits": {"bytes_per_day": limit}, "schedule": {"min_interval": "0s"}}
    await api.put_policy(table_id, body)


async def test_a_dry_run_and_explain_leave_for_another_day_what_a_run_leaves(
    api: Api, lake: Lake, table_id: str
) -> None:
    sizes = [task.file.file_size_in_bytes for task in lake.table.scan().plan_files()]
    await limit_the_day(api, table_id, "1MiB")
    await spend(api, table_id, 2**20 - sum(sizes) * 2 // 3)  # room for one of two partitions
    plan = await api.post(f"/v1/tables/{table_id}/plan", {}, status=200)
    explained = await api.get(f"/v1/tables/{table_id}/explain")
    assert (plan["groups_total"], plan["deferred_groups"], len(plan["groups"])) == (1, 1, 1)
    assert plan["prediction"]["input_bytes"] == plan["groups"][0]["input_bytes"]
    assert (explained["now"]["groups_total"], explained["now"]["deferred_groups"]) == (1, 1)
    assert explained["now"]["prediction"] == plan["prediction"]
    assert any("would be left for later" in line for line in texts_of(explained))
    run = await api.rewrite(table_id)
    assert (run.plan["hash"], run.plan["prediction"]) == (plan["plan_hash"], plan["prediction"])
    assert run.result.rewritten_bytes == plan["prediction"]["input_bytes"]


async def test_while_nothing_fits_explain_shows_what_waits_and_a_dry_run_that_nothing_is_done(
    api: Api, table_id: str
) -> None:
    await limit_the_day(api, table_id, "1MiB")
    await spend(api, table_id, 2**20)
    plan = await api.post(f"/v1/tables/{table_id}/plan", {}, status=200)
    explained = await api.get(f"/v1/tables/{table_id}/explain")
    now, holds = explained["now"], explained["next_eligible"]["held_by"]
    assert (plan["groups_total"], plan["deferred_groups"], plan["prediction"]["input_files"]) == (0, 2, 0)
    assert (now["groups_total"], now["deferred_groups"], now["outcome"]) == (2, 2, "rewrite")
    assert [each["code"] for each in holds if each["holds_requests"]] == ["bytes_per_day"]


async def test_a_dry_run_with_a_day_below_one_file_group_is_refused_as_the_run_is(
    api: Api, lake: Lake, table_id: str
) -> None:
    for _ in range(6):
        lake.append(day="2026-11-01", rows=60_000)
    await limit_the_day(api, table_id, "1MiB")
    rewrite = {"table_id": table_id, "operation": "rewrite"}
    errors = [await api.post(f"/v1/tables/{table_id}/plan", {}, status=422)]
    errors.append(await api.post("/v1/runs/preview", rewrite, status=422))
    run = await api.rewrite(table_id)
    assert run.state == "refused"
    assert run.detail is not None
    for error in errors:
        assert [problem["pointer"] for problem in error["errors"]] == ["/policy/limits/bytes_per_day"]
        assert error["detail"] in run.detail
