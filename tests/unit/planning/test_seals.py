"""When partitions are sealed. L14: a day is left alone until it is over; L15: without a time there is no window."""

from datetime import UTC, datetime

import pytest

from engine.planning.due.seals import SealRule, Seals, find_seals, window_end
from engine.planning.measures.digest import PartitionTime, TimeUnit
from tests.support.digests import DigestFile
from tests.support.planning import measured

DAY = PartitionTime("day", TimeUnit.DAY)
AFTER_AN_HOUR = SealRule(after=3600)


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def seals(*files: tuple[str, str], rule: SealRule, now: str, time: PartitionTime | None = DAY) -> Seals:
    added = [DigestFile(1, partition, added_at_ms=ms(at)) for partition, at in files]
    metrics = measured(added, now_ms=ms(now), small_bytes=10, large_bytes=None)
    return find_seals(metrics, {} if time is None else {0: time}, rule, now_ms=ms(now))


@pytest.mark.parametrize(
    ("partition", "unit", "end"),
    [
        ('{"t":0}', TimeUnit.HOUR, "1970-01-01T01:00:00+00:00"),
        ('{"t":-1}', TimeUnit.HOUR, "1970-01-01T00:00:00+00:00"),
        ('{"t":"2026-02-28"}', TimeUnit.DAY, "2026-03-01T00:00:00+00:00"),
        ('{"t":682}', TimeUnit.MONTH, "2026-12-01T00:00:00+00:00"),
        ('{"t":683}', TimeUnit.MONTH, "2027-01-01T00:00:00+00:00"),
        ('{"t":-1}', TimeUnit.MONTH, "1970-01-01T00:00:00+00:00"),
        ('{"t":56}', TimeUnit.YEAR, "2027-01-01T00:00:00+00:00"),
    ],
)
def test_a_window_ends_where_the_next_begins(partition: str, unit: TimeUnit, end: str):
    found = window_end(partition, PartitionTime("t", unit))
    assert found.isoformat() == end


@pytest.mark.parametrize(
    ("partition", "unit"),
    [('{"t":null}', TimeUnit.DAY), ('{"t":"soon"}', TimeUnit.DAY), ("{}", TimeUnit.HOUR), ('{"t":99999999}', "year")],
)
def test_what_is_no_time_has_no_window(partition: str, unit: TimeUnit):
    assert window_end(partition, PartitionTime("t", TimeUnit(unit))) is None


def test_without_a_rule_every_partition_is_sealed_and_quiet_for_looks_at_the_last_commit_alone():
    assert seals(('{"day":"2026-11-21"}', "2026-11-21T12:00"), rule=SealRule(), now="2026-11-21T12:01").is_sealed.all()
    day = ('{"day":"2026-11-21"}', "2026-11-21T06:30")
    assert not seals(day, rule=SealRule(quiet_for=1800), now="2026-11-21T06:59").is_sealed.any()
    assert seals(day, rule=SealRule(quiet_for=1800), now="2026-11-21T07:00").is_sealed.all()


def test_l14_l15_a_day_is_sealed_an_hour_after_it_ended_and_without_a_time_once_it_was_quiet_for_that_long():
    today, yesterday = ('{"day":"2026-11-21"}', "2026-11-21T00:20"), ('{"day":"2026-11-20"}', "2026-11-20T23:59")
    found = seals(today, yesterday, rule=AFTER_AN_HOUR, now="2026-11-21T01:00")
    assert found.is_sealed.tolist() == [True, False]
    assert found.sealed_from_ms.tolist() == [ms("2026-11-21T01:00"), ms("2026-11-22T01:00")]
    day = ('{"day":"2026-11-20"}', "2026-11-21T06:30")
    assert not seals(day, rule=AFTER_AN_HOUR, now="2026-11-21T07:00").is_sealed.any()
    assert seals(day, rule=AFTER_AN_HOUR, now="2026-11-21T07:30").is_sealed.all()
    partition = ('{"city":"Bonn"}', "2026-11-21T06:30")
    assert not seals(partition, rule=AFTER_AN_HOUR, now="2026-11-21T07:00", time=None).is_sealed.any()
    assert seals(partition, rule=AFTER_AN_HOUR, now="2026-11-21T07:30", time=None).is_sealed.all()
