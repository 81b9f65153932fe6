"""Warehouses in an object store, and those that a deployment does not allow."""

from collections import Counter
from pathlib import Path

import pytest

from engine.domain.errors import Away, InvalidInput, NotEligible, PackhouseError
from engine.domain.tables.table import TableRef
from engine.formats.paimon.connection import PaimonFormat
from engine.services.catalogs.locations import LocationRules
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.s3_lakes import upload
from tests.support.s3_server import BUCKET, S3Server


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    lake = PaimonLake(paimon_core, tmp_path / "warehouse").create(partition_keys=["day"])
    for number in range(3):
        lake.write([[number, "a/b", 1.5]])
    return lake


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_warehouse_in_an_object_store_is_read_with_few_requests(s3: S3Server, lake: PaimonLake, scheme: str) -> None:
    upload(s3, lake, without=".parquet")
    root = f"{scheme}://{BUCKET}/warehouse"
    properties = {"type": "filesystem", "warehouse": root, **s3.properties("key", "secret")}
    connection = PaimonFormat().connect("lake", properties)
    assert connection.list_tables(5).identifiers == (("lake", "events"),)
    s3.asked.clear()
    pointers = connection.pointers([lake.ref])
    assert Counter(each.method for each in s3.asked) == {"GET": 4}
    table = connection.open_table(lake.ref)
    assert pointers == {lake.ref: table.pointer}
    here = lake.open().digest()
    paths = [path.replace(str(lake.root), root) for path in here["path"].to_pylist()]
    assert table.digest()["path"].to_pylist() == paths
    assert table.digest().drop_columns(["path"]) == here.drop_columns(["path"])
    lake.write([[9, "a/b", 1.5]])
    upload(s3, lake, without=".parquet")
    s3.asked.clear()
    assert connection.open_table(lake.ref).digest().num_rows == 4
    kinds = Counter(
        each.key.split("/")[3] for each in s3.asked if each.kind != "GET list-type" and "/events/" in each.key
    )
    assert kinds["snapshot"] <= 6, s3.asked
    s3.asked.clear()
    connection.open_table(lake.ref).digest()
    assert not [each.key for each in s3.asked if "/manifest/" in each.key]


def test_a_store_that_does_not_answer_is_away(lake: PaimonLake) -> None:
    nowhere = {
        "s3.endpoint": "http://127.0.0.1:9",
        "s3.region": "x",
        "s3.access-key-id": "a",
        "s3.secret-access-key": "b",
    }
    properties = {"type": "filesystem", "warehouse": f"s3://{BUCKET}/warehouse", **nowhere}
    connection = PaimonFormat().connect("lake", properties)
    with pytest.raises(Away):
        connection.open_table(lake.ref)
    with pytest.raises(Away):
        connection.pointers([lake.ref])
    assert [step.ok for step in connection.check()] == [False]


@pytest.mark.parametrize("warehouse", ["ftp://host/x", "relative/folder"])
def test_a_store_that_can_not_be_reached_is_an_error_of_the_catalog(lake: PaimonLake, warehouse: str) -> None:
    connection = PaimonFormat().connect("lake", {"type": "filesystem", "warehouse": warehouse})
    with pytest.raises(PackhouseError):
        connection.ping()
    with pytest.raises(NotEligible):
        connection.open_table(TableRef("lake", ("lake",), "events"))


def test_production_refuses_a_warehouse_on_a_local_disk(lake: PaimonLake) -> None:
    rules = LocationRules(allows_local=False)
    paimon = PaimonFormat(check_location=lambda location: rules.check([location], allowed=()))
    connection = paimon.connect("lake", lake.properties)
    for ask in (connection.ping, lambda: connection.open_table(lake.ref), lambda: connection.list_tables(5)):
        with pytest.raises(InvalidInput, match="local disk"):
            ask()
    assert [step.ok for step in connection.check()] == [False]
