"""Expiry and orphans of tables in REST catalogs: by their files, as Paimon's own."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import NotEligible, PackhouseError
from engine.formats.paimon.catalog.rest.tables import RestTable
from tests.support.paimon.expiries import RUN, expired_with_files, expiry, files_of, snapshots_expired
from tests.support.paimon.orphans import IN_BUCKETS, IN_TABLE, looked, place, removed
from tests.support.paimon.rest_lakes import RestLake
from tests.upkeep.orphans import grow_old

KEYED: Any = {"primary_keys": ["id", "day"], "partition_keys": ["day"], "bucket": "1", "write_only": "true"}


def test_the_same_files_are_left_as_by_the_core(rest_lake: RestLake) -> None:
    """The core expires a second table of the same catalog."""
    lake = rest_lake.create(**KEYED)
    other = replace(rest_lake, name="others").create(**KEYED)
    for each in (lake, other):
        each.write_and_compact()
        each.call("create_tag", name="kept", snapshot=2)
    rows = lake.call("values")
    expired_with_files(lake, expiry(2))
    other.call("expire", retained=2)
    kinds = [sorted(Path(each).parent.name for each in files_of(table)) for table in (lake, other)]
    assert kinds[0] == kinds[1]
    assert lake.call("values") == rows
    history = [table.call("history") for table in (lake, other)]
    assert history[0] == history[1]
    lake.write([[9, "b", 9.5]])
    assert lake.open().head_snapshot_id == 7


def test_files_that_tags_and_branches_of_the_catalog_need_are_kept(rest_lake: RestLake) -> None:
    lake = rest_lake.create(**KEYED)
    lake.write_and_compact()
    lake.call("create_tag", name="kept", snapshot=2)
    lake.call("create_branch", name="side", tag="kept")
    known = lake.open()._view.files.managed
    assert known is not None
    assert (known.tags(), known.branches()) == (["kept"], ["side"])
    before = lake.call("history")["rows"]
    expired_with_files(lake, expiry(1))
    after = lake.call("history")["rows"]
    assert {"tag kept", "branch side"} <= after.keys()
    assert all(before[each] == rows for each, rows in after.items() if not each.startswith("changes"))


@pytest.mark.parametrize("kind", ["tag", "branch"])
def test_a_tag_or_branch_without_files_stops_every_deletion(rest_lake: RestLake, kind: str) -> None:
    lake = rest_lake.create(**KEYED)
    lake.write_and_compact()
    lake.call("create_tag", name="kept", snapshot=2)
    lake.call("create_branch", name="kept", tag="kept")
    (lake.folder / kind).rename(lake.folder / "moved")
    before = files_of(lake)
    with pytest.MonkeyPatch.context() as patched:  # this server has no other record of them than the files
        patched.setattr(RestTable, {"tag": "tags", "branch": "branches"}[kind], lambda _self: ["kept"])
        table, which = lake.open(), expiry(1)
        with pytest.raises(NotEligible, match=rf"the catalog has a {kind} kept, of which .* has no files"):
            table.expiry.expire(
                tuple(table.expiry.plan(which).expired), which, before_try=lambda: None, deletes_for="run_1"
            )
        grow_old(lake.folder)
        with pytest.raises(NotEligible, match=f"the catalog has a {kind} kept"):
            looked(lake.open())
    assert {each for each in files_of(lake) if "packhouse" not in each} == before


def test_orphans_are_removed_and_nothing_else(rest_lake: RestLake) -> None:
    lake = rest_lake.create(**KEYED)
    lake.write_and_compact()
    before = files_of(lake)
    orphans = [place(lake.folder / "day=a", f"bucket-0/{IN_BUCKETS[0]}"), place(lake.folder, IN_TABLE[0])]
    assert removed(lake).total.files == len(orphans)
    assert files_of(lake) == before


def test_a_snapshot_that_the_catalog_names_as_the_newest_does_not_expire(
    rest_lake: RestLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newer files can be there of a commit that has not ended."""
    lake = rest_lake.create(**KEYED)
    lake.write_and_compact()
    third = lake.open()._view.files.snapshot(3)
    monkeypatch.setattr(RestTable, "newest", lambda _self: third)
    assert list(lake.open().expiry.plan(expiry(1)).expired) == [1, 2]


@pytest.mark.parametrize(
    ("newest", "is_recorded"),
    [
        pytest.param(None, False, id="no snapshot"),
        pytest.param(4, True, id="an expired snapshot, recorded"),
        *(
            pytest.param(newest, is_recorded, marks=pytest.mark.deep)
            for newest, is_recorded in ((None, True), (4, False), (6, False), (6, True))
        ),
    ],
)
def test_f62_what_the_catalog_answers_after_an_expiry_makes_no_needed_file_unneeded(
    rest_lake: RestLake, newest: int | None, is_recorded: bool
) -> None:
    """F62: a stale replica, or a lie: the deletion begins, or goes on, with another newest snapshot."""
    lake = rest_lake.create(**KEYED)
    lake.write_and_compact()
    rows, told = lake.call("values"), newest and lake.open()._view.files.snapshot(newest)
    snapshots_expired(lake, expiry(1))
    deletion = lake.open().expired_removal.deletion(RUN, ())
    if is_recorded:
        deletion.record()
    with pytest.MonkeyPatch.context() as patched, suppress(PackhouseError):
        patched.setattr(RestTable, "newest", lambda _self: told)
        deletion = lake.open().expired_removal.deletion(RUN, ())
        deletion.record()
        while deletion.advance(lambda _requests: None, 60.0):
            pass
    assert lake.call("values") == rows
    assert list(lake.call("history")["rows"]) == ["snapshot 6"]
