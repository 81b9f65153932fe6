"""Catalog connections: what is refused without connecting, what a check tells, and what errors become."""

import socket
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import InvalidInput, NotFound, StateConflict, TableUnreadable, Transient
from engine.domain.tables.table import TableRef
from engine.domain.values.uris import masked
from engine.formats.base import TableListing
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.catalog.rest import sessions
from engine.formats.intake.catalogs.databases import with_time_limit
from engine.services.catalogs.locations import LocationRules
from tests.support.iceberg_tables import SCHEMA, Lake, append_files
from tests.support.postgres_server import PostgresServer


@pytest.mark.parametrize(
    ("properties", "pointers"),
    [
        ({}, {"/properties/type", "/properties/uri"}),
        ({"type": "hive", "uri": "https://h:9083"}, {"/properties/uri"}),
        ({"type": "dynamodb"}, {"/properties/type"}),
        (
            {"type": "glue", "glue.id": "lake", "glue.endpoint": "glue", "client.region": "moon"},
            {"/properties/glue.id", "/properties/glue.endpoint", "/properties/client.region"},
        ),
        ({"type": "glue", "client.role-arn": "lake"}, {"/properties/client.role-arn"}),
        ({"type": "glue", "client.access-key-id": "a"}, {"/properties/client.secret-access-key"}),
        ({"type": "rest", "uri": "https://h", "rest.sigv4-enabled": "yes"}, {"/properties/rest.sigv4-enabled"}),
        ({"type": "rest"}, {"/properties/uri"}),
        ({"type": "rest", "uri": "sqlite:///x"}, {"/properties/uri"}),
        ({"type": "sql", "uri": "mysql://h/d"}, {"/properties/uri"}),
        ({"type": "sql", "uri": "sqlite:///x", "py-io-impl": "a.B"}, {"/properties/py-io-impl"}),
        ({"type": "sql", "uri": "sqlite:///x", "warehouse": ""}, {"/properties/warehouse"}),
    ],
)
def test_wrong_properties_are_named_with_a_remedy(properties: dict[str, str], pointers: set[str]):
    with pytest.raises(InvalidInput) as caught:
        IcebergFormat().validate(properties)
    assert {problem.pointer for problem in caught.value.problems} == pointers
    assert all(problem.hint for problem in caught.value.problems)


@pytest.mark.parametrize(
    "properties",
    [
        {"type": "rest", "uri": "https://catalog.example/api", "token": "env:TOKEN"},
        {"type": "sql", "uri": "postgresql+psycopg://u:p@h/d"},
        {"type": "sql", "uri": "env:CATALOG_URI"},
        {"type": "glue"},
        {"type": "glue", "glue.id": "123456789012", "client.role-arn": "arn:aws:iam::123456789012:role/a/b"},
        {"type": "sql", "uri": "sqlite:////tmp/c.db", "warehouse": "file:///tmp/w"},
    ],
)
def test_sound_properties_pass(properties: dict[str, str]):
    IcebergFormat().validate(properties)


def test_a_password_in_a_wrong_address_is_not_repeated():
    with pytest.raises(InvalidInput) as caught:
        IcebergFormat().validate({"type": "rest", "uri": "mysql://user:secret@host/db"})
    assert "secret" not in str(caught.value.problems)


def test_a_check_tells_every_step_of_a_working_catalog(lake: Lake):
    append_files(lake.create(), 1)
    steps = lake.connection.check()
    assert [(step.name, step.ok) for step in steps] == [
        ("properties", True),
        ("open_catalog", True),
        ("list_namespaces", True),
        ("list_tables", True),
        ("read_table", True),
        ("write_file", True),
        ("may_commit", True),
    ]
    assert "sales.orders: 1 snapshots" in steps[-3].detail


def test_a_check_of_an_empty_catalog_works(tmp_path: Path):
    lake = Lake.make(tmp_path)
    lake.catalog.drop_namespace("sales")
    assert all(step.ok for step in lake.connection.check())
    lake.close()


def test_a_check_stops_at_the_first_step_that_fails_and_hides_passwords():
    with socket.socket() as reserved:  # bound, never listening: connections are refused
        reserved.bind(("127.0.0.1", 0))
        uri = f"postgresql+psycopg://user:secret@127.0.0.1:{reserved.getsockname()[1]}/db"
        connection = IcebergFormat().connect("lake", {"type": "sql", "uri": uri})
        (_, step) = connection.check()
    assert (step.name, step.ok) == ("open_catalog", False)
    assert "secret" not in step.detail
    connection.close()


