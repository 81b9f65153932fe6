"""Cron expressions and time zones."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.domain.policies.documents.schedules import ScheduleSettings, next_cron
from engine.domain.values.hints import Misread
from engine.domain.values.time_zones import time_zone_names, zone_of


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def hint(**written: str) -> str | None:
    with pytest.raises(ValidationError) as caught:
        ScheduleSettings.model_validate(written)
    errors = [error["ctx"]["error"] for error in caught.value.errors() if error["type"] == "value_error"]
    assert len(errors) == 1
    found: str | None = errors[0].hint
    return found


def test_a_cron_expression_is_in_the_time_of_its_zone_in_which_a_time_is_skipped_or_comes_twice() -> None:
    assert next_cron("0 2 * * *", "Europe/Berlin", at("2026-07-01T00:00")) == at("2026-07-02T00:00")
    assert next_cron("0 2 * * *", "Europe/Berlin", at("2026-12-01T00:00")) == at("2026-12-01T01:00")
    assert next_cron("30 2 * * *", "Europe/Berlin", at("2026-03-29T00:00")) == at("2026-03-29T01:00")
    first = next_cron("30 2 * * *", "Europe/Berlin", at("2026-10-25T00:00"))
    assert first == at("2026-10-25T00:30")
    assert next_cron("30 2 * * *", "Europe/Berlin", first) == at("2026-10-26T01:30")


NO_CRON = ["0 2 * * 8", "61 * * * *", "* * *", "* * * * * *", "@reboot", "a b c d e", "0 0 30 2 *", "5L/2 * * * *", ""]


def test_neither_what_is_no_cron_expression_nor_what_names_no_place_is_read() -> None:
    for expression in (*NO_CRON, "²L * * * *"):
        with pytest.raises(ValidationError):
            pytest.fail(f"{ScheduleSettings.model_validate({'cron': expression})}")
    for name in ("", "localtime", "Factory", "Europe", "/etc/localtime", "UTC\x00", "CEST"):
        with pytest.raises(Misread):
            pytest.fail(f"{zone_of(name)}")


@given(st.text(max_size=120) | st.text("0123456789*/-,#L ", max_size=60))
def test_no_text_breaks_the_reading_of_cron_expressions(text: str) -> None:
    try:
        ScheduleSettings.model_validate({"cron": text})
    except ValidationError:
        return
    assert text == "off" or next_cron(text, "UTC", at("2026-01-01")) is not None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("europe/berlin", "did you mean 'Europe/Berlin'?"),
        ("Berlin", "did you mean 'Europe/Berlin'?"),
        ("new york", "did you mean 'America/New_York'?"),
        ("Europe/Berln", "did you mean 'Europe/Berlin'?"),
        ("Nowhere at all", "such as 'UTC', 'Europe/Berlin' or 'America/New_York'"),
        ("../../etc/passwd", "such as 'UTC', 'Europe/Berlin' or 'America/New_York'"),
    ],
)
def test_an_unknown_time_zone_is_told_the_nearest(name: str, expected: str) -> None:
    assert hint(time_zone=name) == expected


def test_every_known_time_zone_can_be_read_and_an_alias_of_cron_is_told_its_expression() -> None:
    assert {"UTC", "Europe/Berlin", "America/New_York"} <= time_zone_names()
    for name in time_zone_names():
        assert zone_of(name).key == name
    assert hint(cron="@daily") == "did you mean '0 0 * * *'?"
