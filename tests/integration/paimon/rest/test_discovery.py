"""Which tables a REST catalog has: what the server lists, and nothing that could lead elsewhere."""

import pytest

from engine.domain.errors import Away, InvalidInput, NotEligible, NotFound, StateConflict
from engine.domain.tables.table import TableRef
from engine.formats.base import FileScope
from engine.formats.paimon.connection import PaimonFormat
from engine.services.catalogs.locations import LocationRules
from tests.integration.paimon.catalog_discovery import CatalogDiscovery, check_away, connected, filled
from tests.support.faulty_proxy import LOST, FaultyProxy
from tests.support.paimon.rest_lakes import TOKEN, RestLake


@pytest.fixture
def lake(rest_lake: RestLake) -> RestLake:
    return filled(rest_lake)


class TestDiscovery(CatalogDiscovery):
    """As in every catalog that names its tables."""


def test_the_databases_of_a_catalog_are_named(lake: RestLake) -> None:
    detail = connected(lake).check()[0].detail
    assert detail.partition(" at ")[0] == "1 databases (lake) in lake-warehouse"


def test_a_table_before_its_first_snapshot(rest_lake: RestLake) -> None:
    lake = rest_lake.create()
    connection = connected(lake)
    table = connection.open_table(lake.ref)
    assert (table.head_snapshot_id, table.digest().num_rows) == (None, 0)
    assert connection.pointers([lake.ref]) == {lake.ref: "schema-0"}


def test_the_pointer_changes_with_every_commit_and_schema(lake: RestLake) -> None:
    connection = connected(lake)
    seen = [connection.pointers([lake.ref])[lake.ref]]
    lake.write([[7, "b", 2.5]])
    seen.append(connection.pointers([lake.ref])[lake.ref])
    lake.call("add_column", name="more", kind="INT")
    seen.append(connection.pointers([lake.ref])[lake.ref])
    lake.call("roll_back", snapshot=2)
    seen.append(connection.pointers([lake.ref])[lake.ref])
    assert len(set(seen)) == 4
    assert connection.open_table(lake.ref).head_snapshot_id == 2


def test_a_listing_by_pages_is_limited_and_by_namespace(rest_lake: RestLake) -> None:
    """The server has pages of 100 names."""
    for number in range(105):
        RestLake(rest_lake.core, rest_lake.root, f"t{number:03}", rest_lake.url).create()
    connection = connected(rest_lake)
    listed = connection.list_tables(104)
    assert (listed.identifiers[-1], listed.is_truncated) == (("lake", "t103"), True)
    assert not (full := connection.list_tables(105)).is_truncated
    assert full.identifiers == tuple(("lake", f"t{number:03}") for number in range(105))
    assert connection.list_tables(9, lambda namespace: list(namespace) == ["other"]).identifiers == ()


def test_a_missing_table_or_database_is_named(lake: RestLake) -> None:
    connection = connected(lake)
    for ref in (TableRef("lake", ("lake",), "none"), TableRef("lake", ("none",), "events")):
        assert connection.pointers([ref, lake.ref]).keys() == {lake.ref}
        with pytest.raises(NotFound, match="the catalog has no table of this name"):
            connection.open_table(ref)


def test_a_table_that_is_created_again_has_another_identity(lake: RestLake) -> None:
    table = connected(lake).open_table(lake.ref)
    assert connected(lake).open_table(lake.ref).uuid == table.uuid
    lake.call("drop")
    with pytest.raises(NotFound):
        table.commits.find("run_1")
    lake.create()
    assert connected(lake).open_table(lake.ref).uuid != table.uuid


@pytest.mark.parametrize("kind", ["format-table", "object-table"])
def test_tables_whose_files_paimon_does_not_manage_are_refused(rest_lake: RestLake, kind: str) -> None:
    lake = rest_lake.create(type=kind)
    connection = connected(lake)
    assert connection.pointers([lake.ref]) == {}
    with pytest.raises(NotEligible, match=f"the catalog has it as {kind}: its files"):
        connection.open_table(lake.ref)


def test_an_external_table_is_refused(rest_lake: RestLake) -> None:
    lake = rest_lake.create(path=str(rest_lake.root.with_name("outside")))
    with pytest.raises(NotEligible, match="use a catalog of type filesystem"):
        connected(lake).open_table(lake.ref)
    assert connected(lake).pointers([lake.ref]) == {}


def test_a_table_of_other_users_is_left_out(lake: RestLake) -> None:
    lake.core.call("refuse_table", warehouse=str(lake.root), table="events")
    other = RestLake(lake.core, lake.root, "others", lake.url).create()
    connection = connected(lake)
    assert connection.pointers([lake.ref, other.ref]).keys() == {other.ref}
    with pytest.raises(StateConflict, match=r"answers 403.*give the catalog's property `token` one that may do this"):
        connection.open_table(lake.ref)