def test_a_catalog_that_does_not_answer_is_transient():
    with socket.socket() as reserved:  # bound, never listening: connections are refused
        reserved.bind(("127.0.0.1", 0))
        uri = f"postgresql+psycopg://user@127.0.0.1:{reserved.getsockname()[1]}/db"
        connection = IcebergFormat().connect("lake", {"type": "sql", "uri": uri})
        with pytest.raises(Transient, match="Could not open the catalog of"):
            connection.open_table(TableRef("lake", ("sales",), "orders"))
    connection.close()


def test_a_database_that_can_not_be_meant_is_a_conflict_with_the_remedy(tmp_path: Path):
    (tmp_path / "text").write_text("no database at all, but long enough for a header" * 10)
    for uri in (f"sqlite:///{tmp_path}/no/such/folder.db", f"sqlite:///{tmp_path}/text"):
        connection = IcebergFormat().connect("lake", {"type": "sql", "uri": uri})
        with pytest.raises(StateConflict, match="check the catalog's `uri`"):
            connection.open_table(TableRef("lake", ("sales",), "orders"))
        connection.close()


def test_a_database_without_a_catalog_is_a_conflict_with_the_remedy(tmp_path: Path):
    connection = IcebergFormat().connect("lake", {"type": "sql", "uri": f"sqlite:///{tmp_path}/other.db"})
    with pytest.raises(StateConflict, match="has no Iceberg catalog"):
        connection.list_tables(10)
    connection.close()


def test_wrong_credentials_of_a_database_are_a_conflict(postgres_server: PostgresServer):
    uri = postgres_server.url("no_such_database")
    connection = IcebergFormat().connect("lake", {"type": "sql", "uri": uri})
    with pytest.raises(StateConflict, match="check the catalog's `uri`"):
        connection.list_tables(10)
    connection.close()


def test_a_misspelt_property_is_noted_with_the_nearest(lake: Lake):
    properties = {"type": "sql", "uri": f"sqlite:///{lake.folder}/catalog.db", "warehous": "x", "catalog-name": "lake"}
    others = {"our.own": "y", "io-impl": "org.apache.iceberg.aws.s3.S3FileIO", "header.X-Tokn": "z", "s3.region": "a"}
    connection = IcebergFormat().connect("lake", {**properties, "s3.acces-key-id": "x", **others})
    step = connection.check()[0]
    assert (step.name, step.ok) == ("properties", True)
    assert step.detail == (
        "'warehous' is not known; did you mean 'warehouse'?; "
        "'s3.acces-key-id' is not known; did you mean 's3.access-key-id'?"
    )
    connection.close()


def test_a_check_names_the_other_catalogs_of_a_database_that_has_no_tables_of_this_one(lake: Lake):
    lake.create()
    connection = IcebergFormat().connect("ours", {"type": "sql", "uri": f"sqlite:///{lake.folder}/catalog.db"})
    details = {step.name: step.detail for step in connection.check()}
    wanted = f"the database has tables of other catalogs ({lake.catalog.name}): set catalog-name to one of them"
    assert details["list_namespaces"] == f"0 namespaces; {wanted}"
    connection.close()


def test_metadata_is_not_read_where_it_may_not_lie(lake: Lake):
    table = lake.create()
    Path(table.metadata_location.removeprefix("file://")).unlink()
    rules = LocationRules(allows_local=False)
    served = IcebergFormat(check_location=lambda location: rules.check([location], allowed=()))
    uri = f"sqlite:///{lake.folder}/catalog.db"
    connection = served.connect("lake", {"type": "sql", "uri": uri, "catalog-name": lake.catalog.name})
    with pytest.raises(InvalidInput, match=r"metadata\.json: the table's location: it is on a local disk"):
        connection.open_table(TableRef("lake", ("sales",), "orders"))
    connection.close()


def test_tables_of_all_namespaces_are_listed_in_order(lake: Lake):
    for namespace in (("a",), ("a", "b"), ("a", "b", "c"), ("z_",), ("zz",), ("empty",)):
        lake.catalog.create_namespace(namespace)
    for identifier in (("zz", "t"), ("a", "b", "t"), ("a", "t2"), ("a", "t1"), ("a", "b", "c", "t"), ("z_", "t")):
        lake.catalog.create_table(identifier, SCHEMA)
    listing = lake.connection.list_tables(100)
    assert listing.identifiers == (
        ("a", "t1"), ("a", "t2"), ("a", "b", "t"), ("a", "b", "c", "t"), ("z_", "t"), ("zz", "t"),
    )  # fmt: skip
    assert not listing.is_truncated


def test_a_listing_stops_at_its_limit_and_says_so(lake: Lake):
    for number in range(3):
        lake.create(f"t{number}")
    assert lake.connection.list_tables(3) == TableListing(
        (("sales", "t0"), ("sales", "t1"), ("sales", "t2")), is_truncated=False
    )
    assert lake.connection.list_tables(2) == TableListing((("sales", "t0"), ("sales", "t1")), is_truncated=True)


