"""How long a lane takes for file groups."""

import pytest

from engine.domain.fleet.budgets import Budget
from engine.domain.runs.files import InputFile
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.times import EstimateSource, RunCosts, TimeEstimate
from engine.services.operations.tasks.lane_times import LaneTimes

COSTS = RunCosts(10.0, 1.0, 0.1, 1e-3, EstimateSource.TABLE, 3)


def a_group(size: int, files: int = 1) -> FileGroup:
    inputs = tuple(InputFile(f"{at}", size // files, 1, 1) for at in range(files))
    return FileGroup(0, 0, "{}", inputs, 1)


def test_groups_and_files_cost_time_that_what_was_measured_in_the_run_corrects() -> None:
    assert LaneTimes(TimeEstimate(costs=COSTS)).seconds([a_group(1000, files=10), a_group(500)]) == pytest.approx(4.6)
    times = LaneTimes(TimeEstimate(costs=COSTS))
    times.add([a_group(900)], 4.0)  # twice the estimate
    assert times.seconds([a_group(900)]) == pytest.approx(4.0)
    assert times.evidence == "measured in this run"
    times = LaneTimes(TimeEstimate(costs=COSTS))
    times.add([a_group(900)], 1e6)
    for _ in range(8):
        times.add([a_group(900)], 2.0)
    assert times.seconds([a_group(900)]) == pytest.approx(2.0)


def test_the_less_was_measured_the_less_time_a_group_surely_takes_except_by_a_limit() -> None:
    group = [a_group(900)]
    weak, strong = (
        LaneTimes(TimeEstimate(costs=RunCosts(0, 1.0, 0.1, 1e-3, source, runs))).least_seconds(group)
        for source, runs in ((EstimateSource.PRIOR, 0), (EstimateSource.TABLE, 3))
    )
    assert (weak, strong) == (pytest.approx(0.2), pytest.approx(2.0 / 1.5))
    limited = TimeEstimate(costs=RunCosts(0, 0, 0, 1e-6), lanes=2, limit=Budget(100.0, None))
    times = LaneTimes(limited)
    assert times.seconds([a_group(1000)]) == pytest.approx(40.0)  # read and written, by half of the limit
    assert times.least_seconds([a_group(1000)]) == pytest.approx(10.0)
