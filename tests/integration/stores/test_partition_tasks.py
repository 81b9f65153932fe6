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
from engine.stores.database import Database
from engine.stores.runs.partition_tasks import PartitionTask, groups_since, newest_tasks
from engine.stores.sql.columns import partition_key
from tests.integration.stores.samples import a_group, a_result, claimed, registered, submitted
from tests.support.databases import FreshDatabase

A, B, NEVER = '{"day":"2026-11-01"}', '{"day":"2026-11-02"}', '{"day":"1999-01-01"}'
TABLE = TableId("tbl_7")


async def _planned(database: Database, table_id: TableId, *partitions: str) -> Lease:
    lease = await claimed(database, (await submitted(database, table_id)).id)
    async with database.begin() as work:
        planned = [a_group(ordinal, partition=partition) for ordinal, partition in enumerate(partitions)]
        await work.groups.replace_planned(lease, planned)
    return lease


async def _ended(database: Database, lease: Lease) -> None:
    async with database.begin() as work:
        await work.runs.transition(lease, to=RunState.FAILED, reason="conflict")


async def _written(database: Database, lease: Lease, *ordinals: int) -> None:
    async with database.begin() as work:
        await work.groups.mark_running(lease, ordinals)
        for ordinal in ordinals:
            await work.groups.mark_written(lease, a_result(ordinal))


async def _tasks(database: Database, table_id: TableId, *partitions: str) -> dict[str, PartitionTask]:
    places: list[Place] = [(1, partition) for partition in partitions]
    async with database.read() as work:
        return {place[1]: task for place, task in (await work.partition_tasks.newest(table_id, places)).items()}


async def test_a_partition_has_the_task_of_the_newest_run_that_planned_it(database: Database) -> None:
    table = await registered(database)
    first = await _planned(database, table.id, A, B)
    await _ended(database, first)
    second = await _planned(database, table.id, B)
    found = await _tasks(database, table.id, A, B, NEVER)
    assert {partition: task.run_id for partition, task in found.items()} == {A: first.run_id, B: second.run_id}
    assert {partition: task.run_state for partition, task in found.items()} == {
        A: RunState.FAILED,
        B: RunState.PLANNING,
    }


async def test_tasks_of_equal_partitions_of_other_tables_and_specs_are_left_out(database: Database) -> None:
    table, other = await registered(database, "a"), await registered(database, "b")
    await _planned(database, other.id, A)
    assert await _tasks(database, table.id, A) == {}
    async with database.read() as work:
        assert await work.partition_tasks.newest(other.id, [(2, A)]) == {}


async def test_a_task_sums_up_its_groups_and_is_as_far_as_the_least_finished(database: Database) -> None:
    table = await registered(database)
    lease = await _planned(database, table.id, A, A, A, A)
    planned = (await _tasks(database, table.id, A))[A]
    assert (planned.state, planned.started_at, planned.ended_at) == (GroupState.PLANNED, None, None)
    await _written(database, lease, 0, 1)
    async with database.begin() as work:
        await work.groups.mark_running(lease, [2])
        await work.groups.mark_committed(lease, [0], 7)
        await work.groups.mark_dropped(lease, {3: DropReason.lost(Loss.NEW_DELETES)})
    task = (await _tasks(database, table.id, A))[A]
    assert (task.state, task.ended_at) == (GroupState.RUNNING, None)
    assert (task.sum("input_files"), task.sum("input_bytes"), task.sum("predicted_outputs")) == (8, 800, 4)
    assert task.sum("predicted_outputs", GroupState.DROPPED) == 1
    done = (GroupState.WRITTEN, GroupState.COMMITTED)
    assert [task.sum(name, state) for state in done for name in ("outputs", "output_bytes")] == [1, 150, 1, 150]
    assert task.drop_reason == DropReason.lost(Loss.NEW_DELETES)


