"""Tags of Paimon tables that are past the time for which they were to be retained are removed, with their files."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import TableUnreadable, Transient
from engine.domain.runs.expiry import Needed
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.edits import edit_json
from tests.support.paimon.expiries import (
    expired_with_files,
    expiry,
    files_deleted,
    files_of,
    snapshots_expired,
    tags_expired,
)
from tests.support.paimon.lakes import PaimonLake, made_once

KEYED: Any = {"primary_keys": ["id"], "bucket": "1", "write_only": "true"}
DAY = 24 * 3600.0


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    """A key table of eight snapshots with three tags: past its time, retained, and without a time."""

    def make(lake: PaimonLake) -> None:
        lake.create(**KEYED)
        for number, (name, seconds) in enumerate({"over": 1800.0, "kept": 9 * DAY, "plain": None}.items()):
            lake.write([[each, "a", float(number)] for each in range(5)])
            lake.compact()
            lake.call("create_tag", name=name, snapshot=2 * number + 2, seconds=seconds)
        lake.write([[9, "a", 1.0]])
        lake.compact()

    return made_once(paimon_core, tmp_path / "warehouse", "eight snapshots and three tags", make)


def history(lake: PaimonLake) -> Any:
    return lake.call("history")["rows"]


def data_files(lake: PaimonLake) -> set[str]:
    return {each for each in files_of(lake) if "bucket-" in each}


def test_a_tag_goes_after_its_time_with_the_files_that_only_it_needed(lake: PaimonLake) -> None:
    expired_with_files(lake, expiry(1, older_than=timedelta(days=3)))
    assert "tag over" not in history(lake), "the tag is over before its snapshot"
    expired_with_files(lake, expiry(1))
    assert set(history(lake)) == {"snapshot 8", "tag kept", "tag plain"}
    assert len(data_files(lake)) == 3


def test_files_go_with_the_tag_if_its_snapshot_expired_before(lake: PaimonLake) -> None:
    early = replace(expiry(1), now=datetime.now(UTC) + timedelta(hours=11))
    plan = lake.open().expiry.plan(early)
    assert not plan.tags, "its time is over in every time zone after another hour"
    snapshots_expired(lake, early)
    files_deleted(lake.open())
    assert len(data_files(lake)) == 4
    rows = history(lake)
    plan = expired_with_files(lake, expiry(1))
    assert plan.files["data"].files == 1
    assert history(lake) == {name: found for name, found in rows.items() if name != "tag over"}
    assert len(data_files(lake)) == 3


def test_the_plan_names_the_tag_and_the_end_of_its_time(lake: PaimonLake) -> None:
    plan = lake.open().expiry.plan(expiry(1))
    assert list(plan.tags) == ["over"]
    created = datetime(*json.loads((lake.folder / "tag/tag-over").read_text())["tagCreateTime"][:6], tzinfo=UTC)
    assert timedelta(hours=12.5) <= plan.tags["over"] - created <= timedelta(hours=12.5, seconds=2)
    document = plan.document()
    assert (plan.count, document["expired_tags_total"]) == (8, 1)
    assert document["expired_tags"] == [{"name": "over", "retained_until": plan.tags["over"].isoformat()}]


def test_without_delete_files_the_files_stay(lake: PaimonLake) -> None:
    table, which, before = lake.open(), expiry(1), files_of(lake)
    table.expiry.expire_tags(("over", "kept", "unknown"), which, before_try=lambda: None)
    assert before - files_of(lake) == {"tag/tag-over"}
    assert table.expiry.expire_tags(("over",), which, before_try=pytest.fail) == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda path: edit_json(path, tagTimeRetained=float("nan")),
        lambda path: edit_json(path, tagTimeRetained=float("inf")),
        lambda path: edit_json(path, tagTimeRetained=-1),
        lambda path: edit_json(path, tagTimeRetained="0"),
        lambda path: edit_json(path, tagTimeRetained=True),
        lambda path: edit_json(path, tagTimeRetained=1e300),
        lambda path: edit_json(path, tagTimeRetained=10**400),
        lambda path: edit_json(path, tagTimeRetained=None),
        lambda path: edit_json(path, tagCreateTime=None),
        lambda path: edit_json(path, tagCreateTime="2026-01-01T00:00:00"),
        lambda path: edit_json(path, tagCreateTime=[2026, 13, 1, 0, 0]),
        lambda path: edit_json(path, tagCreateTime=[2026, 1, 1, 0, 0, 0, 10**12]),
        lambda path: edit_json(path, tagCreateTime=[2026, 1, 1.5, 0, 0]),
        lambda path: edit_json(path, tagCreateTime=[2026, 1]),
        lambda path: edit_json(path, tagCreateTime=[2026, 1, 1, 0, 0, 0, 0, 0]),
    ],
)
def test_a_tag_with_strange_times_stays(lake: PaimonLake, change: Callable[[Path], None]) -> None:
    change(lake.folder / "tag/tag-over")
    assert not lake.open().expiry.plan(expiry(1)).tags


def test_a_damaged_tag_stops_the_expiry_before_anything_is_removed(lake: PaimonLake) -> None:
    (lake.folder / "tag/tag-plain").write_text("{")
    before = files_of(lake)
    with pytest.raises(TableUnreadable, match="tag-plain"):
        lake.open().expiry.plan(expiry(1))
    with pytest.raises(TableUnreadable, match="tag-plain"):
        lake.open().expiry.expire_tags(("over",), expiry(1), before_try=lambda: None)
    assert files_of(lake) == before


def test_a_tag_that_is_just_written_is_read_again(lake: PaimonLake, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lake.folder / "tag/tag-plain"
    body, written = path.read_bytes(), list[int]()

    def write_more(_seconds: float) -> None:
        path.write_bytes(body[: written.pop()])

    monkeypatch.setattr("engine.formats.paimon.metadata.documents.sleep", write_more)
    for which in (
        lambda: lake.open().expiry.plan(expiry(1)).tags,
        lambda: lake.open().expired_removal.preview([1], ()).files,
    ):
        path.write_bytes(b"")
        written[:] = [len(body), 100, 1]
        assert which()
        assert written == []
    path.write_bytes(b"")
    written[:] = [1, 1]
    with pytest.raises(TableUnreadable, match="tag-plain"):
        lake.open().expiry.plan(expiry(1))
    path.write_bytes(b"")
    written[:] = range(10, 0, -1)
    with pytest.raises(Transient, match="being written"):
        lake.open().expiry.plan(expiry(1))


@pytest.mark.parametrize(
    "needed",
    [
        Needed(frozenset({2})),
        Needed(reader_ids=frozenset({2})),
        Needed(reader_ids=frozenset({1})),
        Needed(readers_since=datetime(2000, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_tag_that_a_reader_or_a_run_needs_stays(lake: PaimonLake, needed: Needed) -> None:
    assert not lake.open().expiry.plan(expiry(1, needed=needed)).tags
    assert lake.open().expiry.plan(expiry(1, needed=Needed(reader_ids=frozenset({3})))).tags


def test_the_newest_tag_before_a_reader_began_stays(lake: PaimonLake) -> None:
    """A reader may read the tag that was the newest when it began; by then that of snapshot 2, later that of 4."""
    at = {each: json.loads((lake.folder / f"snapshot/snapshot-{each}").read_text())["timeMillis"] for each in (2, 3, 4)}
    since = {each: Needed(readers_since=datetime.fromtimestamp(ms / 1000, UTC)) for each, ms in at.items()}
    assert at[2] <= at[3] < at[4]
    for each in (2, 3):
        which = expiry(1, needed=since[each])
        assert not lake.open().expiry.plan(which).tags
        assert lake.open().expiry.expire_tags(("over",), which, before_try=pytest.fail) == ()
    assert lake.open().expiry.plan(expiry(1, needed=since[4])).tags


@pytest.mark.parametrize(
    "option",
    [
        *("tag.callbacks", "tag.callback.com.example.Told.param", "tag.create-success-file"),
        "metastore.tag-to-partition",
    ],
)
def test_tags_whose_removal_others_have_to_be_told_of_stay(lake: PaimonLake, option: str) -> None:
    path = lake.folder / "schema/schema-0"
    edit_json(path, options={**json.loads(path.read_text())["options"], option: "x"})
    assert not lake.open().expiry.plan(expiry(1)).tags


def test_a_purge_removes_no_tags(lake: PaimonLake) -> None:
    assert not lake.open().expiry.plan(expiry(1, overrides=True)).tags


def test_a_tag_that_is_replaced_before_its_deletion_stays(lake: PaimonLake) -> None:
    table, which = lake.open(), expiry(1)

    def replace_tag() -> None:
        lake.call("delete_tag", name="over")
        lake.call("create_tag", name="over", snapshot=3)

    proof = table.expiry.expire_tags(("over",), which, before_try=replace_tag, deletes_for="run_1")
    assert all(each.holds for each in proof)
    snapshots_expired(lake, which)
    files_deleted(lake.open())
    assert {"tag over", "tag kept", "tag plain", "snapshot 8"} == set(history(lake))


def test_a_branch_of_the_tag_keeps_its_files(lake: PaimonLake) -> None:
    rows = history(lake)["tag over"]

    def branch() -> None:
        lake.call("create_branch", name="b", tag="over")

    lake.open().expiry.expire_tags(("over",), expiry(1), before_try=branch, deletes_for="run_1")
    snapshots_expired(lake, expiry(1))
    files_deleted(lake.open())
    assert history(lake)["branch b"] == rows
    assert tags_expired(lake, expiry(1)) == ()


def test_a_rollback_to_the_tag_keeps_its_files(lake: PaimonLake) -> None:
    rows = history(lake)["tag over"]
    lake.open().expiry.expire_tags(
        ("over",), expiry(1), before_try=lambda: lake.call("roll_back_to_tag", name="over"), deletes_for="run_1"
    )
    files_deleted(lake.open())
    assert history(lake) == {"snapshot 1": history(lake)["snapshot 1"], "snapshot 2": rows, "changes 2": []}
