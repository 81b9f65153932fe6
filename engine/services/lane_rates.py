"""How fast one lane of a run is: what the prediction goes by of how long a bundle of file groups takes."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from engine.domain.plans import Prediction
from engine.domain.runs import GroupOutline

_NEWEST: Final = 8
_PARTS: Final = ("seconds_reading", "seconds_working", "seconds_writing")


class LaneRate:
    """Input bytes per second of one lane: measured over the newest bundles, before the first as `expected`."""

    def __init__(self, expected: float | None) -> None:
        self._expected = expected
        self._measured: deque[tuple[int, float]] = deque(maxlen=_NEWEST)

    def add(self, input_bytes: int, seconds: float) -> None:
        """Count a bundle that a lane has worked through."""
        self._measured.append((input_bytes, seconds))

    def seconds(self, input_bytes: int) -> float | None:
        """Return how long a lane takes for so many bytes; None while nobody knows."""
        rate = self._expected
        if self._measured:
            total, time = (sum(column) for column in zip(*self._measured, strict=True))
            rate = total / time if time > 0 else None
        return None if rate is None or rate <= 0 else input_bytes / rate


def expected_rate(done: Iterable[GroupOutline], prediction: Prediction, lanes: int) -> float | None:
    """Return the rate to expect of a lane: what earlier attempts of the run measured, else the plan's."""
    measured = [(group.input_bytes, sum(float(group.measured.get(part, 0)) for part in _PARTS)) for group in done]
    seconds = sum(time for _, time in measured)
    if seconds > 0:
        return sum(size for size, _ in measured) / seconds
    return prediction.input_bytes / prediction.seconds / lanes if prediction.seconds else None