async def test_a_task_of_which_some_groups_have_not_begun_is_running(database: Database) -> None:
    table = await registered(database)
    lease = await _planned(database, table.id, A, A, A)
    await _written(database, lease, 0)
    assert (await _tasks(database, table.id, A))[A].state is GroupState.RUNNING
    await _written(database, lease, 1, 2)
    assert (await _tasks(database, table.id, A))[A].state is GroupState.WRITTEN


async def test_what_an_ended_run_left_unfinished_counts_as_dropped(database: Database) -> None:
    table = await registered(database)
    lease = await _planned(database, table.id, A, A, B)
    await _written(database, lease, 0)
    async with database.begin() as work:
        await work.groups.mark_committed(lease, [0], 7)
        await work.groups.mark_running(lease, [2])
    await _ended(database, lease)
    found = await _tasks(database, table.id, A, B)
    assert {partition: task.state for partition, task in found.items()} == {
        A: GroupState.COMMITTED,
        B: GroupState.DROPPED,
    }
    assert found[A].sum("predicted_outputs", GroupState.DROPPED) == 1
    assert found[B].ended_at is not None


async def test_a_task_starts_with_its_first_group_and_ends_with_its_last(database: Database) -> None:
    table = await registered(database)
    lease = await _planned(database, table.id, A, A)
    await _written(database, lease, 0)
    started = (await _tasks(database, table.id, A))[A].started_at
    async with database.begin() as work:
        await work.groups.mark_running(lease, [1])
        await work.groups.mark_running(lease, [1])
        await work.groups.mark_committed(lease, [0], 7)
        await work.groups.mark_dropped(lease, {1: DropReason.lost(Loss.SOURCE_GONE)})
        ended = await work.now()
    task = (await _tasks(database, table.id, A))[A]
    assert task.state is GroupState.COMMITTED
    assert task.started_at == started is not None
    assert task.ended_at is not None
    assert started <= task.ended_at <= ended + timedelta(seconds=1)


async def test_a_task_whose_groups_were_all_dropped_has_the_last_reason(database: Database) -> None:
    table = await registered(database)
    lease = await _planned(database, table.id, A, A)
    for ordinal, reason in enumerate((DropReason.failed("no space left"), DropReason.lost(Loss.NEW_DELETES))):
        async with database.begin() as work:
            await work.groups.mark_dropped(lease, {ordinal: reason})
    task = (await _tasks(database, table.id, A))[A]
    assert (task.state, task.drop_reason) == (GroupState.DROPPED, DropReason.lost(Loss.NEW_DELETES))


async def test_groups_of_live_runs_are_open_until_they_are_committed_or_dropped(database: Database) -> None:
    """A group shows where it reads and writes, and whether a file is among its inputs, also with `_` in its name."""
    table = await registered(database)
    waiting = await submitted(database, table.id, request_key="an older run that is live")
    gone = await _planned(database, table.id, A)
    await _ended(database, gone)
    lease = await _planned(database, table.id, A, A, A, B)
    assert waiting.id < gone.run_id < lease.run_id
    await _written(database, lease, 0, 1, 2)
    async with database.begin() as work:
        await work.groups.mark_committed(lease, [1], 7)
        await work.groups.mark_dropped(lease, {2: DropReason.lost(Loss.SOURCE_GONE)})
        path, body = "s3://lake/day=1/x_1.parquet", '[{"path": "s3://lake/day=1/x_1.parquet", "deletes": []}]'
        await work.connection.execute(
            text("UPDATE file_groups SET inputs = :body WHERE run_id = :run AND ordinal = 0"),
            {"body": body, "run": lease.run_id},
        )
    async with database.read() as work:
        asked = [
            await work.partition_tasks.open_groups(table.id, (1, A), name)
            for name in ("x_1.parquet", "xx1.parquet", "1.parquet")
        ]
        planned = await work.partition_tasks.open_groups(table.id, (1, B), "x_1.parquet")
        none = await work.partition_tasks.open_groups(table.id, (1, NEVER), "x_1.parquet")
    assert asked == [[OpenGroup(lease.run_id, path, "out0.parquet", has_input)] for has_input in (True, False, False)]
    assert planned == [OpenGroup(lease.run_id, "a3.parquet", None, has_input=False)]
    assert none == []


