"""What the last runs of a table teach about the next: how fast it goes, and by how much predictions were wrong.

    calibration = median over the last runs of (measured / what would have been predicted without a calibration)

    rate = median over the last runs of input bytes / (seconds - those that do not depend on bytes)

A run counts when it rewrote exactly what was planned, so that prediction and outcome are of the same files; its time
also has to be that of one attempt. The median takes no notice of a run that was held up, or of a table that was changed
by hand once; a factor stays between 1/4 and 4.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from engine.domain.plans import UNCALIBRATED, Calibration
from engine.domain.runs import Run
from engine.planning.estimates import fixed_seconds

LAST_RUNS: Final = 10
_FACTOR: Final = 4.0
_LEAST_MOVING: Final = 0.1
"""Of a run's time at least such a share is taken to be for moving bytes, however short it was."""

_FIGURES: Final = ("output_files", "output_bytes", "seconds")
_SAME: Final = ("input_files", "input_bytes")


@dataclass(frozen=True, slots=True)
class Experience:
    """What is known before planning.

    `rate`: input bytes per second of a run while it moves them, None before the first. `errors`: how far predictions
    were off in the middle (0.1: by a tenth), by figure; only figures of which there is one.
    """

    rate: float | None = None
    calibration: Calibration = UNCALIBRATED
    errors: Mapping[str, float] | None = None


NO_EXPERIENCE: Final = Experience()


def experience(runs: Iterable[Run]) -> Experience:
    """Return what these runs teach: those of one table that succeeded last."""
    ended = list(runs)
    known = [run for run in ended if prediction_error(run.result.get("predicted"), run.result.get("actual"))]
    ratios = {name: [ratio for run in known if (ratio := _ratio(run, name)) is not None] for name in _FIGURES}
    off = {name: [abs(error) for run in known if (error := _error(run, name)) is not None] for name in _FIGURES}
    rates = [rate for run in ended if (rate := _rate(run)) is not None]
    return Experience(
        median(rates) if rates else None,
        Calibration(len(known), **{name: _middle(found) for name, found in ratios.items()}),
        {name: round(median(found), 3) for name, found in off.items() if found},
    )


def prediction_error(
    predicted: Mapping[str, Any] | None, actual: Mapping[str, Any] | None
) -> dict[str, float | None] | None:
    """Return by how much each figure was off, as a share of what was measured: 0.1 is a tenth too much.

    None when something else was rewritten than was predicted; of a figure when nothing was predicted or measured.
    """
    if not predicted or not actual or any(predicted.get(name) != actual.get(name) for name in _SAME):
        return None
    return {name: _off(predicted.get(name), actual.get(name)) for name in _FIGURES}


def _off(predicted: float | None, actual: float | None) -> float | None:
    return None if predicted is None or not actual else round((predicted - actual) / actual, 4)


def _error(run: Run, name: str) -> float | None:
    errors = prediction_error(run.result.get("predicted"), run.result.get("actual")) or {}
    return None if name == "seconds" and run.attempt != 1 else errors.get(name)


def _rate(run: Run) -> float | None:
    actual = run.result.get("actual") or {}
    seconds = float(actual.get("seconds") or 0.0)
    if run.attempt != 1 or seconds <= 0 or not actual.get("input_bytes"):
        return None
    moving = max(seconds - fixed_seconds(int(actual["input_files"])), _LEAST_MOVING * seconds)
    return float(actual["input_bytes"]) / moving


def _ratio(run: Run, name: str) -> float | None:
    """Return measured by predicted, the latter without the calibration that it was made with.

    Of seconds only those count that depend on bytes.
    """
    predicted, actual = run.result["predicted"].get(name), run.result["actual"].get(name)
    if not predicted or not actual or (name == "seconds" and run.attempt != 1):
        return None
    if name == "seconds":
        fixed = fixed_seconds(int(run.result["actual"]["input_files"]))
        predicted, actual = (max(each - fixed, _LEAST_MOVING * each) for each in (predicted, actual))
    return float(actual * run.plan.get("calibration", {}).get(name, 1.0) / predicted)


def _middle(ratios: Sequence[float]) -> float:
    return round(min(_FACTOR, max(1 / _FACTOR, median(ratios))), 4) if ratios else 1.0
