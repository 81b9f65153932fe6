"""What earlier runs teach about the next."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.files import InputFile
from engine.domain.ids import RunId, TableId
from engine.domain.plans import Calibration, FileGroup, Plan
from engine.domain.policies import effective_policy
from engine.domain.runs import Operation, Run, RunState
from engine.planning.estimates import fixed_seconds, predict
from engine.planning.experience import NO_EXPERIENCE, experience, prediction_error

NOW = datetime(2026, 11, 21, tzinfo=UTC)
FIXED = fixed_seconds(20)
POLICY = effective_policy(table_properties={})
GROUPS = [
    FileGroup(number, 0, "{}", tuple(InputFile(f"{number}/{at}", 100, 1, 1) for at in range(5)), 2)
    for number in range(4)
]


def figures(**given: float | None) -> dict[str, Any]:
    known = {"input_files": 20, "input_bytes": 2000, "output_files": 8, "output_bytes": 2000, "seconds": 10.0 + FIXED}
    return known | given


def a_run(
    predicted: dict[str, Any], actual: dict[str, Any], *, used: Calibration | None = None, attempt: int = 1
) -> Run:
    result = {"predicted": predicted, "actual": actual, "input_bytes_per_second": 2000 / actual["seconds"]}
    run = Run(RunId("run_1"), TableId("tbl_1"), Operation.REWRITE, RunState.SUCCEEDED, "x", NOW, NOW, attempt=attempt)
    plan = {} if used is None else {"calibration": {name: getattr(used, name) for name in Calibration.__slots__}}
    return replace(run, result=result, plan=plan)


def test_without_runs_nothing_is_known():
    assert experience([]) == replace(NO_EXPERIENCE, errors={})


def test_the_middle_run_counts_and_one_that_went_wrong_does_not():
    ran = ((1000, 20 + FIXED), (1100, 21 + FIXED))
    runs = [a_run(figures(), figures(output_bytes=size, seconds=seconds)) for size, seconds in ran]
    found = experience([*runs, a_run(figures(), figures(output_bytes=9, seconds=500))])
    assert (found.calibration.output_bytes, found.calibration.seconds) == (0.5, 2.1)
    assert found.calibration.output_files == 1.0
    assert found.rate == pytest.approx(2000 / 21)


def test_a_small_run_teaches_the_rate_of_a_large_one():
    """What a run takes besides moving bytes is taken off before, and put back for the files of the next."""
    small = a_run(figures(), figures(input_bytes=100, seconds=1.0 + FIXED))
    assert experience([small]).rate == pytest.approx(100)
    huge = [replace(each, inputs=(replace(each.inputs[0], file_bytes=10**6),)) for each in GROUPS]
    found = predict(huge, live_share=[1.0] * 4, policy=POLICY, rate=100.0)
    assert found.seconds == pytest.approx(4 * 10**4 + fixed_seconds(4))


def test_a_run_that_was_over_at_once_still_has_a_rate():
    assert experience([a_run(figures(), figures(seconds=FIXED / 2))]).rate == pytest.approx(2000 / (FIXED / 20))


def test_a_factor_is_bounded():
    found = experience([a_run(figures(), figures(output_bytes=1, seconds=1000))]).calibration
    assert (found.output_bytes, found.seconds) == (0.25, 4.0)


def test_a_run_that_lost_groups_teaches_its_rate_only():
    found = experience([a_run(figures(), figures(input_files=10, input_bytes=1000, output_bytes=1))])
    assert found.calibration == Calibration()
    assert found.rate == pytest.approx(1000 / (10.0 + FIXED - fixed_seconds(10)))


def test_the_time_of_a_later_attempt_teaches_nothing():
    found = experience([a_run(figures(), figures(seconds=90, output_bytes=1000), attempt=2)])
    assert (found.calibration.seconds, found.calibration.output_bytes) == (1.0, 0.5)
    assert found.errors == {"output_files": 0.0, "output_bytes": 1.0}


@given(st.floats(0.3, 3.5), st.integers(2, 12))
def test_what_is_learnt_stays_learnt(truth: float, runs: int):
    """A prediction that is right because of its calibration must not unlearn it."""
    done: list[Run] = []
    for _ in range(runs):
        used = experience(done[-10:]).calibration
        predicted = figures(output_bytes=round(2000 * used.output_bytes))
        done.append(a_run(predicted, figures(output_bytes=round(2000 * truth)), used=used))
    found = experience(done[-10:])
    assert found.calibration.output_bytes == pytest.approx(truth, rel=0.01)
    assert abs(prediction_error(done[-1].result["predicted"], done[-1].result["actual"])["output_bytes"]) < 0.01


def test_a_prediction_is_multiplied_by_what_was_learnt_with_an_output_for_each_group_at_least():
    learnt = Calibration(3, output_files=0.25, output_bytes=0.5, seconds=2.0)
    found = predict(GROUPS, live_share=[1.0] * 4, policy=POLICY, rate=200.0, calibration=learnt)
    assert (found.output_files, found.output_bytes, found.seconds) == (4, 1000, pytest.approx(20.0 + FIXED))
    part = Plan(1, 0, tuple(GROUPS), (), 0, found, learnt).only(GROUPS[:1])
    assert (part.prediction.output_files, part.prediction.output_bytes) == (1, 250)
    assert part.prediction.seconds == pytest.approx((20.0 + FIXED) / 4)


@pytest.mark.parametrize(
    ("predicted", "actual"), [(None, figures()), (figures(), None), (figures(), figures(input_files=19)), ({}, {})]
)
def test_what_was_not_done_as_planned_has_no_error(predicted: Any, actual: Any):
    assert prediction_error(predicted, actual) is None


def test_errors_are_shares_of_what_was_measured():
    errors = prediction_error(figures(seconds=None), figures(output_bytes=1600, output_files=10))
    assert errors == {"output_files": -0.2, "output_bytes": 0.25, "seconds": None}
