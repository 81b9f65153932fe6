"""What is wrong with a body is told once, where it is, with what was meant: at any depth, in lists and unions."""

from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from api.problems.field_names import unknown_field_hint
from api.problems.validation import problems_of
from api.schemas.runs.submissions import RunSubmission
from engine.domain.errors import FieldProblem
from engine.domain.policies import PolicyDocument

ROUTE = SimpleNamespace(
    dependant=SimpleNamespace(body_params=[SimpleNamespace(field_info=SimpleNamespace(annotation=PolicyDocument))])
)


def problems(body: Any) -> tuple[FieldProblem, ...]:
    """What the API answers to a policy."""
    with pytest.raises(ValidationError) as caught:
        PolicyDocument.model_validate(body)
    errors = [{**error, "loc": ("body", *error["loc"])} for error in caught.value.errors()]
    return problems_of(RequestValidationError(errors, body=body), ROUTE)


def condition(**fields: Any) -> dict[str, Any]:
    return {"triggers": [{"name": "a", "all": [{"metric": "file_count", "above": 5}, fields]}]}


@pytest.mark.parametrize(
    ("body", "pointer", "hint"),
    [
        ({"enable": True}, "/enable", "did you mean 'enabled'?"),
        ({"target_file_bytes": 1}, "/target_file_bytes", "did you mean 'rewrite.target_file_bytes'?"),
        ({"limits": {"parallel": 1}}, "/limits/parallel", "did you mean 'parallel_groups'?"),
        ({"rewrite": {"full": {"intervall": "1d"}}}, "/rewrite/full/intervall", "did you mean 'interval'?"),
        (
            {"rewrite": {"columns": ["a", {"name": "b", "null": "first"}]}},
            "/rewrite/columns/1/null",
            "did you mean 'nulls'?",
        ),
        ({"seal": {"afer": "1h"}}, "/seal/afer", "did you mean 'after'?"),
        (condition(metric="file_count", atleast=5), "/triggers/0/all/1/atleast", "did you mean 'at_least'?"),
        (
            {"maintenance": {"expire_snapshots": {"older_than": "5d", "keep": 3}}},
            "/maintenance/expire_snapshots/keep",
            "did you mean 'keep_last'?",
        ),
        ({"maintenance": {"expire_snapshots": "5d"}}, "/maintenance/expire_snapshots", 'such as {"older_than"'),
        (
            {"quiet_hours": [{"from": "09:00", "to": "17:00", "timezone": "UTC"}]},
            "/quiet_hours/0/timezone",
            "did you mean 'time_zone'?",
        ),
        ({"seal": {"xyz": 1}}, "/seal/xyz", "known fields: after, quiet_for"),
        ({"rewrite": {"target_file_bytes": "96mb"}}, "/rewrite/target_file_bytes", "'96MB' (decimal) or '96MiB'"),
        ({"rewrite": {"large_file_bytes": "1gb"}}, "/rewrite/large_file_bytes", "'1GB' (decimal) or '1GiB'"),
        ({"schedule": {"min_interval": "6 hours"}}, "/schedule/min_interval", "did you mean '6h'?"),
        ({"seal": {"after": "1 hour"}}, "/seal/after", "did you mean '1h'?"),
        (condition(metric="newest_file_age", above="2 days"), "/triggers/0/all/1/above", "did you mean '2d'?"),
        (condition(metric="small_file_cuont", above=2), "/triggers/0/all/1/metric", "did you mean 'small_file_count'?"),
        ({"limits": {"bandwidth": "unlimitted"}}, "/limits/bandwidth", "did you mean 'unlimited'?"),
        ({"preset": "Ballanced"}, "/preset", "did you mean 'balanced'?"),
        ({"schedule": {"time_zone": "Berlin"}}, "/schedule/time_zone", "did you mean 'Europe/Berlin'?"),
    ],
    ids=str,
)
def test_one_problem_says_where_and_what_was_meant(body: dict[str, Any], pointer: str, hint: str) -> None:
    (problem,) = problems(body)
    assert problem.pointer == pointer
    assert hint in str(problem.hint)


def test_every_wrong_field_is_told_at_once() -> None:
    body = {"enable": True, "seal": {"afer": "1h"}, "quiet_hours": [{"form": "09:00", "to": "17:00"}]}
    assert {problem.pointer for problem in problems(body)} == {
        "/enable",
        "/seal/afer",
        "/quiet_hours/0/form",
        "/quiet_hours/0/from",
    }


def test_an_object_is_not_told_that_it_should_have_been_a_word() -> None:
    (problem,) = problems({"seal": {"after": "1h", "quiet_for": "1h"}})
    assert (problem.pointer, problem.message) == ("/seal", "a seal has exactly one of after, quiet_for")


def test_a_word_is_told_all_that_it_could_have_been() -> None:
    (problem,) = problems({"seal": "closed"})
    assert problem.message == "must be 'off', or must be an object"


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("plan_hash", "only with operation purge"),
        ("partitions", "only with operation rewrite"),
        ("plan_hsh", "did you mean 'plan_hash'?"),
    ],
)
def test_a_field_of_another_kind_of_body_is_told_so(field: str, hint: str) -> None:
    assert unknown_field_hint(RunSubmission, [field]) == hint


def test_hostile_names_get_no_hint_that_costs_time() -> None:
    assert unknown_field_hint(PolicyDocument, ["x" * 1_000_000]) is not None