def test_a_database_of_other_users_is_left_out(lake: RestLake) -> None:
    lake.core.call("refuse_database", warehouse=str(lake.root), database="lake")
    assert connected(lake).list_tables(5).identifiers == ()


def test_a_wrong_token_is_no_wait(lake: RestLake) -> None:
    connection = connected(lake, token="hidden-other")
    for call in (connection.ping, lambda: connection.list_tables(5), lambda: connection.pointers([lake.ref])):
        with pytest.raises(StateConflict, match="answers 401; give the catalog's property `token`") as failure:
            call()
        assert "hidden" not in failure.value.message
    assert [step.ok for step in connection.check()] == [False]


def test_a_token_that_no_header_can_have_is_not_repeated(lake: RestLake) -> None:
    with pytest.raises(StateConflict, match="no request can be made of `uri` and the credentials") as failure:
        connected(lake, token="hidden\ntoken").ping()
    assert "hidden" not in failure.value.message


@pytest.mark.parametrize("status", [LOST, 429, 500, 503])
def test_a_server_that_is_away_is_a_wait_at_every_step(lake: RestLake, status: int) -> None:
    proxy = FaultyProxy(lake.url, before=lambda _request: status)
    with lake.behind(proxy) as away:
        check_away(connected(away), lake.ref)
    with pytest.raises(Away) as failure:  # nobody listens
        connected(away).ping()
    assert TOKEN not in failure.value.message


def test_a_registered_location_is_kept_to(lake: RestLake) -> None:
    connection = connected(lake)
    with pytest.raises(NotEligible, match="is not below"):
        connection.open_table(lake.ref, FileScope(str(lake.root / "lake.db" / "other"))).digest()


def test_a_deployment_in_production_refuses_servers_and_places_of_its_own_machine(lake: RestLake) -> None:
    rules = LocationRules(allows_local=False)
    assert [each.pointer for each in rules.problems_of_uris(lake.properties)] == ["/properties/uri"]
    with pytest.raises(InvalidInput):
        PaimonFormat(check_peer=rules.check_peer).connect("lake", lake.properties).ping()
    strict = PaimonFormat(check_location=lambda place: rules.check([place], allowed=())).connect("l", lake.properties)
    assert strict.pointers([lake.ref]) == {}
    with pytest.raises(InvalidInput, match="local disk"):
        strict.open_table(lake.ref)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"uri": ""}, "/properties/uri"),
        ({"uri": "lake.internal"}, "/properties/uri"),
        ({"uri": "ftp://lake.internal"}, "/properties/uri"),
        ({"uri": "https://"}, "/properties/uri"),
        ({"uri": "https://lake.internal?x=y"}, "/properties/uri"),
        ({"uri": "https://user@lake.internal"}, "/properties/uri"),
        ({"uri": "https://lake.internal:port"}, "/properties/uri"),
        ({"token": ""}, "/properties/token"),
        ({"token.provider": "oauth2"}, "/properties/token.provider"),
        ({"data-token.enabled": "1"}, "/properties/data-token.enabled"),
        ({"dlf.access-key-id": "x"}, "/properties/dlf.access-key-id"),
        ({"warehouse": ""}, "/properties/warehouse"),
        ({"type": "jdbc"}, "/properties/token"),
    ],
)
def test_wrong_properties_are_refused_by_name(changes: dict[str, str], pointer: str) -> None:
    given = {"type": "rest", "warehouse": "w", "uri": "https://lake.internal/api", "token": "t"}
    PaimonFormat().validate({**given, "token.provider": "bear", "s3.region": "eu-west-1"})
    with pytest.raises(InvalidInput) as failure:
        PaimonFormat().validate({**given, **changes})
    assert pointer in [each.pointer for each in failure.value.problems]


@pytest.mark.parametrize("name", ["uri", "token"])
def test_a_missing_property_is_named(name: str) -> None:
    given = {"type": "rest", "warehouse": "w", "uri": "env:CATALOG", "token": "env:TOKEN"}
    PaimonFormat().validate(given)
    del given[name]
    with pytest.raises(InvalidInput) as failure:
        PaimonFormat().validate(given)
    assert [each.pointer for each in failure.value.problems] == [f"/properties/{name}"]


def test_the_token_is_a_secret() -> None:
    plain = PaimonFormat().plain_properties()
    assert not plain.have("token")
    assert all(map(plain.have, ("uri", "warehouse", "token.provider")))
