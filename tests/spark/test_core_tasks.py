"""Tasks of Paimon's core inside Spark: the zip that workers get has all that they need."""

from pathlib import Path

from engine.rewriting.core.commits import CommitAnswer, CoreCommit
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import GroupResult
from engine.spark.dispatch import SparkDispatcher
from tests.support.paimon.compactions import HEAP, paimon_jar, tasks
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake


def test_a_bucket_is_compacted_and_committed_in_spark(
    spark_dispatcher: SparkDispatcher, paimon_core: PaimonCore, tmp_path: Path
) -> None:
    lake = PaimonLake(paimon_core, tmp_path).create(primary_keys=["id"], bucket="2", write_only="true")
    for number in range(3):
        lake.write([[each, "d", float(number)] for each in range(20)])
    rows = lake.call("values")
    payloads = [each.to_json() for each in tasks(lake)]
    answers = spark_dispatcher.run(spark_dispatcher.ticket("run_core", 1, 1), run_task, payloads)
    results = [GroupResult.from_json(each) for each in answers]
    assert [each.outcome for each in results] == ["written", "written"], results
    messages = tuple(each.message for each in results)
    commit = CoreCommit(str(lake.folder), paimon_jar(), HEAP, "packhouse-run-core", 1, messages)
    (answer,) = spark_dispatcher.run(spark_dispatcher.ticket("run_core", 1, 2), run_task, [commit.to_json()])
    assert CommitAnswer.from_json(answer) == CommitAnswer("committed", 4)
    assert lake.call("values") == rows
    assert {each["level"] for each in lake.call("inspect")["files"]} == {5}
