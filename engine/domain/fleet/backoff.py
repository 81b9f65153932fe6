"""Back-off while queries are slow: what the newest measurements of query latency come to.

A pure function of what was measured and of the time, so that a restart changes nothing and all replicas agree:

    normal --> throttled   above `throttle_above`; each further measurement above it cuts the rest once more
    normal, throttled --> paused   above `pause_above`
    throttled, paused --> normal   below `resume_below`, not before (or when nobody has measured for `FRESH`)

What is between `resume_below` and `throttle_above` changes nothing: so it does not swing to and fro.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from engine.domain.policies.documents import Backoff
from engine.domain.tables.signals import QueryLatency, Signal

FRESH: Final = timedelta(minutes=5)
"""A measurement says nothing any more after so long; a pause in measuring that is longer begins anew."""

NEWEST: Final = 100
"""So many measurements are looked at, of the table and of the fleet each."""

FLOOR: Final = 1 / 16
"""The budget is never cut below this share of it, unless `factor` itself is less."""


class Latency(NamedTuple):
    """The 95th percentile of query times, as it was told at an instant."""

    at: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class Slowdown:
    """How much slower to go.

    Attributes:
        factor: what is left of the budget, 1.0 when nothing is cut.
        is_paused: nothing may run at all.
        until: when the newest measurement no longer counts; None when none counts now.
        latency: the newest measurement, in seconds; None likewise.
    """

    factor: float = 1.0
    is_paused: bool = False
    until: datetime | None = None
    latency: float | None = None


NO_SLOWDOWN: Final = Slowdown()


def latencies_of(signals: Iterable[Signal]) -> list[Latency]:
    """Return the measurements among signals, oldest first; those without a 95th percentile say nothing here."""
    values = ((signal.id, signal.at, signal.value) for signal in signals)
    found = [
        (number, Latency(at, value.p95_seconds))
        for number, at, value in values
        if isinstance(value, QueryLatency) and value.p95_seconds is not None
    ]
    return [latency for _, latency in sorted(found)]


def slowdown_of(settings: Backoff, latencies: Sequence[Latency], now: datetime) -> Slowdown:
    """Return what measurements from one source, oldest first, come to at an instant."""
    if not latencies or now - latencies[-1].at >= FRESH:
        return NO_SLOWDOWN
    floor = min(FLOOR, settings.factor)
    factor, is_paused = 1.0, False
    before: datetime | None = None
    for at, seconds in latencies[-NEWEST:]:
        if seconds < settings.resume_below or (before is not None and at - before > FRESH):
            factor, is_paused = 1.0, False
        if seconds > settings.throttle_above:
            factor = max(floor, factor * settings.factor)
        is_paused = is_paused or seconds > settings.pause_above
        before = at
    return Slowdown(factor, is_paused, latencies[-1].at + FRESH, latencies[-1].seconds)


def stricter(one: Slowdown, other: Slowdown) -> Slowdown:
    """Return the stricter of two: one that pauses (of two the one that may last longer), else the smaller factor."""

    def strictness(each: Slowdown) -> tuple[bool, float, float]:
        ends = 0.0 if each.until is None else each.until.timestamp()
        return (True, ends, -each.factor) if each.is_paused else (False, -each.factor, ends)

    return max(one, other, key=strictness)
