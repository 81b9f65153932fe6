"""A REST catalog that answers differently between plan, commit, expiry and removal: its tables keep their rows.

A stale replica or a cache in front of a catalog lies in the same way as a hostile one.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest

from engine.domain.errors import OutcomeUnknown, PackhouseError
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat, IcebergTable
from engine.formats.iceberg.catalog.paths import normalised
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.removal.file_lists import FileKind
from tests.support.expired_files import Deletion, drop_snapshots, ids, needed, stored
from tests.support.iceberg_tables import (
    RUN_ID,
    Lake,
    append_files,
    group_of,
    ids_of,
    live_paths,
    nothing,
    orders,
    request_of,
    write_group,
)
from tests.support.rest_catalog import RestCatalogServer, _document

TABLE = ("sales", "orders")
REF = TableRef("rest", ("sales",), "orders")


@pytest.fixture
def server(lake: Lake) -> Iterator[RestCatalogServer]:
    append_files(lake.create(), 2)
    append_files(lake.load(), 1, first=20)
    append_files(lake.create("salaries"), 1, first=500)
    with RestCatalogServer(catalog=lake.catalog).running() as running:
        yield running


def open_table(server: RestCatalogServer) -> IcebergTable:
    return IcebergFormat().connect("rest", {"type": "rest", "uri": server.uri}).open_table(REF)


def answer(lake: Lake, name: str, change: Callable[[Any], None] = lambda _body: None) -> bytes:
    """Return the answer for a table as it is now, changed."""
    body = _document(lake.load(name))
    change(body["metadata"])
    return json.dumps(body).encode()


def forget_head(metadata: Any) -> None:
    head = metadata["current-snapshot-id"]
    metadata["snapshots"] = [each for each in metadata["snapshots"] if each["snapshot-id"] != head]
    parent = metadata["snapshots"][-1]["snapshot-id"]
    metadata["current-snapshot-id"] = metadata["refs"]["main"]["snapshot-id"] = parent
    metadata["snapshot-log"] = metadata["snapshot-log"][:-1]
    metadata["last-sequence-number"] -= 1


def rename(metadata: Any) -> None:
    metadata["table-uuid"] = "00000000-0000-0000-0000-000000000001"


def moved_to(lake: Lake, name: str) -> Callable[[Any], None]:
    """Return what lets a table be where another one is."""
    location = lake.load(name).location()

    def move(metadata: Any) -> None:
        metadata["location"] = location
        metadata["last-updated-ms"] += 1000

    return move


LIES: Mapping[str, Callable[[Lake], bytes]] = {
    "as before the commit": lambda lake: answer(lake, "orders"),
    "as before the last append": lambda lake: answer(lake, "orders", forget_head),
    "another uuid": lambda lake: answer(lake, "orders", rename),
    "another table": lambda lake: answer(lake, "salaries"),
    "the location of another table": lambda lake: answer(lake, "orders", moved_to(lake, "salaries")),
}


@pytest.mark.parametrize("lie", LIES)
def test_f62_f14_a_commit_that_took_effect_keeps_its_files_whatever_the_catalog_answers_then(
    lake: Lake, server: RestCatalogServer, lie: str
) -> None:
    """F14: the catalog answers that it refuses the commit, and then with metadata that does not have it."""
    told = LIES[lie](lake)
    opened = open_table(server)
    written = write_group(opened, group_of(opened))

    def lie_from_now_on(_status: int) -> int:
        server.answers[TABLE] = told
        return 409

    server.before_answer = lie_from_now_on
    with pytest.raises(OutcomeUnknown):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    server.answers.clear()
    (found,) = open_table(server).commits.find(RUN_ID)
    assert open_table(server).commits.prove(found.snapshot_id, [written]).ok
    assert ids_of(lake.load()) == list(range(30))


@pytest.mark.parametrize("lie", LIES)
def test_f62_a_commit_by_another_answer_than_the_plan_s_changes_no_row(
    lake: Lake, server: RestCatalogServer, lie: str
) -> None:
    """F62: the catalog answers otherwise since the files were written, also to what removes them."""
    told, others = LIES[lie](lake), stored(lake.load("salaries"))
    opened = open_table(server)
    written = write_group(opened, group_of(opened))
    server.answers[TABLE] = told
    with suppress(PackhouseError):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    for seen in (opened, open_table(server)):
        with suppress(PackhouseError):
            seen.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=9, is_settled=True)
    server.answers.clear()
    assert needed(lake.load()) <= stored(lake.load())
    assert ids_of(lake.load()) == list(range(30))
    assert stored(lake.load("salaries")) == others
    assert ids_of(lake.load("salaries")) == list(range(500, 510))


@pytest.mark.parametrize("lie", LIES)
def test_f13_no_file_of_a_run_is_removed_by_what_the_catalog_answered_before(
    lake: Lake, server: RestCatalogServer, lie: str
) -> None:
    """F13: the outputs of a run that was committed, and its metadata files."""
    told, seen = LIES[lie](lake), open_table(server)
    opened = open_table(server)
    written = write_group(opened, group_of(opened))
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    seen = open_table(server)
    server.answers[TABLE] = told
    with suppress(PackhouseError):
        seen.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=9, is_settled=True)
    assert ids_of(lake.load()) == list(range(30))


class RestDeletion(Deletion):
    """A deletion of expired files of a table that the REST catalog names."""

    server: RestCatalogServer

    def view(self) -> TableView:
        return open_table(self.server)._fresh()


@pytest.mark.parametrize("step", ["find", "delete"])
@pytest.mark.parametrize("lie", LIES)
def test_f13_f62_an_expiry_deletes_no_needed_file_whatever_the_catalog_answers_since(
    lake: Lake, server: RestCatalogServer, lie: str, step: str
) -> None:
    """F13: between the expiry and the removal of its files the catalog answers with older or other metadata."""
    lake.load().overwrite(orders(range(40)))
    told = LIES[lie](lake)
    deletion = RestDeletion(lake)
    deletion.server = server
    files = deletion.expire(ids(lake.load().metadata)[:-1])
    append_files(lake.load(), 1, first=40)
    if step == "delete":
        files.find()
    server.answers[TABLE] = told
    with suppress(PackhouseError):
        files.find() if step == "find" else files.delete(deletion.removal())
    server.answers.clear()
    assert needed(lake.load()) <= stored(lake.load())
    assert ids_of(lake.load()) == list(range(50))


def empty_and_newer(metadata: Any) -> None:
    metadata |= {"snapshots": [], "refs": {}, "current-snapshot-id": -1, "snapshot-log": []}
    metadata["last-updated-ms"] += 1000
    metadata["last-sequence-number"] += 1


def test_f13_an_answer_without_snapshots_after_an_expiry_makes_no_file_unneeded(
    lake: Lake, server: RestCatalogServer
) -> None:
    """The answer is newer than the expiry, so that nothing but the record of the expiry shows what it lacks."""
    deletion = RestDeletion(lake)
    deletion.server = server
    files = deletion.expire(ids(lake.load().metadata)[:1])
    server.answers[TABLE] = answer(lake, "orders", empty_and_newer)
    files.find()
    assert files.delete(deletion.removal()).deleted.keys() == {FileKind.MANIFEST_LIST}
    server.answers.clear()
    assert needed(lake.load()) <= stored(lake.load())
    assert ids_of(lake.load()) == list(range(30))


@pytest.mark.parametrize("is_list_in_store", [True, False])
def test_f13_files_of_a_snapshot_that_vanished_after_an_expiry_stay_until_its_manifest_list_is_gone(
    lake: Lake, is_list_in_store: bool
) -> None:
    """Another program expires a snapshot that the run kept; the manifest list is what it deletes last."""
    append_files(lake.create(), 1)
    (first,) = stored(lake.load()) & set(map(normalised, live_paths(lake.load())))
    append_files(lake.load(), 1, first=10)
    lake.load().overwrite(orders(range(40)))
    one, other, *more, head = ids(lake.load().metadata)
    deletion = Deletion(lake)
    files = deletion.expire([one])
    manifest_list = lake.load().metadata.snapshot_by_id(other).manifest_list  # type: ignore[union-attr]
    drop_snapshots(lake.load(), [other, *more])
    if not is_list_in_store:
        lake.load().io.delete(manifest_list)
    deletion.finish(files)
    assert (first in stored(lake.load())) is is_list_in_store
    assert [each.snapshot_id for each in lake.load().metadata.snapshots] == [head]
    assert ids_of(lake.load()) == list(range(40))
