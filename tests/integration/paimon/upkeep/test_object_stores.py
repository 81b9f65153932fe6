"""Snapshots of a Paimon table in an object store expire: without Paimon's core, which has no access there."""

from pathlib import Path
from typing import Any

from engine.formats.paimon import PaimonFormat, PaimonTable
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.expiries import RUN, expired_with_files, expiry, files_deleted, files_of
from tests.support.paimon.lakes import PaimonLake
from tests.support.s3_server import BUCKET, S3Server

KEYED: Any = {"primary_keys": ["id", "day"], "partition_keys": ["day"], "bucket": "1", "write_only": "true"}


def upload(s3: S3Server, lake: PaimonLake) -> None:
    for path in lake.root.rglob("*"):
        if path.is_file():
            s3.put(f"warehouse/{path.relative_to(lake.root)}", path.read_bytes())


def opened(s3: S3Server, lake: PaimonLake) -> PaimonTable:
    properties = {"type": "filesystem", "warehouse": f"s3://{BUCKET}/warehouse", **s3.properties("key", "secret")}
    return PaimonFormat().connect("lake", properties).open_table(lake.ref)


def test_the_same_files_are_left_as_on_a_disk(s3: S3Server, paimon_core: PaimonCore, tmp_path: Path) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "warehouse").create(**KEYED)
    for number in range(3):
        lake.write([[each, "a/b", float(number)] for each in range(5)])
        lake.call("compact", full=True, options={"write-only": "false"})
    upload(s3, lake)
    which, table = expiry(1), opened(s3, lake)
    proof = table.expire(tuple(table.plan_expiry(which).expired), which, before_try=lambda: None, deletes_for=RUN)
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
