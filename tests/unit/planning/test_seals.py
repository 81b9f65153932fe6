"""When partitions are sealed. L14: a day is left alone until it is over; L15: without a time nothing is waited for."""

from datetime import UTC, datetime

import pytest

from engine.domain.values.partitions import TimeUnit
from engine.planning.due.seals import SealRule, Seals, find_seals, window_end
from engine.planning.measures.digest import PartitionTime
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from tests.support.digests import DigestFile
from tests.support.planning import measured

DAY = PartitionTime("day", TimeUnit.DAY)
AFTER_AN_HOUR = SealRule(after=3600)


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def seals(
    *files: tuple[str, str], rule: SealRule, now: str, time: PartitionTime | None = DAY, rewritten: str | None = None
) -> Seals:
    added = [DigestFile(1, partition, added_at_ms=ms(at)) for partition, at in files]
    rewrites = [PartitionRewrite(0, files[0][0], ms(rewritten), is_full=False)] if rewritten else []
    history = RewriteHistory(rewrites)
    metrics = measured(added, history=history, now_ms=ms(now), small_bytes=10, large_bytes=None)
    return find_seals(metrics, {} if time is None else {0: time}, rule, now_ms=ms(now))


@pytest.mark.parametrize(
    ("partition", "unit", "end"),
    [
        ('{"t":"1970-01-01 00:00"}', TimeUnit.HOUR, "1970-01-01T01:00:00+00:00"),
        ('{"t":-1}', TimeUnit.HOUR, "1970-01-01T00:00:00+00:00"),
        ('{"t":"2026-02-28"}', TimeUnit.DAY, "2026-03-01T00:00:00+00:00"),
        ('{"t":"2026-11"}', TimeUnit.MONTH, "2026-12-01T00:00:00+00:00"),
        ('{"t":"2026-12"}', TimeUnit.MONTH, "2027-01-01T00:00:00+00:00"),
        ('{"t":-1}', TimeUnit.MONTH, "1970-01-01T00:00:00+00:00"),
        ('{"t":"2026"}', TimeUnit.YEAR, "2027-01-01T00:00:00+00:00"),
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


def test_l14_a_day_is_sealed_an_hour_after_it_ended_and_late_data_opens_it_for_another():
    today, yesterday = ('{"day":"2026-11-21"}', "2026-11-21T00:20"), ('{"day":"2026-11-20"}', "2026-11-20T23:59")
    found = seals(today, yesterday, rule=AFTER_AN_HOUR, now="2026-11-21T01:00")
    assert found.is_sealed.tolist() == [True, False]
    assert found.sealed_from_ms.tolist() == [ms("2026-11-21T01:00"), ms("2026-11-22T01:00")]
    day = ('{"day":"2026-11-20"}', "2026-11-21T06:30")
    assert not seals(day, rule=AFTER_AN_HOUR, now="2026-11-21T07:00").is_sealed.any()
    assert seals(day, rule=AFTER_AN_HOUR, now="2026-11-21T07:30").is_sealed.all()


def test_l15_without_a_time_the_hour_counts_from_the_oldest_small_file_that_no_rewrite_wrote() -> None:
    first, latest = ('{"city":"Bonn"}', "2026-11-21T06:30"), ('{"city":"Bonn"}', "2026-11-21T07:29")
    for time, partition in ((None, first), (DAY, ('{"day":null}', "2026-11-21T06:30"))):
        found = seals(partition, rule=AFTER_AN_HOUR, now="2026-11-21T07:00", time=time)
        assert (found.is_sealed.any(), found.sealed_from_ms.tolist()) == (False, [ms("2026-11-21T07:30")])
    assert seals(first, latest, rule=AFTER_AN_HOUR, now="2026-11-21T07:30", time=None).is_sealed.all()
    output = seals(first, latest, rule=AFTER_AN_HOUR, now="2026-11-21T07:30", time=None, rewritten="2026-11-21T06:30")
    assert output.sealed_from_ms.tolist() == [ms("2026-11-21T08:29")]
    quiet = seals(first, latest, rule=SealRule(quiet_for=3600), now="2026-11-21T07:30", time=None)
    assert not quiet.is_sealed.any()