@pytest.fixture
async def history(fresh_database: FreshDatabase) -> Database:
    """A database with 20,000 runs, each with a group in the same two partitions of one table."""
    database = fresh_database.connect()
    table = await registered(database)
    await _planned(database, table.id, A)
    async with database.begin() as work:
        is_sqlite = work.connection.dialect.name == "sqlite"
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        run, keys = "'run_z' || (100000 + i)", [partition_key((1, each)) for each in (A, B)]
        copied = {
            "runs": {"id": run, "table_id": f"'{TABLE}'", "request_key": "'key' || i", "state": "'failed'"}
            | {"lease_holder": "NULL", "lease_expires_at": "NULL", "finished_at": "created_at"},
            "file_groups": {"run_id": run, "table_id": f"'{TABLE}'"}
            | {"partition_key": f"CASE WHEN i % 2 = 0 THEN '{keys[0]}' ELSE '{keys[1]}' END"},
        }
        for name, changed in copied.items():
            row = (await work.connection.execute(text(f"SELECT * FROM {name} LIMIT 1"))).mappings().one()
            columns, new = (
                ", ".join(f'"{each}"' for each in row),
                ", ".join(changed.get(each, f'"{each}"') for each in row),
            )
            of_one = f"(SELECT * FROM {name} LIMIT 1) AS one"
            chosen, into = f"SELECT {new} FROM n, {of_one}", f"INSERT INTO {name} ({columns}) "
            await work.connection.execute(text(into + numbers + chosen if is_sqlite else numbers + into + chosen))
            await work.connection.execute(text("ANALYZE" if is_sqlite else f"ANALYZE {name}"))
    return database


async def test_the_newest_tasks_are_found_without_reading_history(history: Database) -> None:
    keys = [partition_key((1, each)) for each in (A, B, NEVER)]
    async with history.read() as work:
        dialect = work.connection.dialect
        query = newest_tasks(TABLE, keys, dialect.name).compile(dialect=dialect, compile_kwargs={"literal_binds": True})
        prefix = "EXPLAIN QUERY PLAN " if dialect.name == "sqlite" else "EXPLAIN ANALYZE "
        rows = await work.connection.exec_driver_sql(prefix + str(query))
        plan = "\n".join(str(row[-1]) for row in rows)
        found = await work.partition_tasks.newest(TABLE, [(1, A), (1, B)])
    newest = {(1, A): RunId("run_z120000"), (1, B): RunId("run_z119999")}
    assert {place: task.run_id for place, task in found.items()} == newest
    if dialect.name == "sqlite":
        assert not re.search(r"SCAN (file_groups|runs)", plan), plan
    else:
        read = re.findall(r"actual time=\S+ rows=(\d+)|Rows Removed by Filter: (\d+)", plan)
        assert max(int(number) for numbers in read for number in numbers if number) <= 10, plan


async def test_open_groups_are_found_without_reading_history_or_whole_plans(history: Database) -> None:
    async with history.read() as work:
        dialect = work.connection.dialect
        query = groups_since(TABLE, partition_key((1, A)), "run_z119990", "x.parquet")
        text_of = query.compile(dialect=dialect, compile_kwargs={"literal_binds": True})
        prefix = "EXPLAIN QUERY PLAN " if dialect.name == "sqlite" else "EXPLAIN ANALYZE "
        rows = await work.connection.exec_driver_sql(prefix + str(text_of).replace("%", "%%"))
        plan = "\n".join(str(row[-1]) for row in rows)
    if dialect.name == "sqlite":
        assert "ix_file_groups_partition" in plan
        assert "SCAN" not in plan
    else:
        read = re.findall(r"actual time=\S+ rows=(\d+)|Rows Removed by Filter: (\d+)", plan)
        assert max(int(number) for numbers in read for number in numbers if number) <= 20, plan
