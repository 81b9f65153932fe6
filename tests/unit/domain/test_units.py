"""Sizes and durations as people write them."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.values.hints import Misread
from engine.domain.values.units import (
    MAX_SECONDS,
    SIZE_UNITS,
    WRITTEN_DURATION,
    WRITTEN_RATE,
    WRITTEN_SIZE,
    format_bytes,
    format_duration,
    parse_bytes,
    parse_duration,
    parse_rate,
)

NO_NUMBER = ["", " ", "-5MB", "+5", "1e9", "0x10", "NaN", "inf", "1,000MB", "1_000", "٣MB", "½GB", "5 M B", "5MB;"]
HOSTILE = [*NO_NUMBER, "5\x00MB", True, None, 1.5]
SIZES = {
    0: 0,
    "0": 0,
    "128MiB": 134_217_728,
    "128 MiB": 134_217_728,
    "500MB": 500_000_000,
    "1.5kB": 1500,
    "0.5TiB": 2**39,
    "9007199254740993": 9_007_199_254_740_993,
    f"{2**60}B": 2**60,
    "9007199254740.993kB": 9_007_199_254_740_993,
}
DURATIONS = {"0s": 0, "45s": 45, "30m": 1800, "6h": 21_600, "35d": 3_024_000, " 6h ": 21_600}
ISO_8601 = {"PT6H": 21_600, "P35D": 3_024_000, "P1W": 604_800, "P1DT2H3M4S": 93_784}
NO_SIZES: list[object] = [[], "9" * 400, "9" * 400 + "TiB", "0.3B", "1.0001kB"]
NO_DURATIONS = ["P", "PT", "P1DT", "P1Y", "P1M", "PT0.5H", "-PT1H", "1h30m", "3651d", "9" * 99 + "d", "٣h", -1]
RATES = {
    "50MB/s": 50_000_000,
    "50MB": 50_000_000,
    "1.5 MiB/s": 1_572_864,
    "400Mbit/s": 50_000_000,
    "5Mbps": 625_000,
    "8 kbit/s": 1_000,
    65_536: 65_536,
}
HINTS = [
    (parse_bytes, "96mb", "did you mean '96MB' (decimal) or '96MiB' (binary)?"),
    (parse_bytes, "96 M", "did you mean '96MB' (decimal) or '96MiB' (binary)?"),
    (parse_bytes, "2gigabytes", "did you mean '2GB' (decimal) or '2GiB' (binary)?"),
    (parse_bytes, "512bytes", "did you mean '512B'?"),
    (parse_bytes, "big", "such as '128MiB' or '500MB'"),
    (parse_bytes, "5 parsecs", None),
    (parse_duration, "6 hours", "did you mean '6h'?"),
    (parse_duration, "6H", "did you mean '6h'?"),
    (parse_duration, "10 min", "did you mean '10m'?"),
    (parse_duration, "2w", "did you mean '14d'?"),
    (parse_duration, "3 months", "did you mean '90d'?"),
    (parse_duration, 600, "did you mean '10m'?"),
    (parse_duration, "soon", "such as '45s', '30m', '6h' or '35d'"),
    (parse_duration, "500ms", None),
    (parse_rate, "50MBps", "did you mean '50MB/s'?"),
    (parse_rate, "50mb/s", "did you mean '50MB/s'?"),
    (parse_rate, "5mbit/s", "did you mean '5Mbit/s'?"),
    (parse_rate, "5 furlongs/s", None),
    (parse_rate, "3bit/s", None),
    (parse_rate, "50 mb", "did you mean '50MB' (decimal) or '50MiB' (binary)?"),
]


@pytest.mark.parametrize(
    ("read", "values"), [(parse_bytes, SIZES), (parse_duration, DURATIONS | ISO_8601), (parse_rate, RATES)]
)
def test_sizes_durations_and_rates_in_bytes_per_second_are_read_exactly(read: Any, values: dict[Any, int]) -> None:
    assert {written: read(written) for written in values} == values
    assert all(isinstance(rate, int) or re.fullmatch(WRITTEN_RATE, rate) for rate in RATES)


@pytest.mark.parametrize(("read", "refused"), [(parse_bytes, NO_SIZES), (parse_duration, NO_DURATIONS)])
def test_what_is_no_size_or_duration_is_refused(read: Any, refused: list[object]) -> None:
    for written in [*HOSTILE, *refused]:
        with pytest.raises(Misread):
            pytest.fail(f"{written!r} is read as {read(written)}")


@pytest.mark.parametrize(("read", "written", "hint"), HINTS)
def test_a_near_miss_gets_the_unit_that_was_meant(read: Any, written: object, hint: str | None) -> None:
    with pytest.raises(Misread) as caught:
        read(written)
    assert caught.value.hint == hint


@given(st.integers(0, 10**9), st.sampled_from(sorted(SIZE_UNITS)))
def test_a_size_is_its_number_times_its_unit(number: int, unit: str) -> None:
    assert parse_bytes(f"{number}{unit}") == number * SIZE_UNITS[unit]


@given(st.from_regex(WRITTEN_SIZE, fullmatch=True), st.from_regex(WRITTEN_DURATION, fullmatch=True))
def test_the_published_patterns_allow_only_what_is_read(size: str, duration: str) -> None:
    """A pattern can't tell that 0.3B is no size, nor add the parts of a duration."""
    for read, written, told in ((parse_bytes, size, "whole number"), (parse_duration, duration, "longer than 3650d")):
        try:
            assert read(written) >= 0
        except Misread as error:
            assert told in str(error)  # noqa: PT017 - either outcome is fine


@given(st.integers(0, 2**60))
def test_a_size_is_shown_within_a_percent(size: int) -> None:
    number, unit = format_bytes(size).split()
    assert float(number) * SIZE_UNITS[unit] == pytest.approx(size, rel=0.01)


@given(st.integers(0, MAX_SECONDS))
def test_the_short_form_of_a_duration_is_read_back_exactly(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


@given(st.text())
def test_no_text_breaks_the_readers(text: str) -> None:
    for read in (parse_bytes, parse_duration):
        try:
            assert read(text) >= 0
        except Misread as error:
            assert len(str(error)) < 800  # noqa: PT017 - either outcome is fine
