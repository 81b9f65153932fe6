"""Robust fit of run costs to measured attempts, regularised towards more general estimates.

The costs of a kind of run are its assumed costs (`domain.runs.times`) times four factors, one for each cost. The
factors are fitted to logarithms of seconds, level by level: to attempts of the whole fleet, then to those of the kind
on the machine, then to those of the table. Each level starts at the factors of the previous one and differs from them
only as far as its attempts show: a normal prior over the logarithms, with a common part (a slow machine is slow at
everything) and a part for each cost. Logarithms keep every cost positive and give half and twice the time errors of
equal size; residuals beyond 1.5 standard deviations count by their square root (Huber), so that one delayed attempt has
little effect. Newer attempts have more weight.

The optimum is found by iteratively reweighted Gauss-Newton steps on four unknowns: below a millisecond per level.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.domain.runs.times import EstimateSource, RunCosts, RunKind, RunTime, assumed_costs

Floats = npt.NDArray[np.float64]

_NOISE: Final = 0.3
"""Standard deviation of the logarithm of an attempt's seconds around its model: about 30 %."""

_STEPS: Final = 20
_LONGEST_STEP: Final = 1.0
_MOST: Final = log(100.0)
"""Limit of the change of a cost by one level: a factor of 100."""


@dataclass(frozen=True, slots=True)
class _Level:
    """Prior of one level: standard deviations of the logarithms of factors, and the half-life of an attempt's weight.

    `common`: of all costs together. `each`: by cost (run, group, file, byte); tables differ more in the costs of files
    and bytes than in the cost of a run.
    """

    source: EstimateSource
    common: float
    each: tuple[float, float, float, float]
    half_life: float

    @property
    def precision(self) -> Floats:
        covariance = self.common**2 * np.ones((4, 4)) + np.diag(np.square(self.each))
        found: Floats = np.linalg.inv(covariance)
        return found


_FLEET: Final = _Level(EstimateSource.FLEET, common=0.8, each=(0.8, 0.8, 0.8, 0.8), half_life=10.0)
_KIND: Final = _Level(EstimateSource.KIND, common=0.3, each=(0.2, 0.3, 0.5, 0.5), half_life=10.0)
_TABLE: Final = _Level(EstimateSource.TABLE, common=0.2, each=(0.2, 0.3, 0.5, 0.5), half_life=6.0)


def fitted_costs(kind: RunKind, machine: str | None, fleet: Sequence[RunTime], table: Sequence[RunTime]) -> RunCosts:
    """Return the costs of a kind of run.

    Args:
        kind: the way of rewriting.
        machine: where its tasks run; None: the machine of the newest attempt.
        fleet: attempts of all tables, newest first.
        table: attempts of its table, newest first.
    """
    here = machine or next((time.machine for time in (*table, *fleet)), None)
    own = [time for time in table if time.kind is kind]
    alike = [time for time in fleet if time.kind is kind and time.machine == here]
    factors, source, runs = np.ones(4), EstimateSource.PRIOR, 0
    for level, times in ((_FLEET, list(fleet)), (_KIND, alike), (_TABLE, own)):
        usable = [time for time in times if _is_usable(time)]
        if usable:
            factors, source, runs = factors * _multipliers(usable, factors, level), level.source, len(usable)
    run, group, file, byte = (float(cost) for cost in factors * _vector(assumed_costs(kind)))
    return RunCosts(run, group, file, byte, source, runs)


def _is_usable(time: RunTime) -> bool:
    return 0.0 < time.seconds < float("inf") and time.size.groups > 0


def _multipliers(times: Sequence[RunTime], before: Floats, level: _Level) -> Floats:
    """Return the multipliers of the four factors that fit these attempts."""
    parts = _parts(times) * before
    measured = np.log([time.seconds for time in times])
    newness = 0.5 ** (np.arange(len(times)) / level.half_life) / _NOISE**2
    precision, theta = level.precision, np.zeros(4)
    for _ in range(_STEPS):
        scaled = parts * np.exp(theta)
        predicted = scaled.sum(axis=1)
        slope = scaled / predicted[:, None]
        off = measured - np.log(predicted)
        weights = newness * np.minimum(1.0, 1.5 * _NOISE / np.maximum(np.abs(off), 1e-9))
        curvature = slope.T @ (weights[:, None] * slope) + precision
        step = np.linalg.solve(curvature, slope.T @ (weights * off) - precision @ theta)
        theta = np.clip(theta + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), -_MOST, _MOST)
        if np.abs(step).max() < 1e-4:  # noqa: PLR2004 - converged
            break
    found: Floats = np.exp(theta)
    return found


def _parts(times: Sequence[RunTime]) -> Floats:
    """Return the seconds by the assumed costs of the attempts' kinds: one row per attempt, one column per cost."""
    amounts = [(max(1, each.lanes), each.groups, each.files, each.bytes) for each in (time.size for time in times)]
    lanes = np.array([float(row[0]) for row in amounts])  # they cancel out in the run's own cost
    assumed = {kind: _vector(assumed_costs(kind)) for kind in {time.kind for time in times}}
    found: Floats = np.array(amounts, dtype=np.float64) * np.array([assumed[time.kind] for time in times])
    found /= lanes[:, None]
    return found


def _vector(costs: RunCosts) -> Floats:
    return np.array([costs.run_seconds, costs.group_seconds, costs.file_seconds, costs.byte_seconds])
