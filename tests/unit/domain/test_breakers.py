"""When the breaker of a catalog opens, lets one run through, and stays open."""

from datetime import UTC, datetime, timedelta

from engine.domain.fleet.breakers import LONGEST_SECONDS, Breaker
from engine.domain.ids import TableId

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def after(*tables: str, breaker: Breaker | None = None, at: datetime = NOW) -> Breaker:
    found = breaker or Breaker("lake", at, "")
    for table in tables:
        found = found.after_failure(TableId(table), "no answer", at)
    return found


def test_the_third_table_in_a_row_opens_it_for_a_minute_and_one_that_fails_again_and_again_does_not() -> None:
    found = after(*["a"] * 50, "b", *["a"] * 50)
    assert (found.times_open, found.holds_until(NOW)) == (0, None)
    found = after("a", "b", "c")
    assert found.holds_until(NOW) == NOW + timedelta(minutes=1)
    assert found.failed_tables == ("c", "b", "a")
    assert found.holds_until(NOW + timedelta(minutes=1)) is None  # half-open


def test_what_fails_while_it_is_open_does_not_count_and_one_probe_at_a_time_is_let_through() -> None:
    found = after("d", "e", "f", breaker=after("a", "b", "c"), at=NOW + timedelta(seconds=30))
    assert (found.times_open, found.open_until) == (1, NOW + timedelta(minutes=1))
    opened = after("a", "b", "c")
    over = NOW + timedelta(minutes=2)
    probing = Breaker("lake", NOW, "", opened.failed_tables, 1, opened.open_until, over + timedelta(minutes=10))
    assert probing.holds_until(over) == over + timedelta(minutes=10)
    assert after("a", breaker=probing, at=over).probe_until is None


def test_each_failed_probe_doubles_the_time_up_to_half_an_hour() -> None:
    found, at, minutes = after("a", "b", "c"), NOW, []
    for _ in range(8):
        assert found.open_until is not None
        minutes.append((found.open_until - at).total_seconds() / 60)
        at = found.open_until
        found = after("a", breaker=found, at=at)
    assert minutes == [1, 2, 4, 8, 16, 30, 30, 30]
    for _ in range(2000):  # and no number of them overflows
        at = found.open_until or at
        found = after("a", breaker=found, at=at)
    assert found.open_until == at + timedelta(seconds=LONGEST_SECONDS)
