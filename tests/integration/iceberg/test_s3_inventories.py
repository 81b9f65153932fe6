"""Inventories of S3 as it writes them: a manifest, files in CSV with encoded keys or in Parquet, several versions."""

import gzip
import io
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.errors import NotEligible
from engine.domain.runs.removals import InventoryPlace, OrphanRule
from tests.support.expired_files import Deletion
from tests.support.iceberg_tables import BY_CITY, Lake, append_files
from tests.support.orphans import RULE, deleted, named, pass_time, remove, search
from tests.support.s3_server import BUCKET, S3Server

LONG_AGO = datetime(2020, 9, 13, tzinfo=UTC).replace(tzinfo=None)
CONFIG = "inventories/lake/daily"
HERE = f"s3://{BUCKET}/{CONFIG}"
NAMES = [named("city=a b+c=%2F&ü"), named("day=1"), named("day=1/y%20z", 1)]
Listed = Sequence[tuple[str, int]]


@pytest.fixture
def lake(s3: S3Server, tmp_path: Path) -> Iterator[Lake]:
    made = Lake.make(tmp_path, warehouse=f"s3://{BUCKET}/wh", **s3.properties("key", "secret"))
    append_files(made.create(spec=BY_CITY), 3)
    s3.grow_old(LONG_AGO)
    yield made
    made.close()


def key_of(lake: Lake, name: str = "") -> str:
    return lake.load().location().removeprefix(f"s3://{BUCKET}/") + f"/{name}"


def orphans(lake: Lake, s3: S3Server, names: Sequence[str] = NAMES) -> set[str]:
    keys = {key_of(lake, f"data/{name}") for name in names}
    for key in keys:
        s3.put(key, b"orphan")
    s3.grow_old(LONG_AGO)
    return keys


def listed(s3: S3Server) -> list[tuple[str, int]]:
    return sorted((key, size) for key, size in s3.sizes().items() if not key.startswith("inventories/"))


def csv_of(rows: Listed) -> bytes:
    lines = [f'"{BUCKET}","{quote_plus(key, safe="/")}","{size}","2020-09-13T00:00:00.000Z"\n' for key, size in rows]
    return gzip.compress("".join(lines).encode())


def parquet_of(rows: Listed, **more: Any) -> bytes:
    keys, sizes = (list(each) for each in zip(*rows, strict=True))
    moments = pa.array([LONG_AGO] * len(keys), pa.timestamp("ms"))
    columns = {"bucket": [BUCKET] * len(keys), "key": keys, "size": sizes, "last_modified_date": moments, **more}
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def manifest(kind: str, keys: Sequence[str], **more: Any) -> dict[str, Any]:
    return {
        "sourceBucket": BUCKET,
        "destinationBucket": f"arn:aws:s3:::{BUCKET}",
        "version": "2016-11-30",
        "creationTimestamp": str(int(time.time() * 1000) - 3_600_000),
        "fileFormat": kind,
        "fileSchema": "Bucket, Key, Size, LastModifiedDate" if kind == "CSV" else "message s3.inventory { }",
        "files": [{"key": key, "size": 1, "MD5checksum": "0"} for key in keys],
        **more,
    }


def deliver(s3: S3Server, kind: str, rows: Listed, *, day: str = "2026-11-24", **more: Any) -> str:
    """Write an inventory of two files as S3 does; return the location of its manifest."""
    ending, encode = ("csv.gz", csv_of) if kind == "CSV" else ("parquet", parquet_of)
    keys = [f"{CONFIG}/data/{day}-{number}.{ending}" for number in range(2)]
    for number, key in enumerate(keys):
        s3.put(key, encode(rows[number::2]))
    return write_manifest(s3, manifest(kind, keys, **more), day=day)


def write_manifest(s3: S3Server, body: object, *, day: str = "2026-11-24") -> str:
    folder = f"{CONFIG}/{day}T01-00Z"
    s3.put(f"{folder}/manifest.json", json.dumps(body).encode())
    s3.put(f"{folder}/manifest.checksum", b"0")
    s3.put(f"{CONFIG}/hive/dt={day}-01-00/symlink.txt", b"s3://lake/x")
    return f"s3://{BUCKET}/{folder}/manifest.json"


def rule(location: str = HERE, folders: Sequence[str] = (HERE,)) -> OrphanRule:
    return replace(RULE, inventory=InventoryPlace(location, tuple(folders)))


