"""How long a lane is expected to take."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from engine.domain.files import InputFile
from engine.domain.ids import RunId
from engine.domain.plans import Prediction
from engine.domain.runs import GroupState, StoredGroup
from engine.services.lane_rates import LaneRate, expected_rate

PREDICTION = Prediction(10, 1000, 10, 1, 1000, seconds=5.0)
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def test_nobody_knows_before_anything_was_measured() -> None:
    assert LaneRate(None).seconds(1000) is None
    assert expected_rate((), replace(PREDICTION, seconds=None), 4) is None


def test_the_plan_is_for_all_lanes_together() -> None:
    assert expected_rate((), PREDICTION, 4) == 50.0
    assert LaneRate(50.0).seconds(1000) == 20.0


def test_what_was_measured_counts_instead_of_what_was_expected() -> None:
    rate = LaneRate(50.0)
    rate.add(1000, 1.0)
    rate.add(500, 2.0)
    assert rate.seconds(1000) == 2.0


def test_only_the_newest_measurements_count() -> None:
    rate = LaneRate(None)
    rate.add(10**9, 1.0)
    for _ in range(8):
        rate.add(10, 1.0)
    assert rate.seconds(100) == pytest.approx(10.0)


def test_an_earlier_attempt_lends_what_it_measured() -> None:
    file = InputFile("s3://lake/1.parquet", file_bytes=600, record_count=1, sequence_number=1)
    measured = {"seconds_reading": 1.0, "seconds_working": 1.5, "seconds_writing": 0.5, "throttled_seconds": 9.0}
    done = StoredGroup(
        RunId("run_1"), 0, GroupState.COMMITTED, 1, 0, "{}", (file,), 1, (), 0, measured, None, None, NOW
    )
    assert expected_rate([done], PREDICTION, 4) == 200.0
