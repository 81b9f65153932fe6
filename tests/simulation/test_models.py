"""The models keep the contracts of what they stand for: the same tests run on the model and on the real thing."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from engine.domain.errors import LeaseLost
from engine.domain.runs.files import OutputFile
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.table import TableRef
from engine.formats.base import CommitRequest, OpenTable, WrittenGroup
from engine.formats.iceberg.connection import IcebergFormat
from engine.rewriting.kernel.contract import GroupResult, WriteSettings
from engine.rewriting.kernel.task import rewrite_group
from tests.integration.queue import test_run_queue as queue_tests
from tests.simulation.spark import ModelDispatcher
from tests.simulation.tables import ModelCatalog
from tests.simulation.world import Machine, World, open_ground, open_machine, open_world
from tests.support.world import NAME, Lake, make_lake

QUEUE_TESTS = [
    queue_tests.test_takes_runs_in_the_order_of_enqueueing,
    queue_tests.test_take_answers_none_when_nothing_comes,
    queue_tests.test_an_entry_goes_to_one_consumer_only,
    queue_tests.test_ensure_keeps_a_group_that_exists,
    queue_tests.test_depth_tells_waiting_from_in_flight,
    queue_tests.test_acknowledged_entries_leave_nothing_behind,
    queue_tests.test_idle_entries_of_a_dead_consumer_are_reclaimed_and_counted,
    queue_tests.test_entries_that_are_not_idle_yet_stay_with_their_consumer,
    queue_tests.test_reclaim_takes_no_more_than_its_limit,
    queue_tests.test_entries_deleted_behind_our_back_are_passed_over,
    queue_tests.test_an_entry_without_a_run_id_is_set_aside,
    queue_tests.test_works_on_after_redis_was_flushed,
    queue_tests.test_acknowledging_what_redis_has_lost_does_nothing,
    queue_tests.test_every_reader_of_the_group_survives_a_flush,
    queue_tests.test_consumers_with_nothing_pending_are_forgotten,
]
DAYS = ("2026-11-01", "2026-11-02")
WRITE = WriteSettings(target_file_bytes=32 * 2**20)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with open_machine() as opened:
        yield opened


@pytest.mark.parametrize("test", QUEUE_TESTS, ids=lambda test: test.__name__)
def test_the_model_of_streams_passes_the_tests_of_the_queue(
    machine: Machine, test: Callable[[Any], Coroutine[Any, Any, None]]
):
    with open_world(machine, seed=1) as world:
        world.run(test(world.redis.client()))


def test_processes_beside_each_other_share_no_ledger():
    with open_ground() as ground:
        one, other = Machine(ground, number=0), Machine(ground, number=1)
        ask = "return redis.call('INCR', KEYS[1])"
        assert [one.scripts.run(ask, ["runs"], []), one.scripts.run(ask, ["runs"], [])] == [1, 2]
        other.scripts.flush()
        assert other.scripts.run(ask, ["runs"], []) == 1
        assert one.scripts.run(ask, ["runs"], []) == 3
        one.scripts.close()
        other.scripts.close()


class Subject(Protocol):
    """A table of two partitions with files, real or modelled."""

    def open(self) -> OpenTable: ...

    def rewrite(self, payload: str) -> str: ...

    def delete_one(self, day: str) -> None: ...


class RealSubject:
    """An Iceberg table in a folder, rewritten by the kernel in this thread."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._format = IcebergFormat(check_location=lambda _location: None)

    def open(self) -> OpenTable:
        return self._format.connect("lake", self._lake.properties).open_table(TableRef("lake", NAME[:1], NAME[1]))

    def rewrite(self, payload: str) -> str:
        return rewrite_group(payload)

    def delete_one(self, day: str) -> None:
        self._lake.table.delete(f"day == '{day}'")


class ModelSubject:
    """A table of the simulation, rewritten by its Spark."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._ref = TableRef("lake", ("lake",), "events")
        self._table = world.lake.table(self._ref)
        for _ in range(3):
            for day in DAYS:
                self._table.append(f'{{"day":"{day}"}}', [2**20])

    def open(self) -> OpenTable:
        return ModelCatalog(self._world.lake).open_table(self._ref)

    def rewrite(self, payload: str) -> str:
        dispatcher = ModelDispatcher(self._world.spark, "session")
        return dispatcher.run(dispatcher.ticket("run_1", 1, len(self._world.spark.operations)), str, [payload])[0]

    def delete_one(self, day: str) -> None:
        self._table.delete_files([path for path, file in self._table.files.items() if day in file.partition])


def keeps_the_contract_of_commits(subject: Subject) -> None:
    """Commits check their sources, are found by their run, and are proven from metadata."""
    table = subject.open()
    request = CommitRequest("run_1", 1, table.head_snapshot_id or 0, table.schema_id, written(subject, table))
    with pytest.raises(LeaseLost):
        table.commit(request, before_try=no_lease)
    assert table.find_commits("run_1") == []

    subject.delete_one(DAYS[1])
    outcome = subject.open().commit(request, before_try=lambda: None)
    assert outcome.committed == (0,)
    assert set(outcome.dropped) == {1}
    assert outcome.snapshot_id is not None
    found = subject.open().find_commits("run_1")
    assert [(each.snapshot_id, each.groups, each.attempt) for each in found] == [(outcome.snapshot_id, (0,), 1)]
    assert subject.open().find_commits("run_2") == []
    assert subject.open().verify(outcome.snapshot_id, request.groups[:1]).ok
    assert not subject.open().verify(outcome.snapshot_id, request.groups[1:]).ok
    live = set(subject.open().digest()["path"].to_pylist())
    assert live == {file.path for file in request.groups[0].outputs}

    again = subject.open().commit(request, before_try=lambda: None)
    assert (again.snapshot_id, again.committed, set(again.dropped)) == (None, (), {0, 1})

    kept = frozenset(file.path for file in request.groups[0].outputs)
    assert subject.open().remove_outputs("run_1", kept, up_to_attempt=1) == len(request.groups[1].outputs)
    assert set(subject.open().list_outputs("run_1")) == kept


def written(subject: Subject, table: OpenTable) -> tuple[WrittenGroup, ...]:
    """Rewrite each partition into one group."""
    rows = table.digest().to_pylist()
    groups = []
    for ordinal, day in enumerate(DAYS):
        mine = [row for row in rows if day in row["partition"]]
        inputs = tuple(table.group_inputs([row["path"] for row in mine]).values())
        group = FileGroup(ordinal, mine[0]["spec_id"], mine[0]["partition"], inputs, 1)
        task = table.group_task(group, run_id="run_1", attempt=1, write=WRITE)
        task = replace(task, name_prefix=f"{task.name_prefix}00001")
        result = GroupResult.from_json(subject.rewrite(task.to_json()))
        assert result.outcome == "written"
        outputs = tuple(
            OutputFile(each.path, each.file_bytes, each.record_count, each.footer) for each in result.outputs
        )
        groups.append(WrittenGroup(ordinal, group.spec_id, group.partition, inputs, outputs, result.rows_deleted))
    return tuple(groups)


def no_lease() -> None:
    raise LeaseLost("another holds it")


def test_an_iceberg_table_keeps_the_contract_of_commits(tmp_path: Path):
    keeps_the_contract_of_commits(RealSubject(make_lake(tmp_path / "lake", days=2, files=3)))


def test_a_modelled_table_keeps_the_contract_of_commits(machine: Machine):
    with open_world(machine, seed=1) as world:
        world.run(asyncio.to_thread(keeps_the_contract_of_commits, ModelSubject(world)))
