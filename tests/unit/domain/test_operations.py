"""Declarations of operations: all of them, and the same as what the parts that act on them have."""

from engine.domain.policies import DEFAULTS
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation
from engine.services.planning.upkeep.operations import UPKEEP


def test_every_operation_is_declared_once_with_texts_of_its_own() -> None:
    assert set(OPERATIONS) == set(Operation)
    assert len({each.title for each in OPERATIONS.values()}) == len(OPERATIONS)
    assert all(each.summary.endswith(".") for each in OPERATIONS.values())


def test_what_a_setting_switches_on_has_a_plan_and_runs_in_the_declared_order() -> None:
    assert list(UPKEEP) == [each.operation for each in OPERATIONS.values() if each.setting]
    assert {each.setting for each in OPERATIONS.values() if each.setting} <= DEFAULTS.keys()
