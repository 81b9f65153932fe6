"""Statistics of earlier runs for predictions: times of attempts, and measured sizes of outputs against predicted ones.

    calibration = median over the table's last runs of (measured / predicted without a calibration)

A run counts for the calibration when it rewrote exactly the planned files. The median ignores a single run with unusual
data; factors are limited to 1/4 to 4. Times are fitted in `planning.predictions.time_fits`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from engine.domain.fleet.budgets import Budget
from engine.domain.runs.plans import UNCALIBRATED, Calibration
from engine.domain.runs.run import Run
from engine.domain.runs.times import RunCosts, RunKind, RunTime
from engine.planning.predictions.time_fits import fitted_costs

LAST_RUNS: Final = 10
_FACTOR: Final = 4.0

_FIGURES: Final = ("output_files", "output_bytes", "seconds")
_SAME: Final = ("input_files", "input_bytes")


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """Statistics of earlier runs, as input of planning.

    Attributes:
        fleet: times of the newest attempts of all tables, newest first.
        table: times of the table's newest attempts, newest first.
        machine: where the run's tasks will run; None: unknown.
        limit: rates that the fleet and the catalog allow for a run without other runs.
        calibration: factors for the sizes of outputs.
        errors: median error of the last predictions without its sign (0.1: a tenth), by figure.
    """

    fleet: Sequence[RunTime] = ()
    table: Sequence[RunTime] = ()
    machine: str | None = None
    limit: Budget = Budget()  # noqa: RUF009 - immutable
    calibration: Calibration = UNCALIBRATED
    errors: Mapping[str, float] | None = None

    def costs(self, kind: RunKind) -> RunCosts:
        """Return the costs of runs of this kind on the table."""
        return fitted_costs(kind, self.machine, self.fleet, self.table)


NO_STATISTICS: Final = RunStatistics()


def calibration_of(runs: Iterable[Run]) -> Calibration:
    """Return the calibration from a table's last successful runs."""
    known = [run for run in runs if prediction_error(run.result.predicted, run.result.actual)]
    files = [ratio for run in known if (ratio := _files_ratio(run)) is not None]
    sizes = [ratio for run in known if (ratio := _bytes_ratio(run)) is not None]
    return Calibration(len(known), output_files=_bounded_median(files), output_bytes=_bounded_median(sizes))


def errors_of(runs: Iterable[Run]) -> Mapping[str, float]:
    """Return the median error of these runs' predictions without its sign, by figure."""
    found = [prediction_error(run.result.predicted, run.result.actual) or {} for run in runs]
    off = {name: [abs(error) for each in found if (error := each.get(name)) is not None] for name in _FIGURES}
    return {name: round(median(errors), 3) for name, errors in off.items() if errors}


def prediction_error(
    predicted: Mapping[str, Any] | None, actual: Mapping[str, Any] | None
) -> dict[str, float | None] | None:
    """Return the error of each predicted figure as a share of the measured one: 0.1 is a tenth too much.

    None when other files were rewritten than predicted; for a single figure, when it was not predicted or measured.
    """
    if not predicted or not actual or any(predicted.get(name) != actual.get(name) for name in _SAME):
        return None
    return {name: _off(predicted.get(name), actual.get(name)) for name in _FIGURES}


def _off(predicted: float | None, actual: float | None) -> float | None:
    return None if predicted is None or not actual else round((predicted - actual) / actual, 4)


def _files_ratio(run: Run) -> float | None:
    predicted, actual = (each.get("output_files") for each in _both(run))
    if not predicted or not actual:
        return None
    return float(actual * run.plan.get("calibration", {}).get("output_files", 1.0) / predicted)


def _bytes_ratio(run: Run) -> float | None:
    """Return the ratio of measured to predicted bytes of rows, the latter without calibration.

    None for runs planned by versions that did not predict the metadata of files separately.
    """
    used, results = run.plan.get("calibration", {}), _both(run)
    if "metadata_bytes" not in used:
        return None
    predicted, actual = (each["output_bytes"] - each["output_files"] * int(used["metadata_bytes"]) for each in results)
    if predicted <= 0 or actual <= 0:
        return None
    return float(actual * used["output_bytes"] / predicted)


def _both(run: Run) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the predicted and the measured figures of a run that has both."""
    return run.result.predicted or {}, run.result.actual or {}


def _bounded_median(ratios: Sequence[float]) -> float:
    return round(min(_FACTOR, max(1 / _FACTOR, median(ratios))), 4) if ratios else 1.0
