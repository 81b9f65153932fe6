"""A server that answers what no REST catalog would: it costs a limited amount, and leads nowhere."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import (
    Away,
    CommitConflict,
    InvalidInput,
    NotEligible,
    NotFound,
    OutcomeUnknown,
    PackhouseError,
    StateConflict,
    TableUnreadable,
)
from engine.domain.tables.table import TableRef
from engine.formats.paimon.catalog.rest import client, pages
from engine.formats.paimon.catalog.rest.auth import BearerAuth
from engine.formats.paimon.catalog.rest.tables import RestTable
from engine.formats.paimon.connection import PaimonConnection, PaimonFormat
from engine.services.catalogs.locations import LocationRules
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.hostile_catalogs import CONFIG, HostileCatalog, Raw
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.tarpit import Tarpit

DATABASES = "/v1/databases"
TABLES = "/v1/databases/lake/tables"
TABLE = "/v1/databases/lake/tables/events"
REF = TableRef("lake", ("lake",), "events")


@pytest.fixture
def catalog() -> Iterator[HostileCatalog]:
    with HostileCatalog().running() as catalog:
        yield catalog


def connected(catalog: HostileCatalog, **properties: str) -> PaimonConnection:
    given = {"type": "rest", "warehouse": "w", "uri": catalog.url, "token": "hidden", **properties}
    return PaimonFormat().connect("lake", given)


def about(location: str, **changes: Any) -> dict[str, Any]:
    return {"id": "1", "name": "events", "path": location, "isExternal": False, "schemaId": 0, "schema": {}, **changes}


def test_only_the_prefix_of_the_configuration_is_used(catalog: HostileCatalog) -> None:
    others = {"uri": "http://127.0.0.1:9", "token": "other", "s3.endpoint": "http://127.0.0.1:9", "warehouse": "other"}
    catalog.answers = {
        CONFIG: {"defaults": {**others, "prefix": "a/../b"}, "overrides": others},
        "/v1/a%2F..%2Fb/databases": {"databases": ["lake"]},
    }
    connection = connected(catalog)
    connection.ping()
    connection.ping()
    assert catalog.asked == ["/v1/config?warehouse=w", *["/v1/a%2F..%2Fb/databases"] * 2]
    assert set(catalog.tokens) == {"Bearer hidden"}
    assert not {"s3.endpoint", "token"} & connection._properties.keys()  # what files are opened with


@pytest.mark.parametrize(
    "answer",
    [
        Raw(body=b"<html>welcome</html>"),
        Raw(body=b"[]"),
        Raw(body=b'{"databases": 7}'),
        Raw(body=b'{"databases": [7]}'),
        Raw(body=b'{"databases": [], "nextPageToken": 7}'),
        Raw(body=b"[" * 100_000),
        Raw(body=b'{"databases": ["' + b'","' * 1_100_000 + b'"]}'),
        Raw(body=b"\xff\xfe", headers={"Content-Encoding": "gzip"}),
        Raw(body=b" " * 2**20, is_endless=True),
        Raw(404, b'{"message": "no such warehouse", "resourceType": "WAREHOUSE"}'),
        Raw(404),
    ],
    ids=["html", "list", "number", "numbers", "token", "deep", "many", "gzip", "endless", "missing", "empty"],
)
def test_an_answer_that_is_none_is_told(catalog: HostileCatalog, answer: Raw) -> None:
    catalog.answers[DATABASES] = answer
    with pytest.raises(StateConflict, match="check `uri`"):
        connected(catalog).ping()
    assert [step.ok for step in connected(catalog).check()] == [False]


@pytest.mark.parametrize("prefix", [7, ".", "..", "x" * 2000, "a\ud800"])
def test_a_prefix_that_is_none_is_told(catalog: HostileCatalog, prefix: object) -> None:
    catalog.answers[CONFIG] = {"overrides": {"prefix": prefix}}
    with pytest.raises(StateConflict, match="its prefix can't be that of a path; check `uri`"):
        connected(catalog).ping()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(catalog: HostileCatalog, status: int) -> None:
    with HostileCatalog({DATABASES: {"databases": ["lake"]}}).running() as other:
        catalog.answers[DATABASES] = Raw(status, headers={"Location": f"{other.url}{DATABASES}"})
        with pytest.raises(StateConflict, match=r"a redirect to .*, which is not followed; correct `uri`"):
            connected(catalog).ping()
        assert other.asked == []


def test_pages_without_an_end_are_refused(catalog: HostileCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog.answers[DATABASES] = {"databases": [], "nextPageToken": "again"}
    with pytest.raises(StateConflict, match="its pages have no end"):
        connected(catalog).ping()
    assert len(catalog.asked) == 3
    monkeypatch.setattr(pages, "MOST_PAGES", 5)
    catalog.answers[DATABASES] = {"databases": [], "nextPageToken": "0"}
    for number in range(9):
        catalog.answers[f"{DATABASES}?pageToken={number}"] = {"databases": [], "nextPageToken": str(number + 1)}
    with pytest.raises(StateConflict, match="its pages have no end"):
        connected(catalog).ping()
    monkeypatch.setattr(pages, "MOST_NAMES", 1)
    catalog.answers[DATABASES] = {"databases": ["a", "b"], "nextPageToken": "0"}
    with pytest.raises(StateConflict, match="more than 1 databases"):
        connected(catalog).ping()


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "a\\b", "a\nb", "a\x7fb", "events$branch_b", "x" * 2000])
def test_hostile_names_are_no_tables_and_lead_nowhere(catalog: HostileCatalog, name: str) -> None:
    catalog.answers |= {DATABASES: {"databases": [name, "lake"]}, TABLES: {"tables": [name, "events"]}}
    connection = connected(catalog)
    assert connection.list_tables(9).identifiers == (("lake", "events"),)
    asked = list(catalog.asked)
    for ref in (TableRef("lake", ("lake",), name), TableRef("lake", (name,), "events")):
        assert connection.pointers([ref]) == {}
    assert catalog.asked == asked


def test_unusual_names_are_one_part_of_a_path(catalog: HostileCatalog) -> None:
    name = "a b%2e?c#d;täble"
    catalog.answers |= {DATABASES: {"databases": ["lake"]}, TABLES: {"tables": [name]}}
    connection = connected(catalog)
    assert connection.list_tables(9).identifiers == (("lake", name),)
    assert connection.pointers([TableRef("lake", ("lake",), name)]) == {}
    assert catalog.asked[-1] == f"{TABLES}/a%20b%252e%3Fc%23d%3Bt%C3%A4ble"


@pytest.mark.parametrize(
    "changes",
    [
        {"id": None},
        {"id": 7},
        {"id": ""},
        {"path": None},
        {"path": ""},
        {"path": "/"},
        {"schema": []},
        {"schema": {"options": 7}},
        {"id": "x" * 3000},
    ],
)
def test_a_table_that_is_none_is_unreadable(catalog: HostileCatalog, changes: dict[str, Any]) -> None:
    catalog.answers[TABLE] = about("/nowhere", **changes)
    assert connected(catalog).pointers([REF]) == {}
    with pytest.raises(TableUnreadable):
        connected(catalog).open_table(REF)


@pytest.mark.parametrize(
    "place", ["/etc", "file:///etc", "s3://127.0.0.1/x", "s3://lake/../x", "relative", "http://x/y"]
)
def test_a_path_that_is_not_allowed_is_not_read(catalog: HostileCatalog, place: str) -> None:
    catalog.answers[TABLE] = about(place)
    rules = LocationRules(allows_local=False)
    given = {"type": "rest", "warehouse": "w", "uri": catalog.url, "token": "hidden"}
    connection = PaimonFormat(check_location=lambda each: rules.check([each], allowed=())).connect("lake", given)
    assert connection.pointers([REF]) == {}
    with pytest.raises(InvalidInput):
        connection.open_table(REF)
    assert catalog.asked[-1] == TABLE


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    """Files of a table with two snapshots; what the catalog says of them is up to the test."""

    def make(lake: PaimonLake) -> None:
        lake.create()
        for number in range(2):
            lake.write([[number, "a", 1.5]])

    return made_once(paimon_core, tmp_path / "warehouse", "two snapshots", make)


def stated(lake: PaimonLake, number: int, **changes: Any) -> dict[str, Any]:
    body = json.loads((lake.folder / "snapshot" / f"snapshot-{number}").read_text())
    return {"snapshot": {"snapshot": {**body, **changes}, "recordCount": 1}}


def serving(catalog: HostileCatalog, lake: PaimonLake, **more: Any) -> PaimonConnection:
    """Answer with the table and its newest snapshot, or with others by the last part of their path."""
    catalog.answers |= {TABLE: about(str(lake.folder)), f"{TABLE}/snapshot": stated(lake, 2)}
    catalog.answers |= {f"{TABLE}/{part}": answer for part, answer in more.items()}
    return connected(catalog)


def test_the_catalog_decides_which_snapshot_is_the_newest(catalog: HostileCatalog, lake: PaimonLake) -> None:
    table = serving(catalog, lake, snapshot=stated(lake, 1)).open_table(REF)
    assert (table.head_snapshot_id, table.digest().num_rows) == (1, 1)
    assert [each.snapshot_id for each in table.snapshots(9)] == [1]
    before = connected(catalog).pointers([REF])
    catalog.answers[f"{TABLE}/snapshot"] = stated(lake, 2)
    assert connected(catalog).pointers([REF]) != before
    catalog.answers[f"{TABLE}/snapshot"] = Raw(404, b'{"resourceType": "SNAPSHOT", "message": "No Snapshot"}')
    assert connected(catalog).open_table(REF).head_snapshot_id is None


def test_a_snapshot_that_is_rolled_back_during_a_look_is_looked_up_again(
    catalog: HostileCatalog, lake: PaimonLake
) -> None:
    connection = serving(catalog, lake, snapshot=[stated(lake, 2, id=3), stated(lake, 2)])
    assert connection.open_table(REF).head_snapshot_id == 2


def test_snapshots_that_their_files_do_not_confirm_are_unreadable(catalog: HostileCatalog, lake: PaimonLake) -> None:
    changes = ({"id": 3}, {"commitUser": "x"}, {"baseManifestList": "../x"}, {"id": 0}, {"id": "2"}, {"version": 9})
    answers = [stated(lake, 2, **each) for each in changes]
    for answer in (*answers, {}, {"snapshot": 7}, {"snapshot": {"snapshot": []}}, Raw(body=b"x")):
        connection = serving(catalog, lake, snapshot=answer)
        assert connection.pointers([REF]) == {}
        with pytest.raises(TableUnreadable):
            connection.open_table(REF)


def test_a_404_of_another_server_or_a_catalog_without_snapshots_is_no_missing_table(
    catalog: HostileCatalog, lake: PaimonLake
) -> None:
    """A gateway without a route to the catalog knows nothing of tables."""
    with pytest.raises(Away):
        serving(catalog, lake, snapshot=Raw(404, b"no route")).open_table(REF)
    with pytest.raises(NotEligible, match="use a catalog of type filesystem"):
        serving(catalog, lake, snapshot=Raw(501)).open_table(REF)
    catalog.answers[TABLE] = Raw(404, b"no route")
    with pytest.raises(Away):
        connected(catalog).open_table(REF)


def test_a_server_that_never_answers_is_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ANSWER_SECONDS", 0.3)
    with Tarpit().running() as tarpit:
        given = {"type": "rest", "warehouse": "w", "uri": tarpit.url, "token": "hidden"}
        with pytest.raises(Away, match="ReadTimeout"):
            PaimonFormat().connect("lake", given).ping()


def test_an_answer_that_comes_slowly_is_a_wait(catalog: HostileCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ANSWER_SECONDS", 0.3)
    catalog.answers[DATABASES] = Raw(body=b" ", is_endless=True, pause_seconds=0.05)
    with pytest.raises(Away, match="Read timed out"):
        connected(catalog).ping()


@pytest.mark.parametrize("status", [405, 501])
def test_a_server_that_does_not_manage_tags_names_none(catalog: HostileCatalog, lake: PaimonLake, status: int) -> None:
    connection = serving(catalog, lake, tags=Raw(status), branches={"branches": None})
    managed = connection.open_table(REF)._view.files.managed
    assert managed is not None
    assert (managed.tags(), managed.branches()) == ((), [])


@pytest.mark.parametrize("status", [400, 409, 410, 501])
def test_a_table_that_the_server_refuses_hides_no_other(catalog: HostileCatalog, lake: PaimonLake, status: int) -> None:
    connection, refused = serving(catalog, lake), TableRef("lake", ("lake",), "no")
    catalog.answers[f"{TABLES}/no"] = Raw(status)
    assert connection.pointers([refused, REF]).keys() == {REF}
    with pytest.raises(StateConflict, match=f"answers {status}"):
        connection.open_table(refused)


def test_a_table_that_is_dropped_during_a_look_hides_no_other(catalog: HostileCatalog, lake: PaimonLake) -> None:
    connection, gone = serving(catalog, lake), TableRef("lake", ("lake",), "gone")
    catalog.answers[f"{TABLES}/gone"] = about(str(lake.folder), id="2")
    assert connection.pointers([gone, REF]).keys() == {REF}
    with pytest.raises(NotFound):
        connection.open_table(gone)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Raw(404, b"no route"), OutcomeUnknown),
        (Raw(404, b'{"message": "no such table", "resourceType": "TABLE"}'), CommitConflict),
        (Raw(502), OutcomeUnknown),
    ],
    ids=["gateway", "table", "error"],
)
def test_only_the_catalog_can_say_that_a_table_is_gone(
    catalog: HostileCatalog, answer: Raw, expected: type[PackhouseError]
) -> None:
    """An earlier send of the commit may still be under way: its files must stay."""
    catalog.answers[f"{TABLE}/commit"] = answer
    asked = client.RestClient(uri=catalog.url, auth=BearerAuth("hidden"), check_peer=lambda _address: None)
    with pytest.raises(expected):
        RestTable(asked, TABLE, "1", "/nowhere").commit("{}", "[]")


def test_messages_of_the_server_are_short_and_printable_and_tell_no_token(catalog: HostileCatalog) -> None:
    for told in ("a\x1b[31m" + "x" * 5000 + " https://u:hidden@h/", "x" * 197 + "hidden"):
        catalog.answers[TABLE] = Raw(400, json.dumps({"message": told, "resourceType": "TABLE"}).encode())
        with pytest.raises(PackhouseError) as failure:
            connected(catalog).open_table(REF)
        assert failure.value.message.isprintable()
        assert len(failure.value.message) < 400
        assert "xhid" not in failure.value.message


def test_a_table_of_another_kind_is_named(catalog: HostileCatalog) -> None:
    catalog.answers[TABLE] = about("/nowhere", schema={"options": {"type": "ICEBERG-table\n"}})
    with pytest.raises(NotEligible, match="the catalog has it as iceberg-table"):
        connected(catalog).open_table(REF)
