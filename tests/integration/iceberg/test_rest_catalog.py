"""Commits through a REST catalog: which answers are a no, and which leave the outcome unknown."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from engine.domain.errors import OutcomeUnknown, RequestNotServed, StateConflict
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergConnection, IcebergFormat, IcebergTable
from tests.support.iceberg_tables import (
    RUN_ID,
    Lake,
    append_files,
    group_of,
    ids_of,
    local_files,
    nothing,
    request_of,
    write_group,
)
from tests.support.rest_catalog import RestCatalogServer


@dataclass
class Rest:
    """A lake whose catalog Packhouse reaches over HTTP."""

    lake: Lake
    server: RestCatalogServer
    connection: IcebergConnection

    def open(self) -> IcebergTable:
        return self.connection.open_table(TableRef("rest", ("sales",), "orders"))


@pytest.fixture
def rest(lake: Lake) -> Iterator[Rest]:
    append_files(lake.create(), 3)
    with RestCatalogServer(catalog=lake.catalog).running() as server:
        connection = IcebergFormat().connect("rest", {"type": "rest", "uri": server.uri})
        yield Rest(lake, server, connection)
        connection.close()


def test_a_rewrite_is_committed_and_proven_over_http(rest: Rest):
    opened = rest.open()
    written = write_group(opened, group_of(opened))
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert opened.commits.prove(outcome.snapshot_id or 0, [written]).ok
    assert ids_of(rest.lake.load()) == list(range(30))
    assert all(step.ok for step in rest.connection.check())


def test_a_lost_race_is_tried_again_on_the_new_head(rest: Rest):
    opened = rest.open()
    written = write_group(opened, group_of(opened))
    appends = iter([100, 110])

    def append_first() -> int | None:
        if (first := next(appends, None)) is not None:
            append_files(rest.lake.load(), 1, first=first)
        return None

    rest.server.before_commit = append_first
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert (outcome.tries, rest.server.commits) == (3, 3)
    assert ids_of(rest.lake.load()) == [*range(30), *range(100, 120)]


@pytest.mark.parametrize("status", [500, 502, 503, 504, None])
def test_an_answer_lost_after_the_commit_is_unknown_and_sent_once(rest: Rest, status: int | None):
    opened = rest.open()
    written = write_group(opened, group_of(opened))
    rest.server.before_answer = lambda _: status
    with pytest.raises(OutcomeUnknown):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert rest.server.commits == 1
    (found,) = rest.open().commits.find(RUN_ID)
    assert rest.open().commits.prove(found.snapshot_id, [written]).ok
    assert ids_of(rest.lake.load()) == list(range(30))


@pytest.mark.parametrize("status", [400, 403])
def test_a_refusal_is_final_and_leaves_nothing(rest: Rest, status: int):
    """As for Iceberg's own client; a role that may read only would else repeat its run."""
    opened = rest.open()
    written = write_group(opened, group_of(opened))
    before = local_files(rest.lake.folder / "warehouse")
    rest.server.before_commit = lambda: status
    with pytest.raises(RequestNotServed, match=r"the catalog refuses the commit: .*Refused"):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert (rest.server.commits, local_files(rest.lake.folder / "warehouse")) == (1, before)


@pytest.mark.parametrize("status", [400, 403])
def test_f14_a_refusal_of_a_request_that_a_proxy_sent_twice_is_a_success(rest: Rest, status: int):
    opened = rest.open()
    written = write_group(opened, group_of(opened))
    rest.server.before_answer = lambda _: status
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert rest.server.commits == 1
    assert rest.open().commits.prove(outcome.snapshot_id or 0, [written]).ok
    assert ids_of(rest.lake.load()) == list(range(30))


