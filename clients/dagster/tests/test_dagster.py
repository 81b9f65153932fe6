"""Dagster in this process with a real Packhouse: what materializations, retries, checks and the sensor do."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
from packhouse_client import Packhouse
from packhouse_client.models import RunState
from packhouse_client.testing import MockPackhouse
from packhouse_dagster import PackhouseResource, RunRequest, compaction_asset, compaction_op, health_check, run_sensor
from packhouse_dagster.runs import idempotency_key, run_to_its_end

from tests.support.eventually import eventually
from tests.support.stack import Stack

SECONDS = 120.0


@pytest.fixture
def resources(server: Stack) -> dict[str, PackhouseResource]:
    return {"packhouse": PackhouseResource(url=server.url, api_key=server.key)}


def runs_of(packhouse: Packhouse, table: str) -> list[tuple[str, str]]:
    """Return id and state of the runs of a table, oldest first."""
    return [(run.id, str(run.state)) for run in packhouse.runs.list(table_id=table)][::-1]


def metadata_of(event: Any) -> dict[str, Any]:
    return {name: value.value for name, value in event.metadata.items()}


def test_asset_compacts_its_table_and_the_check_sees_it(
    packhouse: Packhouse, table: str, resources: dict[str, PackhouseResource]
) -> None:
    compacted = compaction_asset(RunRequest(table, options={"force_full": True}), group_name="upkeep")
    checks = [health_check(compacted, table=table, most_small_files=most, name=f"at_most_{most}") for most in (5, 29)]
    assert compacted.key.path == [*table.split("."), "compacted"]

    before = dg.materialize([*checks], resources=resources, selection=dg.AssetSelection.all_asset_checks())
    assert [check.passed for check in before.get_asset_check_evaluations()] == [False, False]
    result = dg.materialize([compacted, *checks], resources=resources)

    assert result.success
    ((run, state),) = runs_of(packhouse, table)
    (event,) = result.asset_materializations_for_node(compacted.node_def.name)
    found = metadata_of(event)
    assert (found["run_id"], found["state"], state) == (run, "succeeded", "succeeded")
    assert found["run"].endswith(f"/console/runs/{run}")
    assert found["rewritten_files"] == 30
    files = packhouse.tables.health(table).small_file_count
    assert {c.check_name: c.passed for c in result.get_asset_check_evaluations()} == {
        "at_most_5": files <= 5,
        "at_most_29": True,
    }
    with pytest.raises(ValueError, match="give least_score or most_small_files"):
        health_check(compacted, table=table)


def test_op_says_why_it_fails_and_whether_a_retry_helps(
    packhouse: Packhouse, table: str, resources: dict[str, PackhouseResource]
) -> None:
    policy = dg.RetryPolicy(max_retries=2)

    def failure_of(request: RunRequest) -> Any:
        @dg.job
        def once() -> None:
            compaction_op(request, name="compact", retry_policy=policy)()

        result = once.execute_in_process(resources=resources, raise_on_error=False)
        assert not result.success
        assert not [event for event in result.all_events if event.event_type_value == "STEP_RESTARTED"]
        return result.failure_data_for_node("compact").error.message

    assert "lake.web.nothing" in failure_of(RunRequest("lake.web.nothing"))
    assert "/operation" in failure_of(RunRequest(table, operation="polish"))
    assert runs_of(packhouse, table) == []


def test_new_materialization_starts_a_new_run(
    packhouse: Packhouse, table: str, resources: dict[str, PackhouseResource]
) -> None:
    request = RunRequest(table, options={"force_full": True})
    for _ in range(2):
        assert dg.materialize([compaction_asset(request)], resources=resources).success
    assert len(runs_of(packhouse, table)) == 2


def test_tries_share_keys_and_replace_failed_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    mock = MockPackhouse(runs_end_as=RunState.FAILED)
    mock.add_table("lake.shop.orders")
    monkeypatch.setattr(PackhouseResource, "client", lambda _: mock.client())

    @dg.job
    def retried() -> None:
        compaction_op(RunRequest("lake.shop.orders"), name="compact", retry_policy=dg.RetryPolicy(max_retries=2))()

    resources = {"packhouse": PackhouseResource(url="http://packhouse.test")}
    assert not retried.execute_in_process(resources=resources, raise_on_error=False).success

    sent = [request for request in mock.requests if (request.method, request.url.path) == ("POST", "/v1/runs")]
    first, *others = (request.headers["idempotency-key"] for request in sent)
    second, third = others[1], others[4]
    assert others == [first, second, first, second, third]
    assert len({first, second, third}) == 3


def test_automatic_retry_of_a_dagster_run_has_the_keys_of_the_first() -> None:
    def key(run_id: str, root_run_id: str | None, **tags: str) -> str:
        step = SimpleNamespace(step=SimpleNamespace(key="compact"))
        run = SimpleNamespace(run_id=run_id, root_run_id=root_run_id, tags=tags)
        context: Any = SimpleNamespace(run=run, get_step_execution_context=lambda: step)
        return idempotency_key(context, 1, RunRequest("lake.shop.orders"))

    first = key("first", None)
    assert key("retry", "first", **{"dagster/retry_number": "1"}) == first
    assert key("by_hand", "first") != first


@pytest.mark.parametrize("is_joined", [False, True])
def test_interrupted_step_leaves_the_run_of_another_caller(monkeypatch: pytest.MonkeyPatch, is_joined: bool) -> None:
    mock = MockPackhouse(runs_end_as=None)
    mock.add_table("lake.shop.orders")
    monkeypatch.setattr(PackhouseResource, "client", lambda _: mock.client())
    if is_joined:
        mock.client().runs.submit(table_id="lake.shop.orders", operation="rewrite")

    def interrupt(message: str, *_: object) -> None:
        if ": submitted" in message:
            raise KeyboardInterrupt

    step = SimpleNamespace(step=SimpleNamespace(key="compact"))
    run = SimpleNamespace(run_id="first", root_run_id=None, tags={})
    log = SimpleNamespace(info=interrupt)
    context: Any = SimpleNamespace(run=run, get_step_execution_context=lambda: step, log=log)
    with pytest.raises(KeyboardInterrupt):
        run_to_its_end(context, PackhouseResource(url="http://packhouse.test"), RunRequest("lake.shop.orders"))

    assert [run["state"] for run in mock.records.runs.values()] == ["queued" if is_joined else "cancelled"]


CODE = """
import sys
import dagster as dg
from packhouse_dagster import PackhouseResource, RunRequest, compaction_asset

