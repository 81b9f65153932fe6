"""The parts of the provider against the SDK's server in memory: what a task does with each answer."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from airflow.sdk import DAG, Connection
from airflow.sdk.exceptions import (
    AirflowException,
    AirflowFailException,
    AirflowSensorTimeout,
    AirflowSkipException,
    AirflowTaskTimeout,
    TaskDeferred,
)
from packhouse_airflow.hooks import PackhouseHook, address_and_key
from packhouse_airflow.operators import PackhouseRunOperator
from packhouse_airflow.sensors import PackhouseRunSensor
from packhouse_airflow.triggers import PackhouseRunTrigger
from packhouse_client.models import RunState
from packhouse_client.testing import MockPackhouse

TABLE = "lake.shop.orders"


class Store(dict[str, Any]):
    """The task's state store of Airflow."""

    def set(self, key: str, value: Any) -> None:
        self[key] = json.loads(json.dumps(value))


def a_try(store: Store, *, clear_number: int = 0, map_index: int = -1) -> Any:
    """Return the context of a try; tries of one task share the store."""
    ti = SimpleNamespace(
        dag_id="d", run_id="r", task_id="t", map_index=map_index, start_date=None, xcom_push=Store().set
    )
    return {"ti": ti, "dag_run": SimpleNamespace(clear_number=clear_number), "task_state_store": store}


@pytest.fixture
def mock(monkeypatch: pytest.MonkeyPatch) -> MockPackhouse:
    server = MockPackhouse()
    server.add_table(TABLE)

    async def client(_: PackhouseHook) -> Any:
        return server.async_client()

    monkeypatch.setattr(PackhouseHook, "get_conn", lambda _: server.client())
    monkeypatch.setattr(PackhouseHook, "aget_conn", client)
    monkeypatch.setenv("AIRFLOW_CONN_PACKHOUSE_DEFAULT", "packhouse://:pkh_secret@packhouse.test/http")
    return server


def operator(**options: Any) -> PackhouseRunOperator:
    return PackhouseRunOperator(task_id="t", table=TABLE, **options)


def submissions(mock: MockPackhouse) -> list[str]:
    """Return the keys of the submissions that the server received."""
    return [r.headers["idempotency-key"] for r in mock.requests if (r.method, r.url.path) == ("POST", "/v1/runs")]


@pytest.mark.parametrize(
    ("state", "raised"),
    [
        (RunState.SUCCEEDED, None),
        (RunState.SKIPPED, AirflowSkipException),
        (RunState.FAILED, AirflowException),
        (RunState.REFUSED, AirflowFailException),
        (RunState.CANCELLED, AirflowFailException),
    ],
)
def test_task_ends_as_its_run(mock: MockPackhouse, state: RunState, raised: type[Exception] | None) -> None:
    mock.runs_end_as, store = None, Store()
    with pytest.raises(TaskDeferred) as deferred:
        operator(deferrable=True).execute(a_try(store))
    run = deferred.value.trigger.serialize()[1]["run_id"]
    mock.end_run(run, state, result={"rewritten_files": 9}, detail="because of a test")
    event = {"run_id": run, "outcome": "ended", "detail": ""}

    def resume() -> Any:
        return operator().execute_complete(a_try(store), event, **deferred.value.kwargs)

    if raised is None:
        value = resume()
        assert (value["run_id"], value["state"], value["table"]) == (run, "succeeded", TABLE)
        assert value["result"]["rewritten_files"] == 9
    else:
        with pytest.raises(raised, match="because of a test") as error:
            resume()
        assert type(error.value) is raised
    mock.runs_end_as = RunState.SUCCEEDED
    assert operator().execute(a_try(store))["run_id"] != run  # its end was reported: the next try starts a new one


def test_skipped_run_can_be_a_success(mock: MockPackhouse) -> None:
    mock.runs_end_as = RunState.SKIPPED
    assert operator(when_skipped="succeed").execute(a_try(Store()))["state"] == "skipped"
    with pytest.raises(ValueError, match="when_skipped: 'never'"):
        operator(when_skipped="never")


