"""Commits against other writers, other compactors and catalogs that lose answers."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.update import AddSnapshotUpdate
from pyiceberg.typedef import Record
from pyiceberg.types import StringType

from engine.domain.errors import CommitConflict, OutcomeUnknown, Transient
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.commits.commit import TableCommits
from engine.formats.iceberg.commits.tries import MAX_TRIES, CommitTries
from tests.support.iceberg_tables import (
    BY_CITY,
    RUN_ID,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    group_of,
    groups_by_partition,
    ids_of,
    intercept_commits,
    live_paths,
    local_files,
    nothing,
    request_of,
    write_group,
)


def committer(opened: IcebergTable) -> TableCommits:
    """Return the commits of a table that do not wait."""
    tries = CommitTries(catalog=opened._catalog, fresh=opened._fresh, sleep=lambda _: None)
    return dataclasses.replace(opened.commits, tries=lambda: tries)


class Times:
    """Runs an action for the first `count` calls."""

    def __init__(self, count: int, action: Callable[[int], None]) -> None:
        self.left = count
        self.action = action
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if self.left:
            self.left -= 1
            self.action(self.calls)


def test_appends_between_load_and_commit_never_fail_a_rewrite(lake: Lake):
    """L9, P5: written outputs are reused on each new head."""
    append_files(lake.create(), 3)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    appends = Times(5, lambda call: append_files(lake.load(), 1, first=1000 + call * 10))
    outcome = committer(opened).commit(request_of(opened, written), before_try=appends)
    assert outcome.tries == 6
    assert ids_of(lake.load()) == [*range(30), *range(1010, 1060)]
    assert opened.commits.prove(outcome.snapshot_id or 0, [written]).ok


def test_lost_tries_leave_no_metadata_of_ours(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    appends = Times(3, lambda call: append_files(lake.load(), 1, first=1000 + call * 10))
    committer(opened).commit(request_of(opened, written), before_try=appends)
    table = lake.load()
    referenced = {
        path.rpartition("/")[2]
        for snapshot in table.metadata.snapshots
        for path in (snapshot.manifest_list, *(each.manifest_path for each in snapshot.manifests(table.io)))
    }
    written_names = {name for name in local_files(lake.folder / "warehouse") if name.endswith(".avro")}
    assert written_names == referenced


def test_sixteen_lost_races_are_a_conflict(lake: Lake):
    """L9: a commit is tried at most 16 times."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    before = files_but_metadata(lake)
    tries = []

    def lose(_: Callable[[], Any]) -> None:
        tries.append(1)
        with lake.load().transaction() as other:
            other.set_properties(tries=str(len(tries)))
        raise CommitFailedException("lost")

    intercept_commits(opened, lose)
    with pytest.raises(CommitConflict, match="16 races"):
        committer(opened).commit(request_of(opened, written), before_try=nothing)
    assert len(tries) == MAX_TRIES
    assert files_but_metadata(lake) == before


def files_but_metadata(lake: Lake) -> set[str]:
    return {each for each in local_files(lake.folder / "warehouse") if not str(each).endswith(".metadata.json")}


def test_a_group_with_a_source_that_is_gone_is_dropped_whole(lake: Lake):
    """L10: all sources are live before each try, otherwise the group is dropped."""
    table = lake.create(spec=BY_CITY)
    append_files(table, 2, city="Aachen")
    append_files(table, 2, first=100, city="Bonn")
    opened = lake.open()
    written = [write_group(opened, group) for group in groups_by_partition(opened)]
    lake.load().delete("id < 5")
    outcome = opened.commits.commit(request_of(opened, *written), before_try=nothing)
    assert (outcome.committed, outcome.dropped) == ((1,), {0: "source_gone"})
    assert ids_of(lake.load()) == [*range(5, 20), *range(100, 120)]
    assert opened.commits.prove(outcome.snapshot_id or 0, [written[1]]).ok


def test_an_overwrite_that_wins_the_race_drops_the_group(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    overwrite = Times(1, lambda _: lake.load().delete("id = 3"))
    outcome = committer(opened).commit(request_of(opened, written), before_try=overwrite)
    assert (outcome.snapshot_id, outcome.dropped, outcome.tries) == (None, {0: "source_gone"}, 2)
    assert 3 not in ids_of(lake.load())


def test_of_two_compactors_one_wins_and_no_row_doubles(lake: Lake):
    """M9: the commit detects that other files replaced the inputs."""
    append_files(lake.create(), 4)
    mine, other = lake.open(), lake.open()
    my_group = write_group(mine, group_of(mine), attempt=1)
    other_group = write_group(other, group_of(other), attempt=2)
    assert other.commits.commit(request_of(other, other_group, attempt=2), before_try=nothing).snapshot_id is not None
    outcome = mine.commits.commit(request_of(mine, my_group), before_try=nothing)
    assert (outcome.snapshot_id, outcome.dropped) == (None, {0: "source_gone"})
    assert ids_of(lake.load()) == list(range(40))


def test_a_new_position_delete_on_an_input_drops_the_group(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    path = live_paths(lake.load())[0]
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 0)], aimed=True))
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert outcome.dropped == {0: "new_deletes"}
    assert len(ids_of(lake.load())) == 19


def test_a_new_position_delete_with_an_old_sequence_number_drops_the_group_too(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    path = live_paths(lake.load())[0]
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 0)]), sequence_number=2)
    assert opened.commits.commit(request_of(opened, written), before_try=nothing).dropped == {0: "new_deletes"}


