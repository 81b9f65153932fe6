"""How many outputs, how many seconds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.files import DeleteRef, InputFile
from engine.domain.plans import FileGroup
from engine.domain.policies import EffectivePolicy, PolicyDocument, effective_policy
from engine.planning.estimates import fixed_seconds, output_count, output_counts, predict, predicted_requests

MIB = 2**20
UNLIMITED = effective_policy(table_properties={}, own=None)


def policy(**limits: object) -> EffectivePolicy:
    own = PolicyDocument.model_validate({"limits": limits})
    return effective_policy(table_properties={}, own=own)


FIXED = fixed_seconds(2)
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


def test_without_a_measured_rate_no_time_is_predicted() -> None:
    assert predict([GROUP], live_share=[1.0], policy=UNLIMITED, rate=None).seconds is None


def test_time_follows_the_measured_rate() -> None:
    assert predict([GROUP], live_share=[1.0], policy=UNLIMITED, rate=10 * MIB).seconds == pytest.approx(12 + FIXED)


def test_a_bandwidth_below_the_rate_makes_the_prediction_longer() -> None:
    limited = policy(bandwidth="10MiB")
    assert predict([GROUP], live_share=[1.0], policy=limited, rate=100 * MIB).seconds == pytest.approx(24 + FIXED)


def test_deleted_rows_are_taken_off_the_expected_bytes() -> None:
    assert predict([GROUP], live_share=[0.5], policy=UNLIMITED, rate=None).output_bytes == 60 * MIB


def test_a_small_input_is_opened_and_read_with_two_requests_and_an_output_is_created_sent_and_looked_up() -> None:
    group = FileGroup(0, 0, "{}", (InputFile("a", MIB, 10, 1), InputFile("b", MIB, 10, 1)), 1)
    assert predicted_requests([group], output_bytes=2 * MIB) == 2 * 2 + 3 + 1


def test_a_large_input_is_read_by_row_groups_and_deletes_are_read_too() -> None:
    inputs = (InputFile("a", 300 * MIB, 10, 1, (DeleteRef("d", 9),)),)
    assert predicted_requests([FileGroup(0, 0, "{}", inputs, 2)], output_bytes=300 * MIB) == (2 + 3) + 2 + 2 * 3 + 30
