"""Upkeep of a Paimon table in an object store: without Paimon's core, which has no access there."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engine.domain.errors import StateConflict
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.table import PaimonTable
from engine.formats.removal.searches import Search
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.expiries import RUN, expired_with_files, expiry, files_deleted, files_of
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.orphans import IN_BUCKETS, IN_TABLE, RULE, deleted, looked, place
from tests.support.paimon.s3_lakes import upload
from tests.support.s3_server import BUCKET, S3Server
from tests.upkeep.orphans import LONG_AGO

KEYED: Any = {"primary_keys": ["id", "day"], "partition_keys": ["day"], "bucket": "1", "write_only": "true"}


def opened(s3: S3Server, lake: PaimonLake) -> PaimonTable:
    properties = {"type": "filesystem", "warehouse": f"s3://{BUCKET}/warehouse", **s3.properties("key", "secret")}
    return PaimonFormat().connect("lake", properties).open_table(lake.ref)


def test_an_expiry_leaves_the_same_files_as_on_a_disk(s3: S3Server, paimon_core: PaimonCore, tmp_path: Path) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "warehouse").create(**KEYED)
    lake.write_and_compact(day="a/b")
    upload(s3, lake)
    which, table = expiry(1), opened(s3, lake)
    proof = table.expiry.expire(
        tuple(table.expiry.plan(which).expired), which, before_try=lambda: None, deletes_for=RUN
    )
    assert all(each.holds for each in proof)
    s3.asked.clear()
    plan = files_deleted(opened(s3, lake))
    assert 0 < len([each for each in s3.asked if each.kind == "POST delete"]) <= len(plan.files)
    here = expired_with_files(lake, which)
    assert plan.files == here.files
    left = {each.removeprefix("warehouse/lake.db/events/") for each in s3.stored()}
    named = {each for each in left if "packhouse-deletions" not in each and not each.startswith("snapshot/")}
    assert named == {each for each in files_of(lake) if not each.startswith("snapshot/")}
    assert {each for each in left if each.startswith("snapshot/")} == {
        f"snapshot/{n}" for n in ("EARLIEST", "LATEST", "snapshot-6")
    }
    assert s3.get("warehouse/lake.db/events/snapshot/EARLIEST") == b"6"


def test_orphans_in_an_object_store_are_removed_as_on_a_disk(
    s3: S3Server, paimon_core: PaimonCore, tmp_path: Path
) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "warehouse").create(**KEYED)
    for number in range(2):
        lake.write([[each, "a/b", float(number)] for each in range(5)])
    before = files_of(lake)
    for name in (*(f"day=a%2Fb/bucket-0/{each}" for each in IN_BUCKETS), *IN_TABLE, "day=a%2Fb/bucket-0/notes"):
        place(lake.folder, name)
    upload(s3, lake)
    s3.grow_old(datetime.now(UTC) - LONG_AGO)
    assert looked(opened(s3, lake)).record().total.files == 0
    (key,) = [each for each in s3.stored() if "/look-" in each]
    look = Search.read(s3.get(key))
    since = pa.array([each - 10**12 for each in look.files["since_us"].to_pylist()], pa.int64())
    s3.put(key, replace(look, files=look.files.set_column(3, "since_us", since)).body())
    s3.asked.clear()
    second = looked(opened(s3, lake))
    assert len([each for each in s3.asked if each.method == "GET" and not each.key]) < 10, "many files by one request"
    figures = deleted(second)
    assert figures.total.files == len(IN_BUCKETS) + len(IN_TABLE)
    assert figures.requests <= 2 * len(figures.deleted)
    left = {each.removeprefix("warehouse/lake.db/events/") for each in s3.stored()}
    named = {each for each in left if "packhouse-deletions" not in each and "snapshot/" not in each}
    assert named == {each for each in before if "snapshot/" not in each} | {"day=a%2Fb/bucket-0/notes"}
    assert len(opened(s3, lake).digest()) == 2


def test_a_store_that_is_away_during_a_look_stores_nothing(
    s3: S3Server, paimon_core: PaimonCore, tmp_path: Path
) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "warehouse").create(**KEYED)
    lake.write([[1, "a", 1.0]])
    upload(s3, lake)
    table, before = opened(s3, lake), s3.stored()

    def leave(_requests: int) -> None:
        s3.forbidden.add("key")

    with pytest.raises(StateConflict):
        table.orphan_removal.deletion(RUN, RULE, (), ()).look(leave, 60.0)
    s3.forbidden.clear()
    assert {each for each in s3.stored() - before if not each.endswith("/probe")} == set()