def test_a_refusal_without_a_look_at_the_table_is_unknown_and_deletes_nothing(rest: Rest):
    opened = rest.open()
    written = write_group(opened, group_of(opened))

    def refuse(_: int) -> int:
        rest.server.before_get = lambda _path: 403
        return 403

    rest.server.before_answer = refuse
    with pytest.raises(OutcomeUnknown, match="and the table can't be read after it"):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    rest.server.before_get = lambda _path: None
    (found,) = rest.open().commits.find(RUN_ID)
    assert rest.open().commits.prove(found.snapshot_id, [written]).ok


@pytest.mark.parametrize("status", [404, 429, 500, 503])
def test_an_error_before_the_commit_is_unknown_too_and_deletes_nothing(rest: Rest, status: int):
    opened = rest.open()
    written = write_group(opened, group_of(opened))
    before = local_files(rest.lake.folder / "warehouse")
    rest.server.before_commit = lambda: status
    with pytest.raises(OutcomeUnknown):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert before < local_files(rest.lake.folder / "warehouse")
    assert rest.open().commits.find(RUN_ID) == []


def test_a_catalog_that_lists_no_endpoint_for_commits_gets_none(rest: Rest):
    """As Unity Catalog's, which lets clients of Iceberg read only: nothing is sent, so nothing is uncertain."""
    read = ("namespaces", "namespaces/{namespace}/tables", "namespaces/{namespace}/tables/{table}")
    rest.server.settings["endpoints"] = [f"GET /v1/{{prefix}}/{each}" for each in read]  # type: ignore[assignment]
    opened = rest.open()
    written = write_group(opened, group_of(opened))
    before = local_files(rest.lake.folder / "warehouse")
    with pytest.raises(StateConflict, match="lists no endpoint POST /v1/"):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert (rest.server.commits, local_files(rest.lake.folder / "warehouse")) == (0, before)
    *_, last = rest.connection.check()
    assert (last.name, last.ok, "only reads tables" in last.detail) == ("may_commit", False, True)


@pytest.mark.parametrize("status", [400, 404])
def test_an_address_without_a_catalog_is_a_wrong_setting_and_no_outage(rest: Rest, status: int):
    rest.server.before_get = lambda path: status if "config" in path else None
    with pytest.raises(StateConflict, match="check `uri` and `warehouse`"):
        rest.connection.list_tables(10)


def test_refused_credentials_say_what_to_do(rest: Rest):
    rest.server.get = lambda path: (  # type: ignore[method-assign]
        (200, {"defaults": {}, "overrides": {}})
        if "config" in path
        else (403, {"error": {"message": "no", "type": "ForbiddenException", "code": 403}})
    )
    with pytest.raises(StateConflict, match="credentials"):
        rest.open()
    assert [step.ok for step in rest.connection.check()][-1] is False


@pytest.mark.parametrize(("refusals", "is_opened"), [(1, True), (2, False)])
def test_a_table_is_asked_for_a_second_time_after_its_token_was_refused(rest: Rest, refusals: int, is_opened: bool):
    statuses, asked = iter([401] * refusals), list[str]()

    def refuse(path: str) -> int | None:
        if "/tables/" not in path:
            return None
        asked.append(path)
        return next(statuses, None)

    rest.server.before_get = refuse
    if is_opened:
        rest.open()
    else:
        with pytest.raises(StateConflict, match="credentials"):
            rest.open()
    assert len(asked) == 2


@contextmanager
def _sending_on(to: str) -> Iterator[tuple[str, list[str]]]:
    """Serve redirects to another server, as a catalog that was taken over would; yield its address and what came."""
    came: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            came.append(self.path)
            self.send_response(307)
            self.send_header("Location", f"{to}/latest/meta-data")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name the library gives it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", came
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_redirect_to_another_server_is_not_followed() -> None:
    with _sending_on("http://127.0.0.1:1") as (insider, came_inside), _sending_on(insider) as (catalog, came):
        steps = IcebergFormat().connect("rest", {"type": "rest", "uri": catalog}).check()
    assert came
    assert came_inside == []
    assert "redirects to another server" in steps[-1].detail
