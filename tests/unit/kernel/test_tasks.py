"""Tasks as JSON, and the entry that picks by their engine."""

import json

import pyarrow as pa
import pytest

from engine.formats.paimon.task.commits import CommitAnswer, CoreCommit
from engine.formats.paimon.task.contract import ONE_BUCKET, CoreTask
from engine.formats.paimon.task.replacements import Replacement, WrittenFile
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import (
    GroupResult,
    MergeKey,
    Pace,
    PartitionField,
    RowOrder,
    SentTask,
    SortColumn,
    TaskInput,
)
from engine.rewriting.kernel.kernel_task import SentKernelTask
from tests.support.kernel_tasks import kernel_task

TASK = CoreTask(
    run_id="run",
    attempt=2,
    group=3,
    table="hdfs://lake/lake.db/events",
    bucket=4,
    partition="AAAAAAAAAAAAAAAA",
    inputs=(TaskInput("a.parquet", 10, 2),),
    kind=ONE_BUCKET,
    full=True,
    options={"target-file-size": "1 mb"},
    jar="/nowhere/paimon.jar",
    heap_bytes=2**29,
    name_prefix="packhouse-run-2-3-",
    pace=Pace(bytes_per_second=5.0),
)
COMMIT = CoreCommit(
    table="hdfs://lake/lake.db/events",
    jar="/nowhere/paimon.jar",
    heap_bytes=2**29,
    user="user",
    identifier=1,
    messages=("AAAA",),
    replacements=(Replacement("AAAA", 2, ("a", "b"), (WrittenFile("c", 10, 2, ("x",), ("y", "z")),), 3),),
    properties={"a": "b"},
)


def test_a_task_of_the_kernel_round_trips() -> None:
    made = kernel_task(
        [TaskInput("a.parquet", 10, 2, ("d.parquet",), (5,))],
        pa.schema([]),
        "file:///t",
        newest_by=MergeKey((1,), 2),
        order=RowOrder("sort", (SortColumn(1),)),
        partition_by=(PartitionField(1, "bucket", 8),),
        int96_ids=(2,),
        key_values={"k": "v"},
        storage={"a": "b"},
        pace=Pace(bytes_per_second=5.0),
    )
    assert SentKernelTask.from_json(made.to_json()) == made


def test_a_send_adds_its_part_its_storage_and_its_pace() -> None:
    made, pace = kernel_task([], pa.schema([]), "file:///t"), Pace(requests_per_second=3.0)
    sent = SentTask(made.task.named("run-0-1-"), pace, part=7, storage={"a": "b"}).to_json()
    assert SentKernelTask.from_json(sent) == SentKernelTask(made.task, "run-0-1-00007", {"a": "b"}, pace)
    assert json.loads(sent)["engine"] == "kernel"


@pytest.mark.parametrize(("own", "stem"), [(True, "file:///t/out-42/out-42"), (False, "file:///t/out-42")])
def test_an_execution_has_names_of_its_own_and_where_asked_a_folder(own: bool, stem: str) -> None:
    made = kernel_task([], pa.schema([]), "file:///t", per_execution=own)
    assert made.of_execution("42").stem == stem


def test_a_task_of_the_core_round_trips() -> None:
    assert CoreTask.from_json(TASK.to_json()) == TASK
    assert json.loads(TASK.to_json())["engine"] == "core"


def test_a_commit_of_the_core_round_trips() -> None:
    assert CoreCommit.from_json(COMMIT.to_json()) == COMMIT
    assert json.loads(COMMIT.to_json())["engine"] == "core-commit"


def test_the_entry_picks_by_the_engine() -> None:
    missing = "CoreFault: /nowhere/paimon.jar does not exist on the executor"
    result = GroupResult.from_json(run_task(TASK.to_json()))
    answer = CommitAnswer.from_json(run_task(COMMIT.to_json()))
    assert (result.group, result.outcome, answer.outcome) == (3, "failed", "failed")
    assert (str(result.reason)[: len(missing)], answer.reason[: len(missing)]) == (missing, missing)


def test_an_unknown_engine_is_an_error() -> None:
    with pytest.raises(ValueError, match="engine 'other': this version knows"):
        run_task(json.dumps({"engine": "other"}))