@pytest.mark.parametrize("kind", ["CSV", "Parquet"])
@pytest.mark.parametrize("is_folder", [False, True])
def test_u12_l11_orphans_of_an_inventory_of_s3_are_deleted(
    lake: Lake, s3: S3Server, kind: str, is_folder: bool
) -> None:
    before, keys = s3.stored(), orphans(lake, s3)
    location = deliver(s3, kind, listed(s3))
    live = before | {key for key in s3.stored() if key.startswith("inventories/")}
    assert deleted(remove(lake, rule=rule(HERE if is_folder else location))) == len(keys)
    assert {key for key in s3.stored() if "/packhouse-deletions/" not in key} == live


def test_the_newest_inventory_of_a_configuration_is_read(lake: Lake, s3: S3Server) -> None:
    rows = listed(s3)
    deliver(s3, "CSV", rows, day="2026-11-24")
    orphans(lake, s3)
    deliver(s3, "CSV", rows, day="2026-11-23")
    assert search(lake).look(rule()).search.files.num_rows == 0
    deliver(s3, "Parquet", listed(s3), day="2026-11-25")
    assert search(lake).look(rule()).search.files.num_rows == len(NAMES)


@pytest.mark.parametrize("kind", ["CSV", "Parquet"])
def test_older_versions_and_delete_markers_are_no_files(lake: Lake, s3: S3Server, kind: str) -> None:
    key = next(iter(orphans(lake, s3, [named("a")])))
    versions = [("a", True, False, 6, 13), ("b", False, False, 5, 14), ("c", True, True, 7, 15)]
    names = ("version_id", "is_latest", "is_delete_marker", "size", "last_modified_date")
    columns = dict(zip(names, (list(each) for each in zip(*versions, strict=True)), strict=True))
    columns["last_modified_date"] = [datetime(2020, 9, day) for day in columns["last_modified_date"]]  # noqa: DTZ001
    lines = [
        f'"lake","{key}","{version}","{latest}","{marker}","{size}","2020-09-{day}T00:00:00.000Z"\n'.lower()
        for version, latest, marker, size, day in versions
    ]
    name = f"{CONFIG}/data/x.{'csv.gz' if kind == 'CSV' else 'parquet'}"
    encoded = gzip.compress("".join(lines).replace("t00:", "T00:").replace("000z", "000Z").encode())
    s3.put(name, encoded if kind == "CSV" else parquet_of([(key, 0)] * 3, **columns))
    schema = "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate"
    write_manifest(s3, manifest(kind, [name], fileSchema=schema))
    assert search(lake).look(rule()).search.files["file_bytes"].to_pylist() == [6]


FAULTS: Mapping[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no object": (lambda _: [], "not a manifest"),
    "no files": (lambda body: body.pop("files") and body, "not a manifest"),
    "ORC": (lambda body: body | {"fileFormat": "ORC"}, "neither CSV nor Parquet"),
    "another bucket": (lambda body: body | {"destinationBucket": "arn:aws:s3:::secret"}, "in another bucket"),
    "another folder": (lambda body: of_files(body, "wh/x.csv.gz"), "allowed location"),
    "a path that leaves the folder": (lambda body: of_files(body, f"{CONFIG}/../x.csv.gz"), "allowed"),
    "an absolute path": (lambda body: of_files(body, "/etc/passwd.csv"), "allowed location"),
    "an address": (lambda body: of_files(body, "file:///etc/passwd.csv"), "allowed location"),
    "a key that is no text": (lambda body: of_files(body, {"a": 1}), "not CSV"),
    "other files": (lambda body: of_files(body, f"{CONFIG}/data/x.orc"), "not CSV"),
    "a missing file": (lambda body: of_files(body, f"{CONFIG}/data/gone.csv.gz"), "gone.csv.gz.*missing"),
    "no time": (lambda body: body | {"creationTimestamp": "yesterday"}, "not a manifest"),
    "a time before 1970": (lambda body: body | {"creationTimestamp": "-1"}, "out of range"),
    "a time of no calendar": (lambda body: body | {"creationTimestamp": "9" * 30}, "out of range"),
    "a time ahead": (lambda body: body | {"creationTimestamp": str(int(time.time() * 1000) + 10**8)}, "later than now"),
    "an old time": (lambda body: body | {"creationTimestamp": "1577836800000"}, "30 days ago"),
    "other columns": (lambda body: body | {"fileSchema": "Bucket, Key, ETag"}, "lacks columns"),
    "more columns": (lambda body: body | {"fileSchema": "Bucket, Key, Size, LastModifiedDate, ETag"}, "damaged"),
}  # fmt: skip