@pytest.mark.parametrize(
    ("fault", "raised", "message"),
    [
        (401, AirflowFailException, "401"),
        (403, AirflowFailException, "403"),
        (404, AirflowFailException, "404"),
        (422, AirflowFailException, "422"),
        (409, AirflowException, "409"),
        (500, AirflowException, "500"),
        (503, AirflowException, "503"),
        (httpx.ConnectError("refused"), AirflowException, "no answer from http://packhouse.test"),
    ],
)
def test_errors_say_whether_a_retry_helps(
    mock: MockPackhouse, fault: int | Exception, raised: type[Exception], message: str
) -> None:
    mock.fail_next(fault, times=9)
    with pytest.raises(AirflowException, match=message) as error:
        operator().execute(a_try(Store()))
    assert type(error.value) is raised


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": "lake.shop.nothing"}, "lake.shop.nothing"),
        ({"operation": "polish"}, "polish"),
        ({"options": {"force_ful": True}}, "force_ful"),
    ],
)
def test_wrong_arguments_are_named(mock: MockPackhouse, options: dict[str, Any], message: str) -> None:
    with pytest.raises(AirflowFailException, match=message):
        PackhouseRunOperator(**{"task_id": "t", "table": TABLE, **options}).execute(a_try(Store()))


def test_tries_share_a_key_and_other_tasks_have_their_own(mock: MockPackhouse) -> None:
    for store in (Store(), Store()):  # the first died before it remembered its run
        operator().execute(a_try(store))
    operator().execute(a_try(Store(), map_index=1))
    operator().execute(a_try(Store(), clear_number=1))
    operator(options={"priority": "high"}).execute(a_try(Store()))
    first, again, *others = submissions(mock)
    assert first == again
    assert len({first, *others}) == 4


@pytest.mark.parametrize(
    ("state", "is_new"),
    [(None, False), (RunState.SUCCEEDED, False), (RunState.FAILED, True), (RunState.CANCELLED, True)],
)
def test_retry_finds_its_run_unless_it_ended_badly(mock: MockPackhouse, state: RunState | None, is_new: bool) -> None:
    mock.runs_end_as, store = None, Store()
    with pytest.raises(TaskDeferred) as first:
        operator(deferrable=True).execute(a_try(store))
    run = first.value.trigger.serialize()[1]["run_id"]
    if state is not None:
        mock.end_run(run, state)

    with pytest.raises(TaskDeferred) as second:
        operator(deferrable=True).execute(a_try(store, clear_number=1))

    assert (second.value.trigger.serialize()[1]["run_id"] != run) is is_new
    assert len(submissions(mock)) == 1 + is_new


@pytest.mark.parametrize("is_own", [True, False])
def test_run_that_was_cancelled_with_the_try_before_is_replaced(mock: MockPackhouse, is_own: bool) -> None:
    mock.runs_end_as, store = None, Store()
    for _ in range(2):  # the second one was cleared, and finds the run before the trigger of the first has cancelled it
        with pytest.raises(TaskDeferred) as deferred:
            operator(deferrable=True).execute(a_try(store))
    (run,) = mock.records.runs
    mock.end_run(run, RunState.CANCELLED)
    by = mock.records.runs[run]["requested_by"]
    mock.records.runs[run]["cancel_requested_by"] = by if is_own else "key:a_person"
    event = {"run_id": run, "outcome": "ended", "detail": ""}

    with pytest.raises(TaskDeferred if is_own else AirflowFailException) as ended:
        operator(deferrable=True).execute_complete(a_try(store), event, **deferred.value.kwargs)

    assert len(mock.records.runs) == 1 + is_own
    assert is_own or "requested by key:a_person" in str(ended.value)


def test_run_of_another_caller_is_joined_and_not_cancelled(mock: MockPackhouse) -> None:
    mock.runs_end_as = None
    with mock.client() as client:
        run = client.runs.submit(table_id=TABLE, operation="rewrite")
    with pytest.raises(TaskDeferred) as deferred:
        operator(deferrable=True).execute(a_try(Store()))
    trigger = deferred.value.trigger
    assert trigger.serialize()[1] | {"deadline": 0} == {
        "packhouse_conn_id": "packhouse_default",
        "run_id": run.id,
        "cancels": False,
        "deadline": 0,
    }
    asyncio.run(trigger.on_kill())
    with mock.client() as client:
        assert client.runs.get(run.id).state == "queued"


