"""Listings of object stores: every object with its size and time, spelled like the location."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from engine.domain.errors import NotEligible
from engine.formats.removal.listings import files_below
from tests.support.store_server import BUCKET, StoreServer, store_server


@pytest.fixture(scope="module")
def server() -> Iterator[StoreServer]:
    with store_server() as running:
        yield running


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_every_object_below_the_location_is_listed_and_no_neighbour(server: StoreServer, scheme: str) -> None:
    server.control(forget=True)
    names = ["a b.parquet", "data/a%20b.parquet", "data/x=1/ü.parquet", "metadata/v1.metadata.json"]
    for name in names:
        server.put(f"lake/t/{quote(name)}", b"12345")
    server.put("lake/t2/other.parquet", b"1")
    server.put("lake/t/", b"")  # a marker of the folder, as consoles and Hadoop write it
    location = f"{scheme}://{BUCKET}/lake/t"
    rows = [row for batch in files_below(f"{location}/", server.properties()) for row in batch.to_pylist()]
    assert sorted(row["path"] for row in rows) == sorted(f"{location}/{name}" for name in names)
    assert {row["file_bytes"] for row in rows} == {5}
    assert all(row["modified_us"] > 0 for row in rows)


def test_a_store_that_does_not_answer_raises() -> None:
    away = {"s3.endpoint": "http://127.0.0.1:9", "s3.access-key-id": "a", "s3.secret-access-key": "b"}
    with pytest.raises(OSError, match="127"):
        list(files_below(f"s3://{BUCKET}/t", away))


def test_a_store_without_times_is_refused() -> None:
    with pytest.raises(NotEligible, match="listed"):
        list(files_below("hdfs://name-node/t", {}))
