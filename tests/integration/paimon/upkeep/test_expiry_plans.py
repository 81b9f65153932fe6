"""Which snapshots of a Paimon table may expire: the rule, the table's options, consumers, readers and other runs."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.errors import NotEligible
from engine.domain.runs.expiry import READER, UNREADABLE_CONSUMER, Expiry, ExpiryPlan, ExpiryRule, Needed
from engine.domain.runs.run import Operation
from engine.formats.paimon.upkeep.expiry import AFTER_KEPT, CONSUMER
from engine.services.planning.upkeep.histories import expiry_words
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.edits import edit_json
from tests.support.paimon.expiries import expiry
from tests.support.paimon.lakes import PaimonLake, made_once

DAY = timedelta(days=1)
NOW = datetime(2026, 11, 26, tzinfo=UTC)


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    """A table with six snapshots, committed six days to one day before `NOW`."""

    def make(lake: PaimonLake) -> None:
        lake.create()
        for number in range(1, 7):
            lake.write([[number, "a", 1.0]])
            at = NOW - (7 - number) * DAY
            edit_json(lake.folder / f"snapshot/snapshot-{number}", timeMillis=int(at.timestamp() * 1000))

    return made_once(paimon_core, tmp_path / "warehouse", "six days", make)


def planned(lake: PaimonLake, which: Expiry) -> ExpiryPlan:
    return lake.open().expiry.plan(replace(which, now=NOW))


def ids(lake: PaimonLake, which: Expiry) -> list[int]:
    return list(planned(lake, which).expired)


def with_option(lake: PaimonLake, name: str, value: str) -> PaimonLake:
    lake.call("set_option", name=name, value=value)
    return lake


def test_the_newest_and_the_younger_ones_stay(lake: PaimonLake) -> None:
    plan = planned(lake, expiry(1, older_than=timedelta(days=2.5)))
    assert (list(plan.expired), dict(plan.kept)) == ([1, 2, 3], {"younger": 2, "keep_last": 1})
    assert plan.next_at == NOW + timedelta(days=0.5)
    assert plan.expired[1] == NOW - 6 * DAY
    assert ids(lake, expiry(4)) == [1, 2]
    assert ids(lake, expiry(0)) == [1, 2, 3, 4, 5], "the newest one always stays"


def test_a_snapshot_is_as_old_as_the_one_that_replaced_it(lake: PaimonLake) -> None:
    assert ids(lake, expiry(1, older_than=5 * DAY - timedelta(seconds=1))) == [1]
    assert ids(lake, expiry(1, older_than=5 * DAY)) == []


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("snapshot.num-retained.min", "4", [1, 2]),
        ("snapshot.time-retained", "3 d", [1, 2]),
        ("snapshot.time-retained", "72h", [1, 2]),
        ("snapshot.time-retained", "PT1H", None),
        ("snapshot.time-retained", "999999999999999999 days", []),
        ("changelog.time-retained", "9 d", None),
        ("changelog.num-retained.max", "100", None),
    ],
)
def test_the_stricter_of_rule_and_table_holds(lake: PaimonLake, name: str, value: str, left: list[int] | None) -> None:
    schema = max((lake.folder / "schema").iterdir())
    edit_json(schema, options={name: value})
    if left is None:
        with pytest.raises(NotEligible, match=name):
            planned(lake, expiry(1))
        return
    assert ids(lake, expiry(1)) == left
    assert ids(lake, expiry(1, overrides=True)) == [1, 2, 3, 4, 5]


def test_the_snapshot_that_a_consumer_reads_next_stays_with_all_newer_ones(lake: PaimonLake) -> None:
    lake.call("set_consumer", name="a", snapshot=3)
    lake.call("set_consumer", name="b", snapshot=5)
    plan = planned(lake, expiry(1))
    assert (list(plan.expired), dict(plan.kept)) == ([1, 2], {CONSUMER: 3, "keep_last": 1})


@pytest.mark.parametrize(
    "text",  # or the size of a file without content
    [
        "",
        "{}",
        "[]",
        "6",
        "null",
        '{"nextSnapshot": "6"}',
        '{"nextSnapshot": null}',
        '{"nextSnapshot": true}',
        '{"nextSnapshot": 6.5}',
        '{"nextSnapshot": 1e999}',
        '{"nextSnapshot": NaN}',
        '{"nextSnapshot": [6]}',
        f'{{"nextSnapshot": {"9" * 5000}}}',
        "[" * 100_000,
        pytest.param(300 * 2**20, id="300 MiB"),
    ],
)
def test_f51_f30_a_consumer_that_can_t_be_read_keeps_every_snapshot_and_is_a_reason_of_its_own(
    lake: PaimonLake, text: str | int
) -> None:
    lake.call("set_consumer", name="a", snapshot=5)
    path = lake.folder / "consumer/consumer-b"
    path.write_text("" if isinstance(text, int) else text)
    if isinstance(text, int):
        os.truncate(path, text)
    plan = planned(lake, expiry(1))
    assert (list(plan.expired), dict(plan.kept)) == ([], {UNREADABLE_CONSUMER: 4, CONSUMER: 1, "keep_last": 1})
    assert "folder consumer can't be read" in expiry_words(plan, Operation.EXPIRE_SNAPSHOTS)


def test_readers_and_other_runs_keep_theirs(lake: PaimonLake) -> None:
    assert planned(lake, expiry(1, needed=Needed(frozenset({3})))).kept == {"needed": 1, AFTER_KEPT: 2, "keep_last": 1}
    assert ids(lake, expiry(1, needed=Needed(frozenset({3})))) == [1, 2]
    assert ids(lake, expiry(1, needed=Needed(since=NOW - 3.5 * DAY))) == [1, 2], "and the one before that instant"
    assert ids(lake, expiry(1, needed=Needed(reader_ids=frozenset({4})))) == [1, 2, 3]
    assert planned(lake, expiry(1, needed=Needed(reader_ids=frozenset({99})))).kept[READER] == 5
    assert ids(lake, expiry(1, needed=Needed(readers_since=NOW - 4.5 * DAY))) == [1]
    assert ids(lake, replace(expiry(1), only=frozenset({1, 3}))) == [1]


def test_a_table_without_snapshots_has_none_to_expire(paimon_core: PaimonCore, tmp_path: Path) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "other").create()
    plan = planned(lake, Expiry(ExpiryRule(timedelta(0), 1), NOW))
    assert (dict(plan.expired), dict(plan.kept), plan.next_at) == ({}, {}, None)
    assert lake.open().expired_removal.preview((), ()).total.files == 0


def test_only_the_oldest_can_be_previewed(lake: PaimonLake) -> None:
    with pytest.raises(NotEligible, match="only the oldest"):
        lake.open().expired_removal.preview([2], ())
