"""The newest compaction task of each partition: its state, times and sums, found without reading history."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import text

from engine.domain.ids import RunId, TableId
from engine.domain.runs.drops import DropReason, Loss
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.leases import Lease
from engine.domain.runs.open_groups import OpenGroup
from engine.domain.runs.run import GroupState, RunState
from engine.domain.tables.table import Table
from engine.stores.runs.partition_tasks import PartitionTask, groups_since, newest_tasks
from engine.stores.sql.dialects import partition_key
from tests.integration.stores.plans import fill, plan_of, rows_read
from tests.integration.stores.samples import a_group, a_result, claimed, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

A, B, NEVER = '{"day":"2026-11-01"}', '{"day":"2026-11-02"}', '{"day":"1999-01-01"}'
TABLE = TableId("tbl_7")


async def _planned(database: Stores, table_id: TableId, *partitions: str) -> Lease:
    lease = await claimed(database, (await submitted(database, table_id)).id)
    planned = [a_group(ordinal, partition=partition) for ordinal, partition in enumerate(partitions)]
    await database.groups.replace_planned(lease, planned)
    return lease


async def _ended(database: Stores, lease: Lease) -> None:
    await database.runs.transition(lease, to=RunState.FAILED, reason="conflict")


async def _written(database: Stores, lease: Lease, *ordinals: int) -> None:
    await database.groups.mark_running(lease, ordinals)
    for ordinal in ordinals:
        await database.groups.mark_written(lease, a_result(ordinal))


async def _tasks(database: Stores, table_id: TableId, *partitions: str) -> dict[str, PartitionTask]:
    places: list[Place] = [(1, partition) for partition in partitions]
    return {place[1]: task for place, task in (await database.partition_tasks.newest(table_id, places)).items()}


async def test_a_partition_has_the_task_of_the_newest_run_that_planned_it(database: Stores, table: Table) -> None:
    first = await _planned(database, table.id, A, B)
    await _ended(database, first)
    second = await _planned(database, table.id, B)
    found = await _tasks(database, table.id, A, B, NEVER)
    assert {partition: task.run_id for partition, task in found.items()} == {A: first.run_id, B: second.run_id}
    assert {partition: task.run_state for partition, task in found.items()} == {
        A: RunState.FAILED,
        B: RunState.PLANNING,
    }


async def test_tasks_of_equal_partitions_of_other_tables_and_specs_are_left_out(database: Stores) -> None:
    table, other = await registered(database, "a"), await registered(database, "b")
    await _planned(database, other.id, A)
    assert await _tasks(database, table.id, A) == {}
    assert await database.partition_tasks.newest(other.id, [(2, A)]) == {}


async def test_a_task_sums_up_its_groups_and_is_as_far_as_the_least_finished(database: Stores, table: Table) -> None:
    lease = await _planned(database, table.id, A, A, A, A)
    planned = (await _tasks(database, table.id, A))[A]
    assert (planned.state, planned.started_at, planned.ended_at) == (GroupState.PLANNED, None, None)
    await _written(database, lease, 0, 1)
    await database.groups.mark_running(lease, [2])
    await database.groups.mark_committed(lease, [0], 7)
    await database.groups.mark_dropped(lease, {3: DropReason.lost(Loss.NEW_DELETES)})
    task = (await _tasks(database, table.id, A))[A]
    assert (task.state, task.ended_at) == (GroupState.RUNNING, None)
    assert (task.sum("input_files"), task.sum("input_bytes"), task.sum("predicted_outputs")) == (8, 800, 4)
    assert task.sum("predicted_outputs", GroupState.DROPPED) == 1
    done = (GroupState.WRITTEN, GroupState.COMMITTED)
    assert [task.sum(name, state) for state in done for name in ("outputs", "output_bytes")] == [1, 150, 1, 150]
    assert task.drop_reason == DropReason.lost(Loss.NEW_DELETES)


async def test_a_task_of_which_some_groups_have_not_begun_is_running(database: Stores, table: Table) -> None:
    lease = await _planned(database, table.id, A, A, A)
    await _written(database, lease, 0)
    assert (await _tasks(database, table.id, A))[A].state is GroupState.RUNNING
    await _written(database, lease, 1, 2)
    assert (await _tasks(database, table.id, A))[A].state is GroupState.WRITTEN


async def test_what_an_ended_run_left_unfinished_counts_as_dropped(database: Stores, table: Table) -> None:
    lease = await _planned(database, table.id, A, A, B)
    await _written(database, lease, 0)
    await database.groups.mark_committed(lease, [0], 7)
    await database.groups.mark_running(lease, [2])
    await _ended(database, lease)
    found = await _tasks(database, table.id, A, B)
    assert {partition: task.state for partition, task in found.items()} == {
        A: GroupState.COMMITTED,
        B: GroupState.DROPPED,
    }
    assert found[A].sum("predicted_outputs", GroupState.DROPPED) == 1
    assert found[B].ended_at is not None


async def test_a_task_starts_with_its_first_group_and_ends_with_its_last(database: Stores, table: Table) -> None:
    lease = await _planned(database, table.id, A, A)
    await _written(database, lease, 0)
    started = (await _tasks(database, table.id, A))[A].started_at
    await database.groups.mark_running(lease, [1])
    await database.groups.mark_running(lease, [1])
    await database.groups.mark_committed(lease, [0], 7)
    await database.groups.mark_dropped(lease, {1: DropReason.lost(Loss.SOURCE_GONE)})
    ended = await database.now()
    task = (await _tasks(database, table.id, A))[A]
    assert task.state is GroupState.COMMITTED
    assert task.started_at == started is not None
    assert task.ended_at is not None
    assert started <= task.ended_at <= ended + timedelta(seconds=1)


async def test_a_task_whose_groups_were_all_dropped_has_the_last_reason(database: Stores, table: Table) -> None:
    lease = await _planned(database, table.id, A, A)
    for ordinal, reason in enumerate((DropReason.failed("no space left"), DropReason.lost(Loss.NEW_DELETES))):
        await database.groups.mark_dropped(lease, {ordinal: reason})
    task = (await _tasks(database, table.id, A))[A]
    assert (task.state, task.drop_reason) == (GroupState.DROPPED, DropReason.lost(Loss.NEW_DELETES))


async def test_groups_of_live_runs_are_open_until_they_are_committed_or_dropped(
    database: Stores, fresh_database: FreshDatabase, table: Table
) -> None:
    """A group shows where it reads and writes, and whether a file is among its inputs, also with `_` in its name."""
    waiting = await submitted(database, table.id, request_key="an older run that is live")
    gone = await _planned(database, table.id, A)
    await _ended(database, gone)
    lease = await _planned(database, table.id, A, A, A, B)
    assert waiting.id < gone.run_id < lease.run_id
    await _written(database, lease, 0, 1, 2)
    await database.groups.mark_committed(lease, [1], 7)
    await database.groups.mark_dropped(lease, {2: DropReason.lost(Loss.SOURCE_GONE)})
    path, body = "s3://lake/day=1/x_1.parquet", '[{"path": "s3://lake/day=1/x_1.parquet", "deletes": []}]'
    changed = "UPDATE file_groups SET inputs = :body WHERE run_id = :run AND ordinal = 0"
    fresh_database.execute(changed, body=body, run=lease.run_id)

    async def opened(partition: str, name: str) -> list[OpenGroup]:
        return await database.partition_tasks.open_groups(table.id, (1, partition), name)

    for name, has_input in (("x_1.parquet", True), ("xx1.parquet", False), ("1.parquet", False)):
        assert await opened(A, name) == [OpenGroup(lease.run_id, path, "out0.parquet", has_input)]
    assert await opened(B, "x_1.parquet") == [OpenGroup(lease.run_id, "a3.parquet", None, has_input=False)]
    assert await opened(NEVER, "x_1.parquet") == []


@pytest.fixture
async def history(database: Stores) -> Stores:
    """A database with 20,000 runs, each with a group in the same two partitions of one table."""
    await _planned(database, (await registered(database)).id, A)
    run, keys = "'run_z' || (100000 + i)", [partition_key((1, each)) for each in (A, B)]
    copied = {
        "runs": {"id": run, "table_id": f"'{TABLE}'", "request_key": "'key' || i", "state": "'failed'"}
        | {"lease_holder": "NULL", "lease_expires_at": "NULL", "finished_at": "created_at"},
        "file_groups": {"run_id": run, "table_id": f"'{TABLE}'"}
        | {"partition_key": f"CASE WHEN i % 2 = 0 THEN '{keys[0]}' ELSE '{keys[1]}' END"},
    }
    for name, changed in copied.items():
        async with database.read() as work:
            row = (await work.connection.execute(text(f"SELECT * FROM {name} LIMIT 1"))).mappings().one()
        columns = {f'"{each}"': changed.get(each, f'"{each}"') for each in row}
        await fill(database, name, 20_000, source=f"(SELECT * FROM {name} LIMIT 1) AS one", **columns)
    return database


async def test_the_newest_tasks_and_open_groups_are_found_without_reading_history_or_whole_plans(history: Stores):
    keys = [partition_key((1, each)) for each in (A, B, NEVER)]
    async with history.read() as work:
        query = newest_tasks(TABLE, keys, work.connection.dialect.name)
    plan = await plan_of(history, query)
    assert (rows_read(plan) or 0) <= 10, plan
    assert not re.search(r"SCAN (file_groups|runs)", plan), plan
    found = await history.partition_tasks.newest(TABLE, [(1, A), (1, B)])
    newest = {(1, A): RunId("run_z120000"), (1, B): RunId("run_z119999")}
    assert {place: task.run_id for place, task in found.items()} == newest
    plan = await plan_of(history, groups_since(TABLE, partition_key((1, A)), "run_z119990", "x.parquet"))
    read = rows_read(plan)
    assert "ix_file_groups_partition" in plan if read is None else read <= 20, plan
    assert "SCAN" not in plan, plan
