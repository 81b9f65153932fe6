"""Documents of runs on the wire: a model for each operation has all that is written, and reads whatever is stored."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from api.schemas.runs.plans import plan_of
from api.schemas.runs.requests import policy_of, request_of
from api.schemas.runs.results import result_of
from api.schemas.runs.run import Run, RunDocument, RunSummary
from api.schemas.tables.table import HistoryEntry
from engine.domain.ids import RunId, TableId
from engine.domain.runs import results
from engine.domain.runs.run import Operation, RunState
from engine.domain.runs.run import Run as DomainRun
from tests.support.stored_documents import GARBAGE, PLANS, POLICY, REQUESTS, RESULTS, damaged

NOW = datetime(2026, 11, 1, 9, 30, tzinfo=UTC)
OPERATIONS = pytest.mark.parametrize("operation", Operation)


def run(operation: Operation, **documents: Any) -> DomainRun:
    if "result" in documents:
        documents["result"] = results.RunResult(documents["result"])
    found = DomainRun(
        RunId("run_01jd2m6v8n4q0x7y3k5r9t1wbz"), TableId("tbl_1"), operation, RunState.FAILED, "key:etl", NOW, NOW
    )
    return replace(found, **documents)


def shown(found: Any) -> Any:
    return json.loads(found.model_dump_json())


def without_nulls(value: Any) -> Any:
    """Return a document without the figures that it lacks, and with instants and ids in one form."""
    if isinstance(value, dict) and value.keys() == {"values", "text"}:
        return json.dumps(value["values"], separators=(",", ":"))
    if isinstance(value, dict):
        kept = {name: without_nulls(each) for name, each in value.items()}
        return {name: each for name, each in kept.items() if each not in (None, [], {}, False)}
    if isinstance(value, list | tuple):
        return [without_nulls(each) for each in value]
    return value.replace("+00:00", "Z") if isinstance(value, str) else value


@OPERATIONS
def test_everything_that_a_run_writes_is_shown(operation: Operation) -> None:
    plan, request = shown(plan_of(run(operation, plan=PLANS[operation]))), REQUESTS[operation]
    expected = PLANS[operation] | {"operation": operation}
    if operation is Operation.REWRITE:
        expected |= {"base_snapshot_id": str(expected["base_snapshot_id"])}
    assert without_nulls(plan) == without_nulls(expected)
    assert without_nulls(shown(request_of(run(operation, request=request)))) == without_nulls(
        request | {"operation": operation}
    )
    result = shown(result_of(run(operation, result=RESULTS[operation])))
    asked = result.pop("acknowledgement", None)
    stored = {name: value for name, value in RESULTS[operation].items() if name != "acknowledgement"}
    assert without_nulls(result) == without_nulls(stored | {"operation": operation})
    if asked is not None:
        assert (asked["median"]["files"], asked["of_table"]["files"]) == (12, 400)
        assert (asked["acknowledged_by"], asked["exceeded"]) == ("key:admin", ["files"])


@OPERATIONS
def test_a_run_that_has_done_nothing_has_documents_of_its_operation(operation: Operation) -> None:
    found = shown(Run.from_domain(run(operation)))
    assert [found[name]["operation"] for name in ("request", "plan", "result")] == [operation] * 3
    assert found["policy"] == {"values": {}, "origins": {}}


def test_a_list_has_the_documents_that_are_asked_for() -> None:
    found = shown(RunSummary.of(run(Operation.PURGE, policy=POLICY), {RunDocument.POLICY}))
    assert [found[name] for name in ("request", "plan", "result")] == [None] * 3
    assert found["policy"] == POLICY


@OPERATIONS
def test_no_damage_of_a_stored_document_makes_an_answer_fail(operation: Operation) -> None:
    for each in damaged(RESULTS[operation]):
        assert shown(result_of(run(operation, result=each)))["operation"] == operation
    for each in damaged(PLANS[operation]):
        assert shown(plan_of(run(operation, plan=each)))["operation"] == operation
    for each in damaged(REQUESTS[operation]):
        assert shown(request_of(run(operation, request=each)))["operation"] == operation
    for each in damaged(POLICY):
        policy_of(run(operation, policy=each)).model_dump_json()


@pytest.mark.parametrize("garbage", GARBAGE, ids=ascii)
def test_a_document_that_is_no_object_counts_as_empty(garbage: Any) -> None:
    found = run(Operation.REWRITE, result=garbage, plan=garbage, request=garbage, policy=garbage)
    assert shown(Run.from_domain(found))["result"]["rewritten_files"] is None
    assert shown(HistoryEntry.from_domain(found))["snapshot_ids"] == []


def test_damage_takes_no_more_than_the_damaged_value() -> None:
    verifications = [{"ok": True, "checks": [{"name": "a"}, {"name": "b", "holds": True, "detail": ""}]}, 5, {"ok": []}]
    stored = {"rewritten_files": "many", "added_files": 3, "verifications": verifications, "unknown": 1}
    found = shown(result_of(run(Operation.REWRITE, result=stored)))
    assert (found["rewritten_files"], found["added_files"]) == (None, 3)
    assert found["verifications"] == [{"ok": True, "checks": [{"name": "b", "holds": True, "detail": ""}]}]
    assert "unknown" not in found
