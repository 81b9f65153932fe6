"""Rows of the reference systems' register (docs/contributing/register.md) that no other test of a rewrite shows."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.transforms import BucketTransform
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.domain.tables.predicates import PartitionPredicate
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.services.operations.tasks import waiting_groups
from engine.spark.dispatch import Ticket
from tests.support.attempts import groups_of
from tests.support.world import NAME, SCHEMA, World

DAY = "2026-11-02"
BUCKETS = 4


def only(column: str, value: Any) -> RunRequest:
    """Return a request for the partitions of one value."""
    predicate: Any = {"column": column, "op": "eq", "value": value}
    return RunRequest(partitions=TypeAdapter[Any](PartitionPredicate).validate_python(predicate))


def tasks_of(world: World, before_each: Callable[[], object] = lambda: None) -> list[SentKernelTask]:
    """Collect the tasks that are sent from now on; `before_each` is called in the thread of each operation."""
    found: list[SentKernelTask] = []
    send = world.dispatcher.run

    def run(ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        found.extend(map(SentKernelTask.from_json, payloads))
        before_each()
        return send(ticket, function, payloads)

    world.dispatcher.run = run  # type: ignore[method-assign]
    return found


async def contents(redis: Redis) -> list[str]:
    """Return every key of Redis with its value, as text."""
    read: dict[str, Callable[[bytes], Any]] = {
        "string": redis.get,
        "hash": redis.hgetall,
        "list": lambda key: redis.lrange(key, 0, -1),
        "set": redis.smembers,
        "zset": lambda key: redis.zrange(key, 0, -1),
        "stream": redis.xrange,
    }
    found = []
    for key in await redis.keys():
        kind = await redis.type(key)
        found.append(f"{key} {await read[kind if isinstance(kind, str) else kind.decode()](key)}")
    return found


async def test_u6_the_record_has_the_plan_and_redis_the_id_of_the_run(world: World, redis: Redis) -> None:
    run = await world.submit()
    world.at("group_written", world.steal_lease(run.id))
    head = world.lake.table.current_snapshot()
    sizes = {task.file.file_path: task.file.file_size_in_bytes for task in world.lake.table.scan().plan_files()}
    await world.container.worker.advance(run.id)
    groups = await groups_of(world, run.id)
    planned = await world.get(run.id)
    assert head is not None
    assert planned.plan["base_snapshot_id"] in (head.snapshot_id, str(head.snapshot_id))
    assert {file.path: file.file_bytes for group in groups for file in group.inputs} == sizes
    stored = await contents(redis)
    assert any(run.id in each for each in stored)
    assert not [each for each in stored if ".parquet" in each]


async def test_u13_one_partition_is_rewritten_while_its_writers_go_on(world: World) -> None:
    before, rows = world.lake.paths(), len(world.lake.ids())
    world.at("rewriting", lambda: world.lake.append(day=DAY))
    world.at("before_commit", lambda: world.lake.append(day=DAY))
    run = await world.finish((await world.submit(only("day", DAY))).id)
    assert (run.state, run.attempt, run.result.groups_committed) == (RunState.SUCCEEDED, 1, 1), run.detail
    after = world.lake.paths()
    assert len([path for path in after if DAY in path]) == 1 + 2
    assert {path for path in before if DAY not in path} == {path for path in after if DAY not in path}
    assert len(set(world.lake.ids())) == len(world.lake.ids()) == rows + 100


async def test_l4_and_m2_a_reader_that_began_before_a_rewrite_reads_the_same_rows_afterwards(world: World) -> None:
    reader, rows, inputs = world.lake.table, world.lake.rows(), world.lake.paths()
    begun = [snapshot.snapshot_id for snapshot in reader.snapshots()]
    counts = [reader.scan(snapshot_id=each).count() for each in begun]
    scan = reader.scan()
    files = list(scan.plan_files())
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    assert not set(inputs) & set(world.lake.paths())
    assert {task.file.file_path for task in files} == set(inputs)
    assert all(Path(path.removeprefix("file://")).exists() for path in inputs)
    assert sorted(map(repr, scan.to_arrow().to_pylist())) == rows
    assert [world.lake.table.scan(snapshot_id=each).to_arrow().num_rows for each in begun] == counts


async def test_m8_buckets_are_rewritten_separately_and_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    by_bucket = PartitionSpec(PartitionField(1, 1000, BucketTransform(BUCKETS), "id_bucket"))
    table = world.lake.catalog.create_table((NAME[0], "keyed"), SCHEMA, partition_spec=by_bucket)
    for _ in range(5):
        table.append(world.lake.table.scan(limit=200).to_arrow().cast(SCHEMA.as_arrow()))
    one = await world.rewrite_other("keyed", only("id", 7), policy={"limits": {"parallel_groups": BUCKETS}})
    assert (one.state, one.result.groups_committed) == (RunState.SUCCEEDED, 1), one.detail
    at_once = threading.Barrier(BUCKETS - 1)
    tasks = tasks_of(world, lambda: at_once.wait(30))
    rest, _ = await world.container.runs.submit(SYSTEM, one.table_id, RunRequest())
    ended = await world.finish(rest.id)
    assert (ended.state, ended.result.groups_committed, len(tasks)) == (RunState.SUCCEEDED, BUCKETS - 1, BUCKETS - 1)


@pytest.mark.parametrize("strategy", ["binpack", "sort", "hilbert"])
async def test_m18_compaction_and_clustering_have_the_same_budget(world: World, strategy: str) -> None:
    rewrite = {"strategy": strategy, "columns": [] if strategy == "binpack" else ["id", "value"]}
    await world.set_policy({"rewrite": rewrite, "limits": {"bandwidth": "40MB", "requests": 400}})
    tasks = tasks_of(world)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(tasks) == run.result.groups_committed == 3
    assert sum(task.pace.bytes_per_second or 0 for task in tasks) == pytest.approx(40e6)
    assert sum(task.pace.requests_per_second or 0 for task in tasks) == pytest.approx(400)
