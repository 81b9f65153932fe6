"""How many outputs, how many seconds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.fleet.budgets import Budget
from engine.domain.runs.files import DeleteRef, InputFile
from engine.domain.runs.plans import Calibration, FileGroup, Plan
from engine.domain.runs.times import RunCosts, TimeEstimate
from engine.planning.predictions.estimates import narrowed, output_count, output_counts, predict, predicted_requests

MIB = 2**20
TIME = TimeEstimate(costs=RunCosts(5.0, 1.0, 0.5, 1 / (10 * MIB)))
FIXED = 5.0 + 1.0 + 2 * 0.5
GROUP = FileGroup(0, 0, "{}", (InputFile("a", 60 * MIB, 10, 1), InputFile("b", 60 * MIB, 10, 1)), 1)


@given(st.integers(0, 2**50), st.integers(1, 2**34))
def test_no_output_is_too_large_and_none_is_a_sliver(total: int, target: int) -> None:
    count = output_count(total, target)
    assert 3 * total < 5 * target * count
    assert count == 1 or 6 * total >= 5 * target * count


@given(st.lists(st.integers(0, 2**50), max_size=20), st.integers(1, 2**34))
def test_arrays_are_counted_as_single_totals_are(totals: list[int], target: int) -> None:
    counts = output_counts(np.array(totals, dtype=np.int64), target)
    assert counts.tolist() == [output_count(total, target) for total in totals]


def test_time_has_fixed_costs_and_a_rate_that_lanes_share() -> None:
    assert predict([GROUP], live_share=[1.0], time=TIME).seconds == pytest.approx(FIXED + 12)
    groups = [replace(GROUP, ordinal=at) for at in range(4)]
    found = predict(groups, live_share=[1.0] * 4, time=replace(TIME, lanes=4))
    assert found.seconds == pytest.approx(FIXED + 12)
    assert predict([], live_share=[], time=TIME).seconds == 0.0


def test_a_limit_of_bandwidth_or_requests_makes_the_prediction_longer() -> None:
    limited = replace(TIME, limit=Budget(5 * MIB, None))
    assert predict([GROUP], live_share=[1.0], time=limited).seconds == pytest.approx(5 + 48)
    requests = predicted_requests([GROUP], output_bytes=120 * MIB)
    limited = replace(TIME, limit=Budget(None, 0.1))
    assert predict([GROUP], live_share=[1.0], time=limited).seconds == pytest.approx(5 + requests / 0.1)


def test_deleted_rows_and_the_metadata_of_inputs_are_not_expected_in_outputs() -> None:
    assert predict([GROUP], live_share=[0.5], time=TIME).output_bytes == 60 * MIB
    inputs = tuple(InputFile(f"{at}", 6_000, 10, 1) for at in range(100))
    group = FileGroup(0, 0, "{}", inputs, 1)
    found = predict([group], live_share=[1.0], time=TIME, calibration=Calibration(metadata_bytes=5_700))
    assert found.output_bytes == 100 * 300 + 5_700


def test_a_plan_with_some_of_its_groups_takes_the_time_of_those() -> None:
    groups = [replace(GROUP, ordinal=at) for at in range(4)]
    learnt = Calibration(3, output_files=0.25, output_bytes=0.5)
    found = predict(groups, live_share=[1.0] * 4, time=TIME, calibration=learnt)
    assert (found.output_files, found.output_bytes) == (4, 240 * MIB)
    part = narrowed(Plan(1, 0, tuple(groups), (), 0, found, calibration=learnt, time=TIME), groups[:1]).prediction
    assert (part.output_files, part.output_bytes) == (1, 60 * MIB)
    assert part.seconds == pytest.approx(FIXED + 12)


def test_small_files_take_one_request_each_and_large_ones_one_for_each_row_group_and_their_deletes() -> None:
    group = FileGroup(0, 0, "{}", (InputFile("a", MIB, 10, 1), InputFile("b", MIB, 10, 1)), 1)
    assert predicted_requests([group], output_bytes=2 * MIB) == 2 + 1
    inputs = (InputFile("a", 300 * MIB, 10, 1, (DeleteRef("d", 9),)),)
    assert predicted_requests([FileGroup(0, 0, "{}", inputs, 2)], output_bytes=300 * MIB) == (1 + 3) + 1 + 2 * (4 + 15)
