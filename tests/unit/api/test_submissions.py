"""The models of submissions agree with the declarations of operations."""

from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from api.schemas.runs.submissions import RunSubmission, RunToPreview
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation

CONFIRMATION = {"plan_hash", "confirm"}


@pytest.mark.parametrize("union", [RunSubmission, RunToPreview])
def test_every_operation_has_one_model(union: object) -> None:
    models = get_args(get_args(union)[0])
    named = [each for model in models for each in get_args(model.model_fields["operation"].annotation)]
    assert sorted(named) == sorted(Operation)


@pytest.mark.parametrize("operation", list(Operation))
def test_a_submission_has_the_fields_that_its_operation_declares(operation: Operation) -> None:
    declared, body = OPERATIONS[operation], {"table_id": "lake.sales.orders", "operation": operation.value}
    confirmed = body | {"plan_hash": "5f0c", "confirm": "lake.sales.orders"}
    submission: TypeAdapter[RunSubmission] = TypeAdapter(RunSubmission)
    read = submission.validate_python(confirmed if declared.needs_confirmation else body)
    assert ("grace" in type(read).model_fields) == (declared.deletes is not None)
    assert (type(read).model_fields.keys() >= CONFIRMATION) == declared.needs_confirmation
    assert (read.request().operation, read.grace_given()) == (operation, None)
    with pytest.raises(ValidationError):
        submission.validate_python(body if declared.needs_confirmation else confirmed)
