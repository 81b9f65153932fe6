"""Which tables a JDBC catalog has: the rows of its database, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.errors import InvalidInput, NotFound, StateConflict
from engine.domain.tables.table import TableRef
from engine.formats.paimon.catalog import database
from engine.formats.paimon.connection import PaimonFormat
from engine.services.catalogs.locations import LocationRules
from tests.integration.paimon.catalog_discovery import CatalogDiscovery, check_away, connected, filled
from tests.support.mariadb_server import PASSWORD, USER
from tests.support.paimon.jdbc_lakes import ON_ALL, CatalogHome, JdbcLake
from tests.support.postgres_server import PostgresServer


@pytest.fixture
def lake(jdbc_lake: JdbcLake) -> JdbcLake:
    return filled(jdbc_lake)


@ON_ALL
class TestDiscovery(CatalogDiscovery):
    """As in every catalog that names its tables."""


def insert(home: CatalogHome, database: str, name: str, key: str = "jdbc") -> None:
    home.execute("INSERT INTO paimon_tables VALUES (:key, :database, :name)", key=key, database=database, name=name)


@ON_ALL
def test_a_listing_is_limited_and_by_namespace(lake: JdbcLake) -> None:
    for name in ("b", "a", "c"):
        insert(lake.home, "other", name)
    connection = connected(lake)
    listed = connection.list_tables(2, lambda namespace: list(namespace) == ["other"])
    assert (listed.identifiers, listed.is_truncated) == ((("other", "a"), ("other", "b")), True)
    assert not connection.list_tables(4).is_truncated
    assert connection.list_tables(3).is_truncated


def test_a_listing_that_left_names_out_says_that_it_is_cut_off(lake: JdbcLake) -> None:
    for name in ("a%41", "b", "c"):
        insert(lake.home, "other", name)
    listed = connected(lake).list_tables(1, lambda namespace: list(namespace) == ["other"])
    assert (listed.identifiers, listed.is_truncated) == ((("other", "b"),), True)


def test_a_catalog_of_too_many_databases_is_refused(lake: JdbcLake, monkeypatch: pytest.MonkeyPatch) -> None:
    insert(lake.home, "other", "a")
    monkeypatch.setattr(database, "MOST_DATABASES", 1)
    with pytest.raises(StateConflict, match="more than 1 databases"):
        connected(lake).ping()


def test_a_look_at_a_path_without_a_database_creates_none(jdbc_lake: JdbcLake, tmp_path: Path) -> None:
    missing = tmp_path / "no %41 database.db"
    connection = PaimonFormat().connect("lake", {**jdbc_lake.properties, "uri": f"sqlite:///{missing}"})
    with pytest.raises(StateConflict, match="check the catalog's `uri`"):
        connection.ping()
    assert list(tmp_path.glob("*database.db*")) == []


def test_a_dropped_table_whose_folder_is_left_is_no_table(lake: JdbcLake) -> None:
    lake.home.execute("DELETE FROM paimon_tables")
    connection = connected(lake)
    assert connection.list_tables(5).identifiers == ()
    assert connection.pointers([lake.ref]) == {}
    with pytest.raises(NotFound, match="the catalog's database has no table of this name"):
        connection.open_table(lake.ref)
    assert (lake.folder / "schema" / "schema-0").exists()


def test_a_row_without_a_folder_is_named(lake: JdbcLake) -> None:
    insert(lake.home, "lake", "nowhere")
    connection = connected(lake)
    ref = TableRef("lake", ("lake",), "nowhere")
    assert list(connection.pointers([ref, lake.ref])) == [lake.ref]
    with pytest.raises(NotFound, match="the catalog's database has it, but there is no table at"):
        connection.open_table(ref)


@ON_ALL
def test_another_catalog_key_has_other_tables(lake: JdbcLake) -> None:
    insert(lake.home, "lake", "others", key="other")
    connection = connected(lake, **{"catalog-key": "other"})
    assert connection.list_tables(5).identifiers == (("lake", "others"),)
    assert connection.pointers([lake.ref]) == {}
    assert connected(lake).list_tables(5).identifiers == (("lake", "events"),)


HOSTILE = ["..", ".", "", "../lake.db/events", "a/b", "a\\b", "%2e%2e", "a%2fb", "a%2Fb", "a\nb", "a\x7fb"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_no_tables_and_lead_nowhere(lake: JdbcLake, name: str, tmp_path: Path) -> None:
    secret = tmp_path / "outside" / "schema"
    secret.mkdir(parents=True)
    (secret / "schema-0").write_bytes((lake.folder / "schema" / "schema-0").read_bytes())
    insert(lake.home, "lake", name)
    insert(lake.home, name, "events")
    connection = connected(lake)
    assert connection.list_tables(9).identifiers == (("lake", "events"),)
    assert [step.ok for step in connection.check()] == [True, True, True]
    for ref in (TableRef("lake", ("lake",), name), TableRef("lake", (name,), "events")):
        assert connection.pointers([ref]) == {}
        with pytest.raises(NotFound, match="the name can't be that of a folder"):
            connection.open_table(ref)


@pytest.mark.parametrize("name", ["it's", "a b", "täble", "a;b--", "a:b", "a$b", "a*b"])
def test_unusual_names_are_found(lake: JdbcLake, name: str) -> None:
    insert(lake.home, "lake", name)
    lake.folder.rename(lake.folder.with_name(name))
    ref = TableRef("lake", ("lake",), name)
    assert connected(lake).open_table(ref).digest().num_rows == 3


@ON_ALL
def test_a_database_without_a_catalog_is_refused(jdbc_lake: JdbcLake) -> None:
    connection = connected(jdbc_lake)
    with pytest.raises(StateConflict, match="this database has no Paimon catalog: check `uri`"):
        connection.list_tables(5)
    assert [step.ok for step in connection.check()] == [False]


def test_a_database_that_is_away_is_a_wait_at_every_step(tcp_postgres: PostgresServer, lake: JdbcLake) -> None:
    away = replace(lake, home=CatalogHome("postgresql://u:hidden@127.0.0.1:9/x", {}))
    check_away(connected(away), lake.ref)


def test_a_refused_user_is_no_wait(tcp_postgres: PostgresServer, jdbc_lake: JdbcLake) -> None:
    wrong = CatalogHome(f"postgresql://nobody:hidden@127.0.0.1:{tcp_postgres.port}/postgres", {})
    with pytest.raises(StateConflict, match="check the catalog's `uri` and the rights of its user") as failure:
        connected(replace(jdbc_lake, home=wrong)).ping()
    assert "hidden" not in failure.value.message


@pytest.mark.parametrize(
    "uri",
    [
        *("postgresql://h:port/x", "postgresql://[::1/x", "sqlite:///x?nonsense=1"),
        *("postgresql://127.0.0.1:9/x?nonsense=1", "mysql:///x", "mysql://127.0.0.1:9/x?read_default_file=/etc/my.cnf"),
    ],
)
def test_an_address_that_can_not_be_used_is_refused(jdbc_lake: JdbcLake, uri: str) -> None:
    with pytest.raises(StateConflict):
        connected(replace(jdbc_lake, home=CatalogHome(uri, {}))).ping()


@ON_ALL
def test_user_and_password_are_properties_of_their_own(tcp_postgres: PostgresServer, lake: JdbcLake) -> None:
    if lake.home.uri.startswith("sqlite"):
        with pytest.raises(StateConflict, match="is not an address of a database"):
            connected(lake, **{"jdbc.user": "x"}).ping()
        return
    scheme, _, address = lake.home.uri.replace("+psycopg", "").rpartition("@")
    apart = replace(lake, home=replace(lake.home, uri=f"{scheme.partition(':')[0]}://{address}"))
    given = {"jdbc.user": USER, "jdbc.password": PASSWORD}
    assert connected(apart, **given).list_tables(1).identifiers == (("lake", "events"),)
    if lake.home.uri.startswith("mysql"):  # the other server trusts everyone
        with pytest.raises(StateConflict, match="check the catalog's `uri` and the rights of its user"):
            connected(apart, **{**given, "jdbc.password": "wrong"}).ping()


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"uri": ""}, "/properties/uri"),
        ({"uri": "jdbc:postgresql://h/x"}, "/properties/uri"),
        ({"uri": "oracle://h/x"}, "/properties/uri"),
        ({"uri": "sqlite://"}, "/properties/uri"),
        ({"jdbc.ssl": "true"}, "/properties/jdbc.ssl"),
        ({"lock.enabled": "maybe"}, "/properties/lock.enabled"),
        ({"packhouse.lock-time-zone": "Mars/Base"}, "/properties/packhouse.lock-time-zone"),
        ({"packhouse.lock-time-zone": "../../etc/passwd"}, "/properties/packhouse.lock-time-zone"),
        ({"type": "filesystem"}, "/properties/uri"),
        ({"type": "hive"}, "/properties/uri"),
        ({"type": "rest"}, "/properties/token"),
    ],
)
def test_wrong_properties_are_refused_by_name(changes: dict[str, str], pointer: str) -> None:
    given = {"type": "jdbc", "warehouse": "s3://lake/w", "uri": "postgresql://h/x"}
    PaimonFormat().validate({**given, "packhouse.lock-time-zone": "Asia/Shanghai", "catalog-key": "k"})
    with pytest.raises(InvalidInput) as failure:
        PaimonFormat().validate({**given, **changes})
    assert pointer in [each.pointer for each in failure.value.problems]
    del given["uri"]
    with pytest.raises(InvalidInput, match="Paimon catalog"):
        PaimonFormat().validate(given)


@pytest.mark.parametrize(
    "uri",
    [
        "sqlite:////var/lib/catalog.db",
        "postgresql://127.0.0.1/x",
        "postgresql://169.254.169.254/x",
        "postgresql://h/x?host=localhost",
        "postgresql:///x",
        "mysql://127.0.0.1:3306/x",
        "mysql:///x",
        "mysql://h/x?unix_socket=/run/mysqld/mysqld.sock",
        "mariadb://localhost/x",
        "postgresql+psycopg://u@/x?host=/var/run/postgresql",
    ],
)
def test_a_deployment_in_production_refuses_databases_of_its_own_machine(uri: str) -> None:
    given = {"type": "jdbc", "warehouse": "s3://lake/w", "uri": uri}
    PaimonFormat().validate(given)
    problems = LocationRules(allows_local=False).problems_of_uris(given)
    assert [each.pointer for each in problems] == ["/properties/uri"]
    assert LocationRules(allows_local=True).problems_of_uris(given) == []


def test_the_password_is_a_secret() -> None:
    plain = PaimonFormat().plain_properties()
    assert not plain.have("jdbc.password")
    assert all(map(plain.have, ("uri", "jdbc.user", "catalog-key", "lock.enabled", "packhouse.lock-time-zone")))
