"""Removal of orphans in object stores: names that can't be addressed, markers of folders, files that change."""

from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import boto3
import pyarrow as pa
import pytest
from sqlalchemy import text

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput, NotEligible
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.file_lists import FileKind, listed
from engine.formats.removal.listings import files_below
from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.stores import google as google_store
from engine.rewriting.kernel.storage.stores.connections import files_of
from engine.rewriting.kernel.storage.stores.listings import http_listings
from engine.rewriting.kernel.storage.stores.objects import ObjectFiles
from engine.uris.schemes import GOOGLE
from tests.integration.storage.conftest import Open
from tests.support.azure_server import AzureServer
from tests.support.expired_files import Deletion
from tests.support.http_servers import serving
from tests.support.iceberg_tables import BY_CITY, Lake, append_files
from tests.support.orphans import RULE, deleted, named, pass_time, remove, search
from tests.support.s3_server import BUCKET, S3Server
from tests.support.store_server import StoreServer, store_server

LONG_AGO = datetime(2020, 9, 13, tzinfo=UTC).replace(tzinfo=None)
UNCLEAR = ("data//a.parquet", "data/../b.parquet", "./c.parquet", "data/d\x01.parquet", "x//y/z")


@pytest.fixture
def lake(s3: S3Server, tmp_path: Path) -> Iterator[Lake]:
    made = Lake.make(tmp_path, warehouse=f"s3://{BUCKET}/wh", **s3.properties("key", "secret"))
    append_files(made.create(spec=BY_CITY), 3)
    yield made
    made.close()


def client(s3: S3Server) -> Any:
    """Return a client that stores objects under any name."""
    keys = {"aws_access_key_id": "watcher", "aws_secret_access_key": "x", "region_name": "us-east-1"}
    return boto3.client("s3", endpoint_url=s3.url, **keys)


def put(s3: S3Server, lake: Lake, *names: str) -> list[str]:
    """Store old objects below the table's location; return their keys."""
    keys = [f"{lake.load().location().removeprefix(f's3://{BUCKET}/')}/{name}" for name in names]
    for key in keys:
        s3.put_exactly(key, b"" if key.endswith("/") else b"orphan")
    s3.grow_old(LONG_AGO)
    return keys


def stored(s3: S3Server) -> set[str]:
    pages = client(s3).get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
    return {each["Key"] for page in pages for each in page["Contents"]}


def test_f43_names_that_can_not_be_addressed_stay_are_counted_and_the_others_go(lake: Lake, s3: S3Server) -> None:
    unclear = put(s3, lake, *UNCLEAR, "a//")
    goes = put(s3, lake, named(), named("data/city=Bonn", 1))
    tally = remove(lake)
    assert (deleted(tally), tally.failed) == (2, {})
    assert stored(s3).issuperset(unclear)
    assert not stored(s3) & set(goes)
    refused = search(lake).look(RULE).plan().document()["refused"]
    assert sum(refused["counts"].values()) == len(UNCLEAR)
    shown = [each for some in refused["samples"].values() for each in some]
    assert any("data//a.parquet" in each for each in shown)


