"""Back-off while queries are slow: the slowdown that results from the newest measurements of query latency.

A pure function of the measurements and the time, so that a restart changes nothing and all replicas agree:

    normal --> throttled   above `throttle_above`; each further measurement above it cuts the remaining budget again
    normal, throttled --> paused   above `pause_above`
    throttled, paused --> normal   below `resume_below`, not before (or after `FRESH` without a measurement)

Values between `resume_below` and `throttle_above` change nothing, so that the state does not oscillate.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from engine.domain.policies.documents.document import Backoff
from engine.domain.tables.signals import QueryLatency, Signal

FRESH: Final = timedelta(minutes=5)
"""Age after which a measurement no longer counts; after a longer gap between measurements the state is reset."""

NEWEST: Final = 100
"""The most measurements that are considered, of the table and of the fleet each."""

FLOOR: Final = 1 / 16
"""The least share of the budget that remains after cuts, unless `factor` itself is less."""


class Latency(NamedTuple):
    """The 95th percentile of query times, as reported at an instant."""

    at: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class Slowdown:
    """By how much rewrites are slowed down.

    Attributes:
        factor: the remaining share of the budget, 1.0 when nothing is cut.
        is_paused: no rewrite may run.
        until: when the newest measurement no longer counts; None when none counts now.
        latency: the newest measurement, in seconds; None when none counts now.
    """

    factor: float = 1.0
    is_paused: bool = False
    until: datetime | None = None
    latency: float | None = None


NO_SLOWDOWN: Final = Slowdown()


def latencies_of(signals: Iterable[Signal]) -> list[Latency]:
    """Return the latency measurements among signals, oldest first, without those that have no 95th percentile."""
    values = ((signal.id, signal.at, signal.value) for signal in signals)
    found = [
        (number, Latency(at, value.p95_seconds))
        for number, at, value in values
        if isinstance(value, QueryLatency) and value.p95_seconds is not None
    ]
    return [latency for _, latency in sorted(found)]


def slowdown_of(settings: Backoff, latencies: Sequence[Latency], now: datetime) -> Slowdown:
    """Return the slowdown at an instant that results from measurements of one source, oldest first."""
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
    """Return the stricter of two: the one that pauses (if both do, the longer one), otherwise the smaller factor."""

    def strictness(each: Slowdown) -> tuple[bool, float, float]:
        ends = 0.0 if each.until is None else each.until.timestamp()
        return (True, ends, -each.factor) if each.is_paused else (False, -each.factor, ends)

    return max(one, other, key=strictness)