def test_an_empty_catalog_has_no_tables(lake: Lake):
    assert lake.connection.list_tables(10).identifiers == ()


def test_a_rest_catalog_that_refuses_connections_is_transient():
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        connection = IcebergFormat().connect("lake", {"type": "rest", "uri": uri})
        with pytest.raises(Transient):
            connection.open_table(TableRef("lake", ("sales",), "orders"))


def test_no_tables_are_made_in_somebody_elses_database(tmp_path: Path):
    connection = IcebergFormat().connect("lake", {"type": "sql", "uri": f"sqlite:///{tmp_path}/other.db"})
    steps = connection.check()
    assert not steps[-1].ok
    assert "no such table" in steps[-1].detail
    connection.close()


@pytest.mark.parametrize("ref", [TableRef("lake", ("sales",), "nothing"), TableRef("lake", ("no", "where"), "orders")])
def test_a_table_that_is_not_there_is_not_found(lake: Lake, ref: TableRef):
    with pytest.raises(NotFound):
        lake.connection.open_table(ref)


def test_a_catalog_whose_rows_carry_another_name_is_reached_by_a_property(lake: Lake):
    append_files(lake.create(), 1)
    properties = {"type": "sql", "uri": f"sqlite:///{lake.folder}/catalog.db", "catalog-name": "lake"}
    connection = IcebergFormat().connect("production", properties)
    assert connection.open_table(TableRef("production", ("sales",), "orders")).digest().num_rows == 1
    connection.close()


def test_a_vanished_manifest_is_the_tables_condition(lake: Lake):
    append_files(lake.create(), 1)
    opened = lake.open()
    drop_manifests(lake)
    with pytest.raises(TableUnreadable, match="read the manifests"):
        opened.digest()


def test_a_manifest_that_vanished_after_a_newer_commit_is_transient(lake: Lake):
    append_files(lake.create(), 1)
    opened = lake.open()
    drop_manifests(lake)
    with lake.load().transaction() as change:
        change.set_properties({"owner": "sales"})
    with pytest.raises(Transient, match="changed while it was read"):
        opened.digest()


def drop_manifests(lake: Lake) -> None:
    table = lake.load()
    for manifest in table.current_snapshot().manifests(table.io):
        Path(manifest.manifest_path.removeprefix("file://")).unlink()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("postgresql://u:p@h/d", "postgresql://u:***@h/d"),
        ("see https://a:b@c/d and s3://bucket/key", "see https://***@c/d and s3://bucket/key"),
        ("postgresql+psycopg://u:p@ss@h/d", "postgresql+psycopg://u:***@h/d"),
        ("sqlite:////tmp/x.db", "sqlite:////tmp/x.db"),
    ],
)
def test_passwords_in_addresses_are_masked(given: str, shown: str):
    assert masked(given) == shown


DEAD_PEERS = "keepalives_count=3&keepalives_idle=30&keepalives_interval=10&tcp_user_timeout=60000"


@pytest.mark.parametrize(
    ("given", "limited"),
    [
        ("sqlite:////tmp/x.db", "sqlite:////tmp/x.db?timeout=10"),
        ("postgresql://u:p%40@h/d", f"postgresql+psycopg://u:p%40@h/d?connect_timeout=10&{DEAD_PEERS}"),
        ("postgresql://h/d?connect_timeout=3&a=b", f"postgresql+psycopg://h/d?a=b&connect_timeout=3&{DEAD_PEERS}"),
    ],
)
def test_database_addresses_get_a_time_limit(given: str, limited: str):
    assert with_time_limit(given) == limited


def test_a_server_that_is_not_reached_is_named_with_the_reason():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # refuses connections, as it does not listen
        uri = f"http://127.0.0.1:{unused.getsockname()[1]}"
        (*_, step) = IcebergFormat().connect("lake", {"type": "rest", "uri": uri}).check()
    told = f"{uri} did not answer: [Errno 111] Connection refused; if that server runs, check `uri`"
    assert step.detail == f"Could not open catalog: ConnectionError: {told}"


def test_rest_requests_have_a_time_limit(monkeypatch):
    monkeypatch.setattr(sessions, "ANSWER_SECONDS", 0.2)
    with socket.socket() as silent:  # accepts, never answers
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        uri = f"http://127.0.0.1:{silent.getsockname()[1]}"
        connection: Any = IcebergFormat().connect("lake", {"type": "rest", "uri": uri})
        with pytest.raises(Transient, match="timed out"):
            connection.open_table(TableRef("lake", ("sales",), "orders"))