@pytest.mark.parametrize("page", [1000, 3])
def test_a_listing_has_every_object_once_whatever_names_there_are(
    lake: Lake, s3: S3Server, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.rewriting.kernel.storage.stores.listings.list_requests.PAGE", page)
    put(s3, lake, *UNCLEAR, named(), "zz/last")
    location = lake.load().location()
    asked: list[int] = []
    found = [each for batch in files_below(location, s3.properties("key", "secret"), asked.append)
             for each in batch["path"].to_pylist()]  # fmt: skip
    assert sorted(found) == sorted(f"s3://{BUCKET}/{key}" for key in stored(s3))
    assert sum(asked) >= len(found) / page


@pytest.fixture(scope="module")
def google() -> Iterator[StoreServer]:
    """A store with an object whose name has two slashes in a row."""
    with store_server() as server:
        for key in ("t/data/a.parquet", "t/data/%2Fb.parquet", "t/data/", "t/z", "t2/x"):
            server.put(key, b"12")
        yield server


def test_every_object_in_google_cloud_storage_is_listed(google: StoreServer) -> None:
    pages = list(files_below("gs://lake/t", google.google_properties()))
    rows = [row for page in pages for row in page.to_pylist()]
    assert sorted(row["path"] for row in rows) == [
        *("gs://lake/t/data//b.parquet", "gs://lake/t/data/a.parquet", "gs://lake/t/z"),
    ]
    assert {(row["file_bytes"], row["modified_us"] > 0) for row in rows} == {(2, True)}


def test_a_store_that_only_obstore_reaches_is_refused_by_the_name_of_the_file(
    google: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Credentials of the machine are known to `obstore` only."""
    monkeypatch.setattr("engine.rewriting.kernel.storage.stores.objects.ObjectFiles._exact", lambda _: None)
    with pytest.raises(NotEligible, match=r"t/data//.*delete or rename that file"):
        list(files_below("gs://lake/t", google.google_properties()))


@pytest.mark.parametrize("with_sas", [False, True])
def test_every_object_in_azure_is_listed(azure: AzureServer, with_sas: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.rewriting.kernel.storage.stores.listings.list_requests.PAGE", 1)
    for name in ("t/data/a b.parquet", "t/data//ü.parquet", "t2/x"):
        azure.put(name, b"12")
    properties = azure.properties()
    if with_sas:
        properties |= {"adls.account-key": "", "adls.sas-token": azure.sas(60)}
    location = f"abfss://{azure.container}/t"
    rows = [row for page in files_below(location, properties) for row in page.to_pylist()]
    assert sorted(row["path"] for row in rows) == [f"{location}/data//ü.parquet", f"{location}/data/a b.parquet"]
    assert {(row["file_bytes"], row["modified_us"] > 0) for row in rows} == {(2, True)}


def test_f62_a_listing_sends_its_token_to_no_other_address(google: StoreServer) -> None:
    asked: list[str] = []

    class Redirects(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["Authorization"])
            self.send_response(307)
            self.send_header("Location", f"{google.url}{self.path}")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    with serving(Redirects) as url:
        connection = google_store.connection("lake", {"gcs.service.host": url, "gcs.oauth2.token": "token"})
        listing = http_listings.listing_of(GOOGLE, "lake", connection)
        assert listing is not None
        with pytest.raises(StoreError, match="status code: 307"):
            list(listing.listed("t"))
    assert asked == ["Bearer token"]


def test_f35_a_young_object_with_the_name_of_a_folders_marker_stays(lake: Lake, s3: S3Server) -> None:
    """A listing has the marker `x/` as `x`, old; the object `x` is written after the second look."""
    (marker,) = put(s3, lake, f"{named()}/")
    (goes,) = put(s3, lake, named(number=1))
    search(lake).look(RULE)
    pass_time(lake)
    files = search(lake)
    assert files.look(RULE).due.rows == 2
    young = marker.rstrip("/")
    client(s3).put_object(Bucket=BUCKET, Key=young, Body=b"orphan")
    tally = files.delete(Deletion(lake).removal())
    assert (deleted(tally), tally.changed, tally.gone) == (1, 1, 0)
    assert stored(s3) >= {marker, young}
    assert goes not in stored(s3)


def test_markers_of_folders_are_no_deleted_files(lake: Lake, s3: S3Server) -> None:
    put(s3, lake, "data/city=Bonn/", f"{named()}/")
    tally = remove(lake)
    assert (deleted(tally), tally.gone) == (0, 1)


@pytest.mark.parametrize("change", ["larger", "newer", "gone"])
def test_f35_an_object_that_changed_after_the_second_look_stays(lake: Lake, s3: S3Server, change: str) -> None:
    changed, goes = put(s3, lake, named(), named(number=1))
    search(lake).look(RULE)
    pass_time(lake)
    files = search(lake)
    assert files.look(RULE).due.rows == 2
    if change == "gone":
        client(s3).delete_object(Bucket=BUCKET, Key=changed)
    else:
        client(s3).put_object(
            Bucket=BUCKET, Key=changed, Body=b"larger than before" if change == "larger" else b"orphan"
        )
        if change == "larger":
            s3.grow_old(LONG_AGO)
    s3.asked.clear()
    tally = files.delete(Deletion(lake).removal())
    assert (deleted(tally), tally.changed, tally.gone) == (1, int(change != "gone"), int(change == "gone"))
    assert tally.requests == len([each for each in s3.asked if each.kind in {"GET list-type", "POST delete"}])
    assert goes not in stored(s3)


async def test_f49_a_write_path_with_an_empty_part_is_named_when_the_table_is_planned(open_on_s3: Open) -> None:
    async with open_on_s3() as world:
        table = world.lake.table
        with table.transaction() as change:
            change.set_properties({"write.data.path": f"{table.location()}//rows"})
        with pytest.raises(InvalidInput, match="empty part"):
            await world.container.observations.observe(SYSTEM, world.table_id)


def test_f49_a_location_with_an_empty_part_is_the_reason_why_a_table_is_refused(lake: Lake) -> None:
    """It was reported as damaged metadata, with the remedy to repair it."""
    with lake.catalog.engine.begin() as connection:
        moved = "UPDATE iceberg_tables SET metadata_location = replace(metadata_location, '/wh/', '//wh/')"
        assert connection.execute(text(moved)).rowcount == 1
    with pytest.raises(NotEligible, match=r"//wh/.*has an empty part \('//'\).*create the table again"):
        lake.open()


@pytest.mark.parametrize("kind", ["azure", "google"])
def test_f35_files_are_compared_in_other_stores_as_well(kind: str, request: pytest.FixtureRequest) -> None:
    """Azure lists from no path on, so that each file takes a request of its own; Google deletes one by one."""
    server = request.getfixturevalue(kind)
    names = [f"f35/{name}" for name in ("same", "newer", "gone")]
    for name in names[:2]:
        server.put(name, b"12")
    if kind == "azure":
        root, properties, place = f"abfss://{server.container}", server.properties(), ("abfs", server.container)
    else:
        root, properties, place = "gs://lake", server.google_properties(), ("gs", "lake")
    store = files_of(*place, properties)
    assert isinstance(store, ObjectFiles)
    at_us = store.stat(names[0])[1]
    files = listed([f"{root}/{name}" for name in names], FileKind.DATA, file_bytes=[2, 2, 2])
    files = files.append_column("modified_us", pa.array([at_us, at_us - 2_000_000, at_us]))
    taken: list[int] = []
    work = BulkDelete(properties, before_batch=taken.append)
    work.remove([files])
    tally = work.tally
    assert (deleted(tally), tally.changed, tally.gone, tally.failed) == (1, 1, 1, {})
    assert list(store.files("f35", is_recursive=True)) == [names[1]]
    assert sum(taken) == tally.requests == 6
