"""Which tables a Hive catalog has: the entries of a Metastore that Paimon made, where these say that they are."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hive_metastore.ttypes import Database, FieldSchema, SerDeInfo, StorageDescriptor, Table

from engine.domain.errors import InvalidInput, NotFound, StateConflict
from engine.domain.tables.table import TableRef
from engine.formats.intake.catalogs.metastores import locks
from engine.formats.paimon.catalog import hive
from engine.formats.paimon.connection import PaimonFormat
from engine.services.catalogs.locations import LocationRules
from tests.integration.paimon.catalog_discovery import CatalogDiscovery, check_away, connected, filled
from tests.support.hive.metastore import Metastore
from tests.support.paimon.metastore_lakes import MetastoreLake


@pytest.fixture
def lake(metastore_lake: MetastoreLake) -> MetastoreLake:
    return filled(metastore_lake)


class TestDiscovery(CatalogDiscovery):
    """As in every catalog that names its tables."""


def change(lake: MetastoreLake, **parameters: str | None) -> None:
    """Change the location (`location`) or parameters of the table's entry, as another program does."""
    entry = lake.entry()
    entry.sd.location = parameters.pop("location", entry.sd.location)
    entry.parameters = {**entry.parameters, **parameters}
    with lake.metastore.client() as client:
        client.alter_table("lake", lake.name, entry)


def add(lake: MetastoreLake, name: str, kind: str = "MANAGED_TABLE", database: str = "lake", **storage: Any) -> None:
    """Add an entry of another program."""
    given = {"location": f"{lake.root}/{name}", "inputFormat": "x.TextInputFormat", "outputFormat": "x", **storage}
    parameters = given.pop("parameters", {})
    columns = [FieldSchema("id", "bigint", "")]
    serde = SerDeInfo(serializationLib=given.pop("serde", "x.LazySimpleSerDe"), parameters={})
    with lake.metastore.client() as client:
        if database not in client.get_all_databases():
            client.create_database(Database(name=database, locationUri=f"file:{lake.root}/{database}.db"))
        client.create_table(
            Table(
                tableName=name,
                dbName=database,
                tableType=kind,
                parameters=parameters,
                partitionKeys=[],
                sd=StorageDescriptor(cols=columns, serdeInfo=serde, **given),
                viewOriginalText="SELECT 1" if kind == "VIRTUAL_VIEW" else None,
                viewExpandedText="SELECT 1" if kind == "VIRTUAL_VIEW" else None,
            )
        )


