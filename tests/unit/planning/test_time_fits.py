"""Costs of runs from times of attempts."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.ids import TableId
from engine.domain.runs.times import EstimateSource, RunCosts, RunKind, RunSize, RunTime, assumed_costs
from engine.planning.predictions.time_fits import fitted_costs

MB = 10**6
TRUTH = RunCosts(2.5, 0.4, 0.02, 1 / (12 * MB))
"""A slow machine: no cost is the assumed one."""


def a_time(
    size: RunSize, seconds: float, *, table: str = "t", machine: str = "m", kind: RunKind = RunKind.PACK
) -> RunTime:
    return RunTime(TableId(table), machine, kind, size, seconds)


def history(count: int, seed: int = 1, truth: RunCosts = TRUTH, **of: str) -> list[RunTime]:
    """Times of attempts of many sizes around the truth: most within a third, one in eight held up tenfold."""
    random, times = Random(seed), []
    for number in range(count):
        groups = random.choice([1, 1, 2, 8, 30])
        size = RunSize(groups, random.randint(5, 400), round(10 ** random.uniform(4, 9)), lanes=min(groups, 2))
        noise = 10.0 if number % 8 == 5 else math.exp(random.gauss(0, 0.2))
        times.append(a_time(size, truth.seconds(size) * noise, **of))
    return times


TINY, LARGE = RunSize(1, 16, 95_000), RunSize(1, 39, 37 * MB)


def test_before_the_first_run_costs_are_assumed() -> None:
    found = fitted_costs(RunKind.PACK, None, [], [])
    assert found == assumed_costs(RunKind.PACK)
    assert (found.source, found.seconds(TINY) < 2, 2 < found.seconds(LARGE) < 4) == (EstimateSource.PRIOR, True, True)


def test_a_tiny_first_run_does_not_predict_minutes_nor_a_large_one_no_fixed_cost() -> None:
    """16 files of 6 kB took 4.9 s in a cold session; one rate for all predicted 273 s for 37 MB that took 3.3 s."""
    first = a_time(TINY, 4.92, table="first")
    found = fitted_costs(RunKind.PACK, "m", [first], []).seconds(LARGE)
    assert 1.0 < found < 10.0
    large = [a_time(RunSize(8, 400, 4000 * MB, lanes=2), 40.0, table="large")] * 12
    assert fitted_costs(RunKind.PACK, "m", large, []).seconds(TINY) > 0.3


@pytest.mark.parametrize("runs", [30, 200])
def test_many_runs_teach_every_cost_whatever_held_some_of_them_up(runs: int) -> None:
    found = fitted_costs(RunKind.PACK, "m", history(runs), [])
    for size in (TINY, LARGE, RunSize(24, 240, 3 * MB, lanes=2), RunSize(1, 5, 900 * MB)):
        assert found.seconds(size) == pytest.approx(TRUTH.seconds(size), rel=0.35), size


def test_a_slow_table_teaches_its_own_costs_and_one_run_that_was_held_up_moves_them_little() -> None:
    own = [a_time(LARGE, 30.0, table="wide")] * 4
    found = fitted_costs(RunKind.PACK, "m", [*own, *history(100, table="other")], own)
    assert (found.source, found.runs) == (EstimateSource.TABLE, 4)
    assert found.seconds(LARGE) == pytest.approx(30.0, rel=0.25)
    usual = [a_time(LARGE, 4.0)] * 8
    found = fitted_costs(RunKind.PACK, "m", [], [a_time(LARGE, 400.0), *usual])
    assert found.seconds(LARGE) < 6.0


def test_another_machine_counts_less_than_the_same_one() -> None:
    here = [a_time(LARGE, 3.0, machine="fast", table=f"{at}") for at in range(10)]
    there = [a_time(LARGE, 30.0, machine="slow", table=f"{at}") for at in range(10)]
    mixed = [time for pair in zip(here, there, strict=True) for time in pair]
    fast, slow = (fitted_costs(RunKind.PACK, machine, mixed, []).seconds(LARGE) for machine in ("fast", "slow"))
    assert fast < 5.0
    assert slow > 15.0


def test_a_kind_without_runs_takes_the_speed_of_the_machine_from_others() -> None:
    assumed = assumed_costs(RunKind.SORT).seconds(LARGE)
    found = fitted_costs(RunKind.SORT, "m", history(60), [])
    assert found.source is EstimateSource.FLEET
    assert found.seconds(LARGE) > 1.5 * assumed


amounts = st.integers(0, 2**50)
times = st.builds(
    a_time,
    st.builds(RunSize, st.integers(0, 10**6), amounts, amounts, st.integers(0, 100)),
    st.floats(allow_nan=True, allow_infinity=True),
    machine=st.sampled_from(["m", "n"]),
    kind=st.sampled_from(RunKind),
)


@given(
    st.lists(times, max_size=12),
    st.lists(times, max_size=6),
    st.sampled_from(RunKind),
    st.builds(RunSize, st.integers(1, 10**6), amounts, amounts),
)
def test_an_estimate_is_a_positive_number_whatever_was_measured(
    fleet: list[RunTime], table: list[RunTime], kind: RunKind, size: RunSize
) -> None:
    found = fitted_costs(kind, None, fleet, table)
    assert all(0 < cost < math.inf for cost in (found.run_seconds, found.group_seconds, found.byte_seconds))
    assert 0 < found.seconds(size) < math.inf