def test_task_that_does_not_wait_hands_its_run_on(mock: MockPackhouse) -> None:
    mock.runs_end_as, store = None, Store()
    run = operator(wait=False).execute(a_try(store))["run_id"]
    sensor = PackhouseRunSensor(task_id="s", run_id=run)
    assert not sensor.poke({}).is_done
    with pytest.raises(TaskDeferred) as deferred:
        PackhouseRunSensor(task_id="s", run_id=run, deferrable=True).execute(a_try(store))
    assert deferred.value.trigger.serialize()[1]["cancels"] is False
    mock.end_run(run)
    assert sensor.poke({}).xcom_value["state"] == "succeeded"
    with pytest.raises(AirflowSensorTimeout, match="too late"):
        sensor.execute_complete({}, {"outcome": "timed_out", "detail": "too late"})


async def only(events: AsyncIterator[Any]) -> Any:
    (event,) = [event async for event in events]
    return event.payload


def test_trigger_reports_end_deadline_and_a_lost_server(mock: MockPackhouse) -> None:
    mock.runs_end_as = None
    with mock.client() as client:
        run = client.runs.submit(table_id=TABLE, operation="rewrite").id

    def fired(**options: Any) -> Any:
        return asyncio.run(only(PackhouseRunTrigger("packhouse_default", run, **options).run()))

    assert fired(deadline=1.0)["outcome"] == "timed_out"
    mock.fail_next(403, times=9)
    assert fired()["outcome"] == "lost"
    mock._faults.clear()
    mock.end_run(run, RunState.FAILED)
    assert fired() == {"run_id": run, "outcome": "ended", "detail": ""}


@pytest.mark.parametrize(("outcome", "raised"), [("timed_out", AirflowTaskTimeout), ("lost", AirflowException)])
def test_other_ends_of_a_wait_are_retried(mock: MockPackhouse, outcome: str, raised: type[BaseException]) -> None:
    mock.runs_end_as, store = None, Store()
    with pytest.raises(TaskDeferred) as deferred:
        operator(deferrable=True).execute(a_try(store))
    run = deferred.value.trigger.serialize()[1]["run_id"]
    with pytest.raises(raised, match=run):
        operator().execute_complete(
            a_try(store), {"run_id": run, "outcome": outcome, "detail": "x"}, **deferred.value.kwargs
        )
    with mock.client() as client:
        assert client.runs.get(run).state == ("cancelled" if outcome == "timed_out" else "queued")


def test_killed_trigger_repeats_its_cancel_until_it_is_answered(mock: MockPackhouse) -> None:
    mock.runs_end_as = None
    with mock.client() as client:
        run = client.runs.submit(table_id=TABLE, operation="rewrite").id
        mock.fail_next(503, times=2)

        async def killed_every_second() -> None:
            killing = asyncio.create_task(PackhouseRunTrigger("packhouse_default", run, cancels=True).on_kill())
            for _ in range(3):
                await asyncio.sleep(0.1)
                killing.cancel()
            await killing

        asyncio.run(killed_every_second())
        assert client.runs.get(run).state == "cancelled"
    asyncio.run(PackhouseRunTrigger("packhouse_default", run, cancels=True).on_kill())  # it has ended: no error
    asyncio.run(PackhouseRunTrigger("packhouse_default", "run_none", cancels=True).on_kill())


@pytest.mark.parametrize(
    ("fields", "address"),
    [
        ({"host": "packhouse.example"}, "https://packhouse.example"),
        ({"host": "127.0.0.1", "port": 8080, "schema": "http"}, "http://127.0.0.1:8080"),
        ({"host": "https://packhouse.example/prefix/"}, "https://packhouse.example/prefix"),
        ({"host": "https://packhouse.example/v1"}, "https://packhouse.example"),
    ],
)
def test_connection_is_an_address(fields: dict[str, Any], address: str) -> None:
    connection = Connection(conn_id="c", conn_type="packhouse", password="pkh_1", **fields)
    assert address_and_key(connection) == (address, "pkh_1")


def test_connection_without_a_host_is_named() -> None:
    with pytest.raises(ValueError, match="connection c: host is empty"):
        address_and_key(Connection(conn_id="c", conn_type="packhouse"))


def test_examples_of_the_documentation_make_tasks() -> None:
    page = Path(__file__).parents[3] / "docs/how-to/airflow.md"
    names: dict[str, Any] = {}
    with DAG("page", schedule=None) as dag:
        for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
            exec(block, names)
    assert set(dag.task_ids) == {"compact", "is_compact", "has_ended"}