PARQUET = "org.apache.hadoop.hive.ql.io.parquet"
OTHERS = {
    "a view": {"kind": "VIRTUAL_VIEW"},
    "a table of parquet files": {"inputFormat": f"{PARQUET}.MapredParquetInputFormat", "serde": f"{PARQUET}.serde.X"},
    "a table of text files": {},
    "a table of type iceberg": {"parameters": {"table_type": "ICEBERG", "metadata_location": "s3://b/m.json"}},
    "a table of type csv": {"parameters": {"table_type": "CSV", "type": "format-table"}},
    "a table of another kind of files": {"inputFormat": "x.Y", "serde": "x.Z"},
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_paimon_table_is_left_out_and_named(lake: MetastoreLake, kind: str) -> None:
    add(lake, "other", **OTHERS[kind])
    connection, ref = connected(lake), TableRef("lake", ("lake",), "other")
    assert connection.list_tables(9).identifiers == (("lake", "events"),)
    assert connection.pointers([ref, lake.ref]).keys() == {lake.ref}
    with pytest.raises(NotFound, match=f"the Metastore has it as {kind}"):
        connection.open_table(ref)


def test_format_tables_of_paimon_are_left_out(lake: MetastoreLake) -> None:
    other = replace(lake, name="plain")
    other.call(
        "create", columns=[("id", "BIGINT")], partition_keys=[], primary_keys=[], options={"type": "format-table"}
    )
    connection = connected(lake)
    assert connection.list_tables(9).identifiers == (("lake", "events"),)
    with pytest.raises(NotFound, match="its files are not those of a Paimon table"):
        connection.open_table(other.ref)


def test_a_missing_table_or_database_is_named(lake: MetastoreLake) -> None:
    connection = connected(lake)
    for ref in (TableRef("lake", ("lake",), "none"), TableRef("lake", ("none",), "events")):
        assert connection.pointers([ref, lake.ref]).keys() == {lake.ref}
        with pytest.raises(NotFound, match="the Metastore has no table of this name"):
            connection.open_table(ref)
    with pytest.raises(NotFound, match="the Metastore has no table of this name"):
        connection.open_table(TableRef("lake", ("lake", "inner"), "events"))


def test_a_table_has_one_name_although_the_metastore_takes_others(lake: MetastoreLake) -> None:
    connection, ref = connected(lake), TableRef("lake", ("lake",), "Events")
    assert connection.pointers([ref]) == {}
    with pytest.raises(NotFound, match=r"the Metastore has it as lake\.events"):
        connection.open_table(ref)


def test_a_listing_is_limited_and_by_namespace(lake: MetastoreLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hive, "_AT_ONCE", 2)
    classes = dict(zip(("inputFormat", "outputFormat"), hive._CLASSES, strict=True))
    for name in ("b", "a", "c"):
        add(lake, name, database="other", **classes)
    connection = connected(lake)
    listed = connection.list_tables(2, lambda namespace: list(namespace) == ["other"])
    assert (listed.identifiers, listed.is_truncated) == ((("other", "a"), ("other", "b")), True)
    assert not connection.list_tables(4).is_truncated
    monkeypatch.setattr(hive, "MOST_TABLES", 2)
    with pytest.raises(StateConflict, match="database other has more than 2 tables"):
        connection.list_tables(9)


def test_the_location_is_that_of_the_entry(lake: MetastoreLake, tmp_path: Path) -> None:
    """A copy at another one is another table."""
    table = connected(lake).open_table(lake.ref)
    moved = lake.copied(tmp_path / "moved")
    change(lake, location=f"file:{moved.folder}/")
    other = connected(lake).open_table(lake.ref)
    assert (other.location, other.digest().num_rows) == (f"file:{moved.folder}", 3)
    assert other.uuid != table.uuid
    assert connected(lake).open_table(lake.ref).uuid == other.uuid


def test_the_location_is_a_parameter_where_writers_have_it_there(metastore_lake: MetastoreLake) -> None:
    lake = filled(replace(metastore_lake, writer={"location-in-properties": "true"}))
    with pytest.raises(NotFound, match="location-in-properties=true"):
        connected(lake).open_table(lake.ref)
    table = connected(lake, **{"location-in-properties": "true"}).open_table(lake.ref)
    assert (table.location.removeprefix("file:"), table.digest().num_rows) == (str(lake.folder), 3)


@pytest.mark.parametrize("location", ["file:/a\nb", "s3://" + "x" * 3000])
def test_a_location_that_can_not_be_one_is_named(lake: MetastoreLake, location: str) -> None:
    change(lake, paimon_location=location)
    connection = connected(lake, **{"location-in-properties": "true"})
    assert connection.pointers([lake.ref]) == {}
    with pytest.raises(NotFound, match="its entry in the Metastore has no location, or one that can't be read"):
        connection.open_table(lake.ref)


def test_a_forbidden_location_is_not_read(lake: MetastoreLake) -> None:
    def check(location: str) -> None:
        raise InvalidInput(f"{location} is forbidden")

    connection = PaimonFormat(check_location=check).connect("lake", lake.properties)
    assert connection.pointers([lake.ref]) == {}
    with pytest.raises(InvalidInput, match="is forbidden"):
        connection.open_table(lake.ref)
    assert [step.ok for step in connection.check()] == [True, True, False]


def test_the_check_takes_the_lock_and_names_who_has_it(lake: MetastoreLake, monkeypatch: pytest.MonkeyPatch) -> None:
    step = connected(lake).check()[-1]
    assert (step.name, step.ok, step.detail) == ("take_lock", True, "the lock of lake.events can be taken")
    monkeypatch.setattr(locks, "WAIT_SECONDS", 0.2)
    assert lake.lock()
    step = connected(lake).check()[-1]
    assert (step.name, step.ok) == ("take_lock", False)
    assert "the lock of lake.events is held by ada@flink-7 (paimon, lock " in step.detail
    assert len(connected(lake, **{"lock.enabled": "false"}).check()) == 3


def test_a_metastore_that_is_away_is_a_wait_at_every_step(lake: MetastoreLake) -> None:
    check_away(connected(replace(lake, uri="thrift://127.0.0.1:9")), lake.ref)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"uri": ""}, "/properties/uri"),
        ({"uri": "http://h:9083"}, "/properties/uri"),
        ({"warehouse": ""}, "/properties/warehouse"),
        ({"lock.enabled": "maybe"}, "/properties/lock.enabled"),
        ({"lock.type": "zookeeper"}, "/properties/lock.type"),
        ({"location-in-properties": "yes"}, "/properties/location-in-properties"),
        ({"hive-conf-dir": "/etc/hive"}, "/properties/hive-conf-dir"),
        ({"metastore.client.class": "com.x.Y"}, "/properties/metastore.client.class"),
        ({"format-table.enabled": "false"}, "/properties/format-table.enabled"),
        ({"token": "x"}, "/properties/token"),
        ({"ugi": "a b"}, "/properties/ugi"),
    ],
)
def test_wrong_properties_are_refused_by_name(changes: dict[str, str], pointer: str) -> None:
    given = {"type": "hive", "uri": "thrift://h:9083"}
    more = {"warehouse": "s3://l/w", "lock.enabled": "true", "lock.type": "hive", "location-in-properties": "true"}
    PaimonFormat().validate({**given, **more, "ugi": "ada:lake"})
    with pytest.raises(InvalidInput) as failure:
        PaimonFormat().validate({**given, **changes})
    assert pointer in [each.pointer for each in failure.value.problems]


def test_a_deployment_in_production_refuses_a_metastore_of_its_own_machine() -> None:
    given = {"type": "hive", "uri": "thrift://127.0.0.1:9083"}
    assert [each.pointer for each in LocationRules(allows_local=False).problems_of_uris(given)] == ["/properties/uri"]


@pytest.fixture
def copied(lake: MetastoreLake, other_metastore: Metastore) -> MetastoreLake:
    """The table's entry in a Metastore of another release; Paimon's own client knows the calls of release 2."""
    entry = lake.entry()
    with other_metastore.client() as client:
        client.create_database(Database(name="lake", locationUri=f"file:{lake.root}/lake.db"))
        client.create_table(entry)
    return replace(lake, metastore=other_metastore)


def test_other_releases_are_read_as_well(copied: MetastoreLake) -> None:
    try:
        assert [step.ok for step in connected(copied).check()] == [True] * 4
        assert connected(copied).pointers([TableRef("lake", ("nowhere",), "events")]) == {}
        assert connected(copied).open_table(copied.ref).digest().num_rows == 3
        assert copied.held_lock() is None
    finally:
        with copied.metastore.client() as client:
            client.drop_database("lake", deleteData=False, cascade=True)
