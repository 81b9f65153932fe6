"""How sizes of outputs are corrected by what earlier runs measured."""

from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.ids import RunId, TableId
from engine.domain.runs.plans import UNCALIBRATED, Calibration
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import Operation, Run, RunState
from engine.planning.predictions.run_statistics import calibration_of, errors_of, prediction_error

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def figures(**given: float | None) -> dict[str, Any]:
    known = {"input_files": 20, "input_bytes": 2000, "output_files": 8, "output_bytes": 2000, "seconds": 10.0}
    return known | given


def a_run(predicted: dict[str, Any], actual: dict[str, Any], *, used: Calibration | None = UNCALIBRATED) -> Run:
    result = {"predicted": predicted, "actual": actual}
    run = Run(RunId("run_1"), TableId("tbl_1"), Operation.REWRITE, RunState.SUCCEEDED, "x", NOW, NOW, attempt=1)
    return replace(run, result=RunResult(result), plan={} if used is None else {"calibration": asdict(used)})


def test_the_middle_run_counts_within_bounds_and_errors_are_shares_of_what_was_measured() -> None:
    assert (calibration_of([]), errors_of([])) == (Calibration(), {})
    runs = [a_run(figures(), figures(output_bytes=size)) for size in (1000, 1100, 9)]
    assert calibration_of(runs) == Calibration(3, output_files=1.0, output_bytes=0.5)
    assert calibration_of([a_run(figures(), figures(output_bytes=1))]).output_bytes == 0.25
    errors = prediction_error(figures(seconds=None), figures(output_bytes=1600, output_files=10))
    assert errors == {"output_files": -0.2, "output_bytes": 0.25, "seconds": None}


def test_metadata_is_in_no_factor_and_runs_on_other_files_or_without_its_prediction_teach_nothing() -> None:
    used = Calibration(metadata_bytes=100)
    run = a_run(figures(output_files=1, output_bytes=500), figures(output_files=2, output_bytes=1000), used=used)
    assert calibration_of([run]).output_bytes == pytest.approx(2.0)
    runs = [a_run(figures(), figures(output_bytes=400), used=None)]
    assert calibration_of(runs) == Calibration(1)
    runs = [a_run(figures(), figures(input_files=10, output_bytes=1))]
    assert (calibration_of(runs), errors_of(runs)) == (Calibration(), {})


@given(st.floats(0.3, 3.5), st.integers(2, 12), st.integers(0, 100))
def test_what_is_learnt_stays_learnt(truth: float, runs: int, metadata: int) -> None:
    """A prediction that is right because of its calibration must not unlearn it."""
    done: list[Run] = []
    for _ in range(runs):
        used = replace(calibration_of(done[-10:]), metadata_bytes=metadata)
        fixed = 8 * metadata
        predicted = figures(output_bytes=round(2000 * used.output_bytes) + fixed)
        done.append(a_run(predicted, figures(output_bytes=round(2000 * truth) + fixed), used=used))
    assert calibration_of(done[-10:]).output_bytes == pytest.approx(truth, rel=0.01)
    assert errors_of(done[-1:])["output_bytes"] < 0.01


@pytest.mark.parametrize(
    ("predicted", "actual"), [(None, figures()), (figures(), None), (figures(), figures(input_files=19)), ({}, {})]
)
def test_what_was_not_done_as_planned_has_no_error(predicted: Any, actual: Any) -> None:
    assert prediction_error(predicted, actual) is None