def of_files(body: dict[str, Any], key: object) -> dict[str, Any]:
    return body | {"files": [{"key": key}]}


def test_a_faulty_manifest_ends_the_search_with_its_reason(lake: Lake, s3: S3Server) -> None:
    keys = orphans(lake, s3)
    deliver(s3, "CSV", listed(s3))
    for fault, (spoil, reason) in FAULTS.items():
        body = manifest("CSV", [f"{CONFIG}/data/2026-11-24-{number}.csv.gz" for number in range(2)])
        write_manifest(s3, spoil(body))
        with pytest.raises(NotEligible) as error:
            search(lake).look(rule())
        assert re.search(reason, error.value.message), fault
    assert keys <= s3.stored()


def test_a_manifest_that_is_no_json_ends_the_search(lake: Lake, s3: S3Server) -> None:
    for body in (b"", b"{", b"[" * 100_000, b'{"files": ' + b"9" * 5000 + b"}", b"\xff"):
        s3.put(f"{CONFIG}/2026-11-24T01-00Z/manifest.json", body)
        with pytest.raises(NotEligible, match="not a manifest of S3 Inventory"):
            search(lake).look(rule())


def test_keys_that_are_not_encoded_end_the_search(lake: Lake, s3: S3Server) -> None:
    orphans(lake, s3)
    for key, reason in (("wh/100%.parquet", "not URL-encoded"), ("wh/%ff.parquet", "not UTF-8")):
        body = f'"lake","{key}","6","2020-09-13T00:00:00.000Z"\n'.encode()
        s3.put(f"{CONFIG}/data/x.csv.gz", gzip.compress(body))
        write_manifest(s3, manifest("CSV", [f"{CONFIG}/data/x.csv.gz"]))
        with pytest.raises(NotEligible, match=reason):
            search(lake).look(rule())


def test_keys_that_were_encoded_twice_delete_no_live_file(lake: Lake, s3: S3Server) -> None:
    """A live file `city=Aachen/…` has another name then, which no store has."""
    before, rows = s3.stored(), listed(s3)
    deliver(s3, "CSV", [(quote_plus(key, safe="/"), size) for key, size in rows])
    assert deleted(remove(lake, rule=rule())) == 0
    assert before <= s3.stored()


@pytest.mark.parametrize("page", [1000, 7])
def test_candidates_are_looked_at_by_few_requests_and_the_changed_ones_stay(
    lake: Lake, s3: S3Server, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.rewriting.kernel.storage.stores.objects.LIST_PAGE", page)
    names = [named("city=Aachen", 100 + number) for number in range(40)] + [named("b"), named("z/ü")]
    keys = sorted(orphans(lake, s3, names))
    deliver(s3, "Parquet", listed(s3))
    search(lake).look(rule())
    pass_time(lake)
    s3.put(keys[0], b"changed size")
    s3.grow_old(LONG_AGO)
    s3.put(keys[30], b"newer!")
    asked: list[int] = []
    s3.asked.clear()
    files = search(lake, rule())
    list(files.looking(asked.append))
    lists = [each for each in s3.asked if each.kind == "GET list-type"]
    assert files.result.due.rows == len(keys) - 2
    assert files.result.plan().document()["refused"]["counts"]["changed_since_inventory"] == 2
    assert len(lists) <= (10 if page > len(keys) else 17), "a request for each would be 40"
    assert sum(asked) >= len([each for each in s3.asked if "/data/" in each.key])
    assert deleted(files.delete(Deletion(lake).removal())) == len(keys) - 2
    assert {keys[0], keys[30]} <= s3.stored()


def test_a_location_of_another_store_is_not_opened(lake: Lake, s3: S3Server) -> None:
    deliver(s3, "CSV", listed(s3))
    s3.asked.clear()
    for location in (
        "/etc/passwd.csv",
        "file:///etc/passwd.csv",
        "gs://lake/x.csv",
        "s3://secret/x.csv",
        f"{HERE}/../x.csv",
    ):
        with pytest.raises(NotEligible, match="allowed location"):
            search(lake).look(rule(location))
    assert not [each for each in s3.asked if "x.csv" in each.key]
