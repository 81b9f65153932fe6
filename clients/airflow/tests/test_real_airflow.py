"""A real Airflow with a real Packhouse: which run a task has when tasks, workers and triggerers die.

A paused table keeps its run queued, so that a test decides when the run goes on.
"""

import os
import signal

import pytest
from airflow_parts import SECONDS, Airflow
from packhouse_client import Packhouse

from tests.support.eventually import eventually
from tests.support.stack import Stack


def runs_of(packhouse: Packhouse, table: str) -> list[tuple[str, str]]:
    """Return id and state of the runs of a table, oldest first."""
    return [(run.id, str(run.state)) for run in packhouse.runs.list(table_id=table)][::-1]


def waiting(airflow: Airflow, packhouse: Packhouse, table: str, dag: str) -> tuple[str, str]:
    """Start a DAG whose run waits for its paused table; return the task and the run."""
    packhouse.tables.pause(table, reason="of a test")
    task = airflow.trigger(dag, table=table)
    run = airflow.run_id(task)
    eventually(lambda: f"run {run}: submitted" in airflow.log(task), within_seconds=SECONDS)  # the wait has begun
    return task, run


def test_deferred_task_compacts_a_table(airflow: Airflow, packhouse: Packhouse, table: str, server: Stack) -> None:
    task = airflow.trigger("deferred", table=table)

    airflow.is_in(task, "success")

    ((run, state),) = runs_of(packhouse, table)
    assert (airflow.run_id(task), state) == (run, "succeeded")
    assert packhouse.tables.health(table).file_count < 30
    value = airflow.call("GET", f"{task}/xcomEntries/return_value?deserialize=true")["value"]
    assert (value["run_id"], value["state"], value["table"]) == (run, "succeeded", table)
    files = [file for file in airflow.home.rglob("*") if file.is_file()]
    assert len(files) > 5
    assert not [file for file in files if server.key.encode() in file.read_bytes()]

    airflow.clear(task)  # a task that has succeeded starts a new run when it is cleared
    eventually(lambda: len(runs_of(packhouse, table)) == 2, within_seconds=SECONDS)
    airflow.is_in(task, "success", "skipped")


def test_retry_of_a_killed_task_waits_for_the_same_run(airflow: Airflow, packhouse: Packhouse, table: str) -> None:
    task, run = waiting(airflow, packhouse, table, "blocking")

    os.kill(airflow.call("GET", task)["pid"], signal.SIGKILL)
    eventually(lambda: f"found run {run}" in airflow.log(task), within_seconds=SECONDS)
    packhouse.tables.resume(table)

    assert airflow.is_in(task, "success")["try_number"] == 2
    assert runs_of(packhouse, table) == [(run, "succeeded")]


def test_killed_triggerer_leaves_the_run_to_the_next(airflow: Airflow, packhouse: Packhouse, table: str) -> None:
    task, run = waiting(airflow, packhouse, table, "deferred")

    airflow.kill("triggerer")
    airflow.start("triggerer")
    packhouse.tables.resume(table)

    assert airflow.is_in(task, "success")["try_number"] == 1
    assert runs_of(packhouse, table) == [(run, "succeeded")]


@pytest.mark.parametrize("dag", ["deferred", "blocking"])
@pytest.mark.parametrize("state", ["failed", "success"])
def test_marked_task_cancels_its_run(airflow: Airflow, packhouse: Packhouse, table: str, dag: str, state: str) -> None:
    task, run = waiting(airflow, packhouse, table, dag)

    airflow.set_state(task, state)

    eventually(lambda: runs_of(packhouse, table) == [(run, "cancelled")], within_seconds=SECONDS)
    assert airflow.call("GET", task)["state"] == state


def test_worker_that_stops_cancels_the_run_and_the_retry_starts_a_new_one(
    airflow: Airflow, packhouse: Packhouse, table: str
) -> None:
    task, run = waiting(airflow, packhouse, table, "blocking")

    os.kill(airflow.call("GET", task)["pid"], signal.SIGTERM)
    eventually(lambda: len(runs_of(packhouse, table)) == 2, within_seconds=SECONDS)
    packhouse.tables.resume(table)

    airflow.is_in(task, "success")
    assert runs_of(packhouse, table) == [(run, "cancelled"), (airflow.run_id(task), "succeeded")]


@pytest.mark.parametrize("dag", ["deferred", "blocking"])
def test_cleared_task_cancels_its_run_and_starts_a_new_one(
    airflow: Airflow, packhouse: Packhouse, table: str, dag: str
) -> None:
    task, run = waiting(airflow, packhouse, table, dag)

    airflow.clear(task)
    eventually(lambda: len(runs_of(packhouse, table)) == 2, within_seconds=SECONDS)
    packhouse.tables.resume(table)

    assert airflow.is_in(task, "success")["try_number"] == 2
    (first, second) = runs_of(packhouse, table)
    assert first == (run, "cancelled")
    assert second == (airflow.run_id(task), "succeeded")


def test_execution_timeout_cancels_the_run(airflow: Airflow, packhouse: Packhouse, table: str) -> None:
    packhouse.tables.pause(table, reason="of a test")

    task = airflow.trigger("hurried", table=table)

    airflow.is_in(task, "failed")
    ((_, state),) = runs_of(packhouse, table)
    assert state == "cancelled"
    assert "has not ended within execution_timeout" in airflow.log(task)


def test_triggerer_that_lost_its_triggers_leaves_the_run(airflow: Airflow, packhouse: Packhouse, table: str) -> None:
    task, run = waiting(airflow, packhouse, table, "deferred")

    airflow.freeze("triggerer")
    airflow.start("triggerer", "second")
    eventually(lambda: airflow.log(task).count(f"run {run}: submitted") == 2, within_seconds=SECONDS)
    airflow.signal("triggerer", signal.SIGCONT)  # it finds its trigger with another one, and calls on_kill
    eventually(lambda: "the task waits for it in another triggerer" in airflow.log(task), within_seconds=SECONDS)
    packhouse.tables.resume(table)

    airflow.is_in(task, "success")
    assert runs_of(packhouse, table) == [(run, "succeeded")]
    airflow.kill("second")


@pytest.mark.parametrize("is_cleared", [False, True])
def test_task_that_is_killed_while_no_triggerer_lives_leaves_its_run(
    airflow: Airflow, packhouse: Packhouse, table: str, is_cleared: bool
) -> None:
    task, run = waiting(airflow, packhouse, table, "deferred")

    airflow.kill("triggerer")
    if is_cleared:
        airflow.clear(task)
        eventually(lambda: f"found run {run}" in airflow.log(task), within_seconds=SECONDS)
    else:
        airflow.set_state(task, "failed")
    airflow.start("triggerer")
    packhouse.tables.resume(table)

    eventually(lambda: runs_of(packhouse, table) == [(run, "succeeded")], within_seconds=SECONDS)
    airflow.is_in(task, "success" if is_cleared else "failed")
