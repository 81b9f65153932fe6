"""Deletions that are killed between two steps, or during which other writers commit."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.table import Table

from engine.formats.iceberg.removal.records import records_of
from engine.formats.removal import bulk_deletes, deletions
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.records import Records
from tests.support.expired_files import Deletion, RunFiles, drop_snapshots, ids, needed, stored
from tests.support.iceberg_tables import RUN_ID, Lake, PreparedLake, append_files, ids_of, live_paths, orders


class KilledError(BaseException):
    """The process ends here."""


def history(lake: Lake) -> Table:
    table = lake.create()
    append_files(table, 3)
    lake.load().overwrite(orders(range(100, 120)))
    append_files(lake.load(), 1, first=200)
    return lake.load()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> PreparedLake:
    return PreparedLake.filled(tmp_path_factory.mktemp("history"), history)


@pytest.fixture
def past(prepared: PreparedLake) -> Iterator[Lake]:
    """A lake with the table of `history`."""
    with prepared.restored() as lake:
        yield lake


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_deletes, "BULK_DELETES", 3)
    monkeypatch.setattr(bulk_deletes, "_AT_ONCE", 1)


def kill_at(monkeypatch: pytest.MonkeyPatch, number: int, *, after: bool) -> list[str]:
    """Kill the process before or after its step of this number that changes a store; return the steps."""
    steps: list[str] = []
    for owner, name in ((Records, "_write"), (Records, "_delete"), (BulkDelete, "_delete")):
        monkeypatch.setattr(
            owner, name, _counted(getattr(owner, name), steps, f"{owner.__name__}{name}", number, after)
        )
    return steps


def _counted(real: Callable[..., Any], steps: list[str], name: str, number: int, after: bool) -> Callable[..., Any]:
    def step(*given: Any) -> Any:
        steps.append(name)
        if len(steps) == number and not after:
            raise KilledError
        answer = real(*given)
        if len(steps) == number:
            raise KilledError
        return answer

    return step


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, 9))
def test_a_process_that_is_killed_at_any_step_is_followed_by_another(past: Lake, number: int, after: bool) -> None:
    every, deletion = ids(past.load().metadata), Deletion(past)
    rows = ids_of(past.load())
    with pytest.MonkeyPatch.context() as patched:
        kill_at(patched, number, after=after)
        with pytest.raises(KilledError):
            deletion.run(every[:-1])
    assert needed(past.load()) <= stored(past.load())
    if every[0] in ids(past.load().metadata):  # killed before the commit: the next attempt begins with it
        deletion.run(every[:-1])
    elif deletion.begin().is_pending():
        deletion.finish(deletion.begin())
    assert stored(past.load()) == needed(past.load())
    assert ids_of(past.load()) == rows
    assert not deletion.begin().is_pending()


@pytest.mark.usefixtures("small_batches")
def test_the_steps_of_a_deletion(past: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    every = ids(past.load().metadata)
    steps = kill_at(monkeypatch, 0, after=False)
    Deletion(past).run(every[:-1])
    assert [steps[0], steps[1], steps[-1], len(steps)] == ["Records_write", "Records_write", "Records_delete", 8]
    assert set(steps[2:-1]) == {"BulkDelete_delete"}


def test_the_list_is_stored_before_the_first_file_is_deleted(past: Lake) -> None:
    every, deletion = ids(past.load().metadata), Deletion(past)
    files = deletion.expire(every[:-1])
    recorded, before = files.find(), stored(past.load())
    listed = {row["path"] for row in records_of(deletion.view(), RUN_ID).files()[1].samples(1000)}  # type: ignore[index]
    files.delete(deletion.removal())
    gone = {path.removeprefix("file:") for path in before - stored(past.load())}
    assert gone == {path.removeprefix("file://") for path in listed}
    assert recorded.files.rows == len(gone)


def add_again(table: Table, path: str) -> None:
    """Commit a data file that is stored already, as `add_files` does."""
    with table.transaction() as change:
        change.add_files([path], check_duplicate_files=False)


def a_candidate(files: RunFiles) -> str:
    return next(row["path"] for row in files.find().files.samples(1000) if row["path"].endswith(".parquet"))


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_file_that_a_writer_adds_again_after_the_list_was_stored_is_kept(past: Lake, is_resumed: bool) -> None:
    deletion = Deletion(past)
    past.load()
    files = deletion.expire(ids(past.load().metadata)[:-1])
    path = a_candidate(files)
    add_again(past.load(), path)
    _, tally, proof = deletion.finish(deletion.begin() if is_resumed else files)
    assert path in live_paths(past.load())
    assert needed(past.load()) == stored(past.load())
    assert ids_of(past.load())
    assert all(each.holds for each in proof)
    assert sum(each.files for each in tally.deleted.values()) > 3


def test_a_long_deletion_looks_at_the_table_again(past: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletions, "PROVEN_FILES", 1)
    monkeypatch.setattr(bulk_deletes, "_AT_ONCE", 1)
    past.load()
    deletion = Deletion(past)
    files = deletion.expire(ids(past.load().metadata)[:-1])
    paths = [row["path"] for batch in files.find().files.batches() for row in batch.to_pylist()]
    last = next(path for path in reversed(paths) if path.endswith(".parquet"))
    deletion.before_batch = lambda _: None if deletion.batches else add_again(past.load(), last)
    deletion.finish(files)
    assert last in live_paths(past.load())
    assert needed(past.load()) == stored(past.load())


def test_a_file_that_is_needed_after_its_deletion_fails_the_proof(past: Lake) -> None:
    past.load()
    deletion = Deletion(past)
    files = deletion.expire(ids(past.load().metadata)[:-1])
    path = a_candidate(files)
    body = Path("/" + path.removeprefix("file:").lstrip("/")).read_bytes()
    files.delete(deletion.removal())
    assert all(each.holds for each in files.prove())
    Path("/" + path.removeprefix("file:").lstrip("/")).write_bytes(body)
    add_again(past.load(), path)
    (condition,) = files.prove()
    assert not condition.holds
    assert "1 of them are needed" in condition.detail


def _append(lake: Lake) -> None:
    append_files(lake.load(), 1, first=900)


def _tag(lake: Lake) -> None:
    table = lake.load()
    table.manage_snapshots().create_tag(ids(table.metadata)[-1], "now").commit()


def _branch(lake: Lake) -> None:
    table = lake.load()
    table.manage_snapshots().create_branch(ids(table.metadata)[-2], "work").commit()


def _roll_back(lake: Lake) -> None:
    table = lake.load()
    table.manage_snapshots().set_current_snapshot(ids(table.metadata)[-2]).commit()


def _overwrite(lake: Lake) -> None:
    lake.load().overwrite(orders(range(7)))


def _delete_rows(lake: Lake) -> None:
    lake.load().delete("id < 105")


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    ("writer", "moment"),
    [
        pytest.param(writer, moment, marks=() if writer is _append or moment == "recorded" else pytest.mark.deep)
        for writer, moment in product(
            (_append, _tag, _branch, _roll_back, _overwrite, _delete_rows),
            ("announced", "expired", "recorded", "deleting", "deleted"),
        )
    ],
)
def test_writers_that_commit_at_any_moment_lose_nothing(
    past: Lake, writer: Callable[[Lake], None], moment: str
) -> None:
    every, deletion = ids(past.load().metadata), Deletion(past)
    files = deletion.begin()
    files.announce(deletion.view(), every[:-2])
    _act(writer, past, moment == "announced")
    drop_snapshots(past.load(), every[:-2])
    _act(writer, past, moment == "expired")
    files.find()
    _act(writer, past, moment == "recorded")
    deletion.before_batch = lambda _: None if len(deletion.batches) != 1 else _act(writer, past, moment == "deleting")
    files.delete(deletion.removal())
    _act(writer, past, moment == "deleted")
    assert all(each.holds for each in files.prove())
    files.close()
    assert needed(past.load()) == stored(past.load())
    for each in ids(past.load().metadata):
        past.load().scan(snapshot_id=each).to_arrow()


def _act(writer: Callable[[Lake], None], lake: Lake, is_now: bool) -> None:
    if is_now:
        writer(lake)