def test_a_new_delete_hidden_behind_later_appends_is_still_seen(lake: Lake):
    """F7: looked for from the base to the head, not in the head alone."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    path = live_paths(lake.load())[0]
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 0)]))
    append_files(lake.load(), 2, first=500)
    assert opened.commits.commit(request_of(opened, written), before_try=nothing).dropped == {0: "new_deletes"}


def test_a_new_delete_in_another_partition_drops_only_that_partition(lake: Lake):
    table = lake.create(spec=BY_CITY)
    append_files(table, 2, city="Aachen")
    append_files(table, 2, first=100, city="Bonn")
    opened = lake.open()
    written = [write_group(opened, group) for group in groups_by_partition(opened)]
    bonn = next(path for path in live_paths(lake.load()) if "Bonn" in path)
    commit_deletes(lake.load(), delete_file(lake.load(), [(bonn, 0)], partition=Record("Bonn")))
    outcome = opened.commits.commit(request_of(opened, *written), before_try=nothing)
    assert (outcome.committed, outcome.dropped) == ((0,), {1: "new_deletes"})
    assert len(ids_of(lake.load())) == 39


def test_a_new_equality_delete_drops_the_group(lake: Lake):
    """F6: it must go on applying to the rows that it was meant for."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    commit_deletes(lake.load(), delete_file(lake.load(), [("", 3)], equality_id=1))
    assert opened.commits.commit(request_of(opened, written), before_try=nothing).dropped == {0: "new_deletes"}


def test_a_rollback_below_the_base_is_a_conflict(lake: Lake):
    append_files(lake.create(), 3)
    first = lake.load().metadata.snapshots[0].snapshot_id
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    lake.load().manage_snapshots().rollback_to_snapshot(first).commit()
    with pytest.raises(CommitConflict, match="no longer in the history of the main branch"):
        opened.commits.commit(request_of(opened, written), before_try=nothing)


def test_a_changed_schema_is_a_conflict(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))

    def widen(_: int) -> None:
        with lake.load().update_schema() as update:
            update.add_column("note", StringType())

    with pytest.raises(CommitConflict, match="the schema changed from 0 to 1"):
        committer(opened).commit(request_of(opened, written), before_try=Times(1, widen))
    assert ids_of(lake.load()) == list(range(20))


def test_a_table_made_anew_under_the_name_is_a_conflict(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    lake.catalog.drop_table(("sales", "orders"))
    append_files(lake.create(), 2)
    with pytest.raises(CommitConflict, match="the table was replaced"):
        opened.commits.commit(request_of(opened, written), before_try=nothing)


def test_a_lost_answer_after_a_success_is_unknown_and_found_again(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))

    def lose_the_answer(commit: Callable[[], Any]) -> None:
        commit()
        raise ConnectionError("broken pipe")

    intercept_commits(opened, lose_the_answer)
    with pytest.raises(OutcomeUnknown, match="broken pipe"):
        opened.commits.commit(request_of(opened, written, attempt=3), before_try=nothing)
    (found,) = lake.open().commits.find(RUN_ID)
    assert (found.groups, found.attempt) == ((0,), 3)
    assert opened.commits.prove(found.snapshot_id, [written]).ok
    assert ids_of(lake.load()) == list(range(20))


def test_nothing_is_deleted_while_an_outcome_is_unknown(lake: Lake):
    """F14, L11: the commit may have landed, and then what it wrote is the table."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    before = local_files(lake.folder / "warehouse")

    def time_out(_: Callable[[], Any]) -> None:
        raise TimeoutError("no answer")

    intercept_commits(opened, time_out)
    with pytest.raises(OutcomeUnknown):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert before < local_files(lake.folder / "warehouse")
    assert lake.open().commits.find(RUN_ID) == []


def test_a_commit_that_was_sent_twice_and_refused_the_second_time_stands(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))

    def sent_twice(commit: Callable[[], Any]) -> None:
        commit()
        raise CommitFailedException("the table has moved: by this very commit")

    intercept_commits(opened, sent_twice)
    outcome = committer(opened).commit(request_of(opened, written), before_try=nothing)
    assert outcome.snapshot_id == lake.load().current_snapshot().snapshot_id
    assert outcome.tries == 1
    assert ids_of(lake.load()) == list(range(20))


def test_a_definite_no_without_a_table_to_read_is_unknown(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    loads = iter([opened._load()])

    def load() -> Any:
        found = next(loads, None)
        if found is None:
            raise ConnectionError("the catalog is gone")
        return found

    def lose(_: Callable[[], Any]) -> None:
        raise CommitFailedException("lost")

    intercept_commits(opened, lose)
    opened._load = load
    with pytest.raises(OutcomeUnknown, match="could not read the table"):
        committer(opened).commit(request_of(opened, written), before_try=nothing)


def test_a_catalog_that_does_not_answer_before_anything_was_sent_is_transient(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))

    def load() -> Any:
        raise ConnectionError("the catalog is gone")

    opened._load = load
    with pytest.raises(Transient):
        opened.commits.commit(request_of(opened, written), before_try=nothing)


def test_every_try_asserts_uuid_head_and_schema(lake: Lake):
    """L3: the catalog compares the head and swaps it in one step."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    sent: list[Any] = []
    real = opened._catalog.commit_table

    def record(table: Any, requirements: Any, updates: Any) -> Any:
        sent.append((requirements, updates))
        return real(table, requirements, updates)

    opened._catalog.commit_table = record  # type: ignore[method-assign]
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    ((requirements, updates),) = sent
    assert [each.type for each in requirements] == [
        "assert-table-uuid",
        "assert-ref-snapshot-id",
        "assert-current-schema-id",
    ]
    assert isinstance(updates[0], AddSnapshotUpdate)