url, key, table, *tags = sys.argv[1:]
with dg.DagsterInstance.ephemeral() as instance:
    dg.materialize(
        [compaction_asset(RunRequest(table, options={"force_full": True}))],
        resources={"packhouse": PackhouseResource(url=url, api_key=key)},
        instance=instance,
    )
"""


def test_interrupted_step_cancels_its_run(server: Stack, packhouse: Packhouse, table: str, tmp_path: Path) -> None:
    packhouse.tables.pause(table, reason="of a test")
    log = tmp_path / "step.log"
    with log.open("wb") as output:
        step = subprocess.Popen([sys.executable, "-c", CODE, server.url, server.key, table], stderr=output)
    eventually(lambda: ": submitted (queued)" in log.read_text(), within_seconds=SECONDS)

    step.send_signal(signal.SIGINT)

    step.wait(SECONDS)
    assert [state for _, state in runs_of(packhouse, table)] == ["cancelled"]


def test_sensor_reports_each_run_once(
    packhouse: Packhouse, table: str, resources: dict[str, PackhouseResource]
) -> None:
    sensor = run_sensor({table: "orders"})
    cursor: str | None = None

    def look() -> list[str]:
        nonlocal cursor
        with dg.build_sensor_context(cursor=cursor, resources=resources) as context:
            result = sensor.evaluate_tick(context)
        cursor = result.cursor
        assert {event.asset_key for event in result.asset_events} <= {dg.AssetKey("orders")}
        return [str(event.metadata["run_id"].value) for event in result.asset_events]

    def end(run: str) -> str:
        return packhouse.wait_for_run(run, timeout=SECONDS).id

    def start() -> str:
        return packhouse.runs.submit(table_id=table, operation="rewrite", every_file=True).id

    end(start())
    packhouse.tables.pause(table, reason="of a test")
    live = start()
    assert look() == []  # what has ended before the first look is history
    packhouse.tables.resume(table)
    assert [end(live), end(start())] == (found := look())
    assert len(found) == 2
    assert look() == []


def test_examples_of_the_documentation_are_definitions() -> None:
    page = Path(__file__).parents[3] / "docs/how-to/dagster.md"
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(block, names)
    dg.Definitions.validate_loadable(names["defs"])
    assert names["defs"].resolve_asset_graph().has(dg.AssetKey(["lake", "shop", "orders", "compacted"]))
    assert names["sensor"].name == "packhouse_runs"
