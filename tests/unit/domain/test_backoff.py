"""Back-off while queries are slow: a pure function of what was measured, with hysteresis."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.fleet.backoff import (
    FLOOR,
    FRESH,
    NEWEST,
    NO_SLOWDOWN,
    Latency,
    Slowdown,
    latencies_of,
    slowdown_of,
    stricter,
)
from engine.domain.ids import TableId
from engine.domain.policies.documents.document import Backoff
from engine.domain.tables.signals import CommitSeen, QueryLatency, Signal, SignalKind

BEGIN = datetime(2026, 11, 21, 12, tzinfo=UTC)
SETTINGS = Backoff(
    signal="query_latency_p95",
    throttle_above="2s",
    pause_above="5s",
    resume_below="1s",
    factor=0.5,  # type: ignore[arg-type]
)

series = st.lists(st.tuples(st.integers(0, 400), st.floats(0, 10, allow_nan=False)), max_size=60)
factors = st.floats(0.01, 0.99)


def told(*seconds: float, every: float = 10) -> list[Latency]:
    return [Latency(BEGIN + timedelta(seconds=every * number), value) for number, value in enumerate(seconds)]


def after(latencies: Sequence[Latency], settings: Backoff = SETTINGS, *, wait: float = 0) -> Slowdown:
    now = (latencies[-1].at if latencies else BEGIN) + timedelta(seconds=wait)
    return slowdown_of(settings, latencies, now)


def drawn(steps: Sequence[tuple[int, float]]) -> list[Latency]:
    at, found = BEGIN, []
    for step, seconds in steps:
        at += timedelta(seconds=step)
        found.append(Latency(at, seconds))
    return found


def test_nothing_measured_and_what_is_between_the_bounds_slow_nothing_down() -> None:
    assert after([]) == NO_SLOWDOWN
    assert after(told(0.5, 1.9)).factor == 1.0
    assert after(told(3, 1.5, 2.0, 1.0)).factor == 0.5
    assert after(told(0.5, 1.5, 2.0)).factor == 1.0


def test_each_further_slow_measurement_cuts_the_rest_again_down_to_the_floor_or_to_a_factor_below_it() -> None:
    assert [after(told(*[3.0] * count)).factor for count in range(1, 7)] == [0.5, 0.25, 0.125, FLOOR, FLOOR, FLOOR]
    strict = SETTINGS.model_copy(update={"factor": 0.01})
    assert after(told(3, 3, 3), strict).factor == 0.01


def test_it_pauses_above_the_second_bound_and_goes_on_only_below_the_last() -> None:
    assert [after(told(6, *rest)).is_paused for rest in ((), (4.9,), (1.5, 1.0), (1.5, 0.99))] == [True] * 3 + [False]
    assert after(told(6, 0.99)).factor == 1.0


def test_a_measurement_says_nothing_any_more_after_five_minutes_and_a_long_pause_begins_anew() -> None:
    slow = told(6)
    assert after(slow, wait=FRESH.total_seconds() - 0.001).is_paused
    assert after(slow, wait=FRESH.total_seconds()) == NO_SLOWDOWN
    assert after(slow).until == BEGIN + FRESH
    assert not after(told(6, 1.5, every=FRESH.total_seconds() + 1)).is_paused
    assert after(told(3, 3, every=FRESH.total_seconds() + 1)).factor == 0.5


def test_signals_without_a_95th_percentile_say_nothing() -> None:
    values = [
        QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=3.0),
        QueryLatency(kind=SignalKind.QUERY_LATENCY, p50_seconds=9.0),
        CommitSeen(kind=SignalKind.COMMIT),
        QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=4.0),
    ]
    signals = [Signal(number, TableId("tbl_1"), BEGIN, "key:grafana", value) for number, value in enumerate(values)]
    assert [latency.seconds for latency in latencies_of(reversed(signals))] == [3.0, 4.0]


@given(series, factors)
def test_the_share_that_is_left_lies_between_the_floor_and_all_of_it(steps: Sequence[tuple[int, float]], factor: float):
    settings = SETTINGS.model_copy(update={"factor": factor})
    found = after(drawn(steps), settings)
    assert min(FLOOR, factor) <= found.factor <= 1.0
    assert (found.until is None) == (found.latency is None)


@given(series)
def test_only_a_measurement_below_the_last_bound_or_silence_ends_a_pause(steps: Sequence[tuple[int, float]]) -> None:
    latencies = drawn(steps)
    for at in range(1, len(latencies)):
        before, then = latencies[:at], latencies[: at + 1]
        silent = then[-1].at - before[-1].at > FRESH
        if after(before).is_paused and not after(then).is_paused:
            assert then[-1].seconds < 1 or silent
        if after(then).is_paused and not (after(before).is_paused and not silent):
            assert then[-1].seconds > 5


@given(series, series)
def test_what_was_measured_before_the_newest_hundred_is_forgotten(
    old: Sequence[tuple[int, float]], new: Sequence[tuple[int, float]]
) -> None:
    latencies = drawn([*old, *new] * 3)
    assert after(latencies) == after(latencies[-NEWEST:])


@given(series, st.floats(1.01, 4))
def test_a_slower_table_is_never_hurried(steps: Sequence[tuple[int, float]], times: float) -> None:
    latencies = drawn(steps)
    slower = [Latency(at, seconds * times) for at, seconds in latencies]
    assert after(slower).factor <= after(latencies).factor
    assert after(slower).is_paused >= after(latencies).is_paused


def test_of_two_sources_the_stricter_holds() -> None:
    paused, half, quarter = (
        Slowdown(0.5, True, BEGIN, 6.0),
        Slowdown(0.5, False, BEGIN, 3.0),
        Slowdown(0.25, False, BEGIN, 3.0),
    )
    assert stricter(quarter, paused) == stricter(paused, quarter) == paused
    assert stricter(half, quarter) == stricter(quarter, half) == quarter
    assert stricter(NO_SLOWDOWN, half) == half
    longer = Slowdown(0.5, True, BEGIN + FRESH, 6.0)
    assert stricter(paused, longer) == stricter(longer, paused) == longer
