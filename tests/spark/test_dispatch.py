"""What only the dispatcher on Spark has to show: failing processes, dead clients, operations of others."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.domain.errors import Interrupted, SparkFailed, Transient
from engine.spark.dispatch import SparkDispatcher
from engine.spark.sessions import SparkSessions
from engine.tracing import spans
from tests.support.eventually import eventually
from tests.support.spark_server import USER
from tests.support.task_functions import holding, is_held, upper_case
from tests.support.traces import kept_spans

SEND = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from engine.spark.dispatch import SparkDispatcher
from engine.spark.sessions import SparkSessions
from tests.support.task_functions import holding
dispatcher = SparkDispatcher(sessions=SparkSessions(url=sys.argv[1], user_id=sys.argv[2]))
ticket = dispatcher.ticket("run_of_a_dead_worker", 1, 1)
print(json.dumps(asdict(ticket)), flush=True)
dispatcher.run(ticket, holding(Path(sys.argv[3])), ["a"])
"""


def test_a_task_whose_process_dies_has_failed(spark_dispatcher: SparkDispatcher) -> None:
    def dying() -> Callable[[str], str]:
        def work(payload: str) -> str:
            os._exit(3)

        return work

    with pytest.raises(SparkFailed, match="Python worker exited unexpectedly"):
        spark_dispatcher.run(spark_dispatcher.ticket("run_dying", 1, 1), dying(), ["a"])


def test_several_operations_run_at_once(
    spark_dispatcher: SparkDispatcher, background: ThreadPoolExecutor, tmp_path: Path
) -> None:
    def meeting() -> Callable[[str], str]:
        def work(payload: str) -> str:
            import time  # noqa: PLC0415 - in a Spark task, where this module does not exist

            (tmp_path / payload).touch()
            until = time.monotonic() + 20
            while len(list(tmp_path.iterdir())) < 2:
                if time.monotonic() > until:
                    raise TimeoutError("nobody else came")
                time.sleep(0.01)
            return payload

        return work

    tickets = [spark_dispatcher.ticket("run_many", 1, part) for part in (1, 2)]
    sent = [background.submit(spark_dispatcher.run, t, meeting(), [t.operation_id]) for t in tickets]
    assert [future.result(timeout=30) for future in sent] == [[ticket.operation_id] for ticket in tickets]


def test_interrupting_is_quick(
    spark_dispatcher: SparkDispatcher, background: ThreadPoolExecutor, tmp_path: Path
) -> None:
    ticket = spark_dispatcher.ticket("run_quick", 1, 1)
    running = background.submit(spark_dispatcher.run, ticket, holding(tmp_path / "file"), ["a"])
    eventually(lambda: is_held(tmp_path / "file"))
    started = time.monotonic()
    spark_dispatcher.interrupt(ticket.tag, session_id=ticket.session_id)
    assert time.monotonic() - started < 5  # the operation itself never ends
    assert isinstance(running.exception(timeout=5), Interrupted)


def test_a_dead_workers_operation_is_stopped_by_another_process(
    spark_dispatcher: SparkDispatcher, spark_url: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", SEND, spark_url, USER, str(tmp_path / "file")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as worker:
        assert worker.stdout is not None
        ticket = json.loads(worker.stdout.readline())
        eventually(lambda: is_held(tmp_path / "file"), within_seconds=60)
        worker.send_signal(signal.SIGKILL)
    assert is_held(tmp_path / "file")
    spark_dispatcher.interrupt(ticket["tag"], session_id=ticket["session_id"])
    assert spark_dispatcher.wait_gone(ticket["tag"], session_id=ticket["session_id"], timeout=20)
    assert not is_held(tmp_path / "file")


def test_an_unknown_tag_is_gone_only_after_its_tasks_would_be_dead(spark_dispatcher: SparkDispatcher) -> None:
    session_id = "0a0e7f2c-6a8e-4a0e-9d0a-5d0c5f0a1b2c"
    assert not spark_dispatcher.wait_gone("packhouse-foreign-1", session_id=session_id, timeout=0.5)
    assert spark_dispatcher.wait_gone("packhouse-foreign-1", session_id=session_id, timeout=10)


def test_the_operations_of_a_closed_session_are_gone_and_the_next_attempt_works(
    spark_url: str, spark_dispatcher: SparkDispatcher
) -> None:
    sessions = SparkSessions(url=spark_url, user_id=USER)
    dispatcher = SparkDispatcher(sessions=sessions)
    ticket, late = (dispatcher.ticket("run_closed", 1, part) for part in (1, 2))
    dispatcher.run(ticket, upper_case(), ["a"])
    sessions.calls.release(ticket.session_id)
    assert spark_dispatcher.wait_gone(ticket.tag, session_id=ticket.session_id, timeout=20)
    with pytest.raises(Transient):
        dispatcher.run(late, upper_case(), ["a"])
    assert dispatcher.run(dispatcher.ticket("run_closed", 2, 1), upper_case(), ["a"]) == ["A"]
    sessions.close()


def test_jobs_have_the_trace_of_their_operation(spark_dispatcher: SparkDispatcher) -> None:
    def tags() -> Callable[[str], str]:
        def work(payload: str) -> str:
            from pyspark import TaskContext  # noqa: PLC0415 - in a Spark task

            return str(TaskContext.get().getLocalProperty("spark.job.tags"))  # type: ignore[union-attr]

        return work

    def tags_of(run: str) -> str:
        [found] = spark_dispatcher.run(spark_dispatcher.ticket(run, 1, 1), tags(), ["a"])
        return found

    with kept_spans(), spans.span("spark.operation"):
        context = spans.traceparent()
        assert f"Tag_traceparent-{context}" in tags_of("run_traced")
    assert "traceparent" not in tags_of("run_untraced")
