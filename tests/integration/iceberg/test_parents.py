"""The parent of a snapshot that is not proven yet outlives expiry, and can be gone back to while nobody came after."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pyiceberg.exceptions import CommitFailedException

from engine.domain.errors import OutcomeUnknown
from engine.formats.base import CommitOutcome, RollBack
from engine.formats.iceberg import IcebergTable
from tests.support.iceberg_tables import (
    Lake,
    append_files,
    edit_metadata,
    group_of,
    intercept_commits,
    live_paths,
    nothing,
    request_of,
    write_group,
)


def committed(lake: Lake, *, protects_parent: bool = True) -> tuple[IcebergTable, int, int]:
    """Commit a rewrite; return the table, the snapshot and its parent."""
    append_files(lake.create(), 3)
    return again(lake, protects_parent=protects_parent)


def again(lake: Lake, *, protects_parent: bool = True) -> tuple[IcebergTable, int, int]:
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    request = replace(request_of(opened, written), protects_parent=protects_parent)
    outcome: CommitOutcome = opened.commits.commit(request, before_try=nothing)
    assert outcome.snapshot_id is not None
    assert opened.head_snapshot_id is not None
    return opened, outcome.snapshot_id, opened.head_snapshot_id


def tags(lake: Lake) -> dict[str, int]:
    refs = lake.load().metadata.refs
    return {name: ref.snapshot_id for name, ref in refs.items() if name != "main"}


def expire_all_but_newest(lake: Lake) -> set[int]:
    """Expire as an engine that keeps one snapshot does; return what is left."""
    table = lake.load()
    kept = {ref.snapshot_id for ref in table.metadata.refs.values()}
    table.maintenance.expire_snapshots().by_ids(
        [each.snapshot_id for each in table.metadata.snapshots if each.snapshot_id not in kept]
    ).commit()
    return {each.snapshot_id for each in lake.load().metadata.snapshots}


def test_the_commit_itself_tags_the_parent(lake: Lake) -> None:
    _, snapshot_id, parent = committed(lake)
    (name,) = tags(lake)
    assert name.startswith("packhouse-parent-")
    assert tags(lake)[name] == parent
    assert expire_all_but_newest(lake) == {snapshot_id, parent}


def test_the_age_of_a_tag_counts_from_its_snapshot_so_an_old_parent_gets_a_longer_one(lake: Lake) -> None:
    append_files(lake.create(), 3)
    edit_metadata(lake.load(), lambda body: age_snapshots(body, days=30))
    again(lake)
    (name,) = tags(lake)
    age = lake.load().metadata.refs[name].max_ref_age_ms
    assert age is not None
    assert timedelta(days=36.9) < timedelta(milliseconds=age) < timedelta(days=37.1)


def age_snapshots(body: dict[str, Any], *, days: int) -> None:
    for each in (*body["snapshots"], *body["snapshot-log"]):
        each["timestamp-ms"] -= days * 24 * 3600 * 1000


def test_a_parent_is_kept_without_an_end_where_that_is_asked_for(lake: Lake) -> None:
    opened, snapshot_id, parent = committed(lake, protects_parent=False)
    assert opened.commits.protect_parent("run_2", snapshot_id) == parent
    assert lake.load().metadata.refs[f"packhouse-parent-run_2-{parent}"].max_ref_age_ms is None
    assert opened.commits.protect_parent("run_2", 12345) is None


def test_without_it_expiry_takes_the_parent(lake: Lake) -> None:
    _, snapshot_id, _ = committed(lake, protects_parent=False)
    assert tags(lake) == {}
    assert expire_all_but_newest(lake) == {snapshot_id}


def test_a_tag_goes_when_the_snapshot_is_proven_and_tags_of_others_stay(lake: Lake) -> None:
    opened, _, parent = committed(lake)
    lake.load().manage_snapshots().create_tag(parent, "audit-2026").commit()
    (name,) = (each for each in tags(lake) if each != "audit-2026")
    assert opened.commits.release() == [name]
    assert set(tags(lake)) == {"audit-2026"}
    assert opened.commits.release() == ()


@pytest.mark.parametrize("protects_parent", [True, False])
def test_what_a_dead_run_left_goes_with_the_next_commit(lake: Lake, protects_parent: bool) -> None:
    committed(lake)
    append_files(lake.load(), 2, first=100)
    left = set(tags(lake))
    _, _, parent = again(lake, protects_parent=protects_parent)
    assert not left & set(tags(lake))
    assert set(tags(lake).values()) == ({parent} if protects_parent else set())


def test_a_try_that_lost_its_race_leaves_no_tag(lake: Lake) -> None:
    append_files(lake.create(), 3)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    races = [1]

    def lose_first(commit: Callable[[], Any]) -> Any:
        if races.pop() if races else 0:
            append_files(lake.load(), 1, first=100)
        return commit()

    intercept_commits(opened, lose_first)
    outcome = opened.commits.commit(replace(request_of(opened, written), protects_parent=True), before_try=nothing)
    assert outcome.tries == 2
    snapshot = lake.load().snapshot_by_id(outcome.snapshot_id or 0)
    assert snapshot is not None
    assert set(tags(lake).values()) == {snapshot.parent_snapshot_id}


def test_rolling_back_brings_the_parent_back_and_takes_the_tag_along(lake: Lake) -> None:
    opened, snapshot_id, parent = committed(lake)
    before = lake.load().snapshot_by_id(parent)
    assert opened.commits.undo(snapshot_id) is RollBack.DONE
    assert lake.load().current_snapshot() == before
    assert len(live_paths(lake.load())) == 3
    assert tags(lake) == {}
    assert opened.commits.undo(snapshot_id) is RollBack.DONE


def test_what_others_committed_after_it_is_not_taken_back(lake: Lake) -> None:
    opened, snapshot_id, _ = committed(lake)
    append_files(lake.load(), 1, first=100)
    rows = lake.load().scan().to_arrow().num_rows
    assert opened.commits.undo(snapshot_id) is RollBack.FOLLOWED
    assert lake.load().scan().to_arrow().num_rows == rows
    assert len(tags(lake)) == 1


def test_a_writer_that_commits_at_the_same_instant_wins(lake: Lake) -> None:
    """The append lands between our look at the table and the change of its ref."""
    opened, snapshot_id, _ = committed(lake)
    others = [1]

    def append_first(commit: Callable[[], Any]) -> Any:
        if others:
            others.pop()
            append_files(lake.load(), 1, first=100)
        return commit()

    intercept_commits(opened, append_first)
    assert opened.commits.undo(snapshot_id) is RollBack.FOLLOWED
    assert lake.load().scan().to_arrow().num_rows == 40


def test_a_change_of_anything_else_does_not_stop_it(lake: Lake) -> None:
    opened, snapshot_id, parent = committed(lake)
    others = [1]

    def change_first(commit: Callable[[], Any]) -> Any:
        if others:
            others.pop()
            lake.load().transaction().set_properties(colour="blue").commit_transaction()
        return commit()

    intercept_commits(opened, change_first)
    assert opened.commits.undo(snapshot_id) is RollBack.DONE
    assert lake.load().current_snapshot().snapshot_id == parent


def test_without_a_parent_there_is_no_way_back(lake: Lake) -> None:
    opened, snapshot_id, _ = committed(lake, protects_parent=False)
    expire_all_but_newest(lake)
    assert opened.commits.undo(snapshot_id) is RollBack.NO_PARENT
    assert lake.load().current_snapshot().snapshot_id == snapshot_id


def test_a_lost_answer_is_unknown_and_the_question_can_be_repeated(lake: Lake) -> None:
    opened, snapshot_id, parent = committed(lake)
    lost = [1]

    def lose_answer(commit: Callable[[], Any]) -> Any:
        found = commit()
        if lost:
            lost.pop()
            message = "connection reset by peer"
            raise ConnectionResetError(message)
        return found

    intercept_commits(opened, lose_answer)
    with pytest.raises(OutcomeUnknown):
        opened.commits.undo(snapshot_id)
    assert opened.commits.undo(snapshot_id) is RollBack.DONE
    assert lake.load().current_snapshot().snapshot_id == parent


def test_a_catalog_that_always_refuses_ends_the_tries(lake: Lake) -> None:
    opened, snapshot_id, _ = committed(lake)

    def refuse(_commit: Callable[[], Any]) -> Any:
        raise CommitFailedException

    intercept_commits(opened, refuse)
    assert opened.commits.undo(snapshot_id) is RollBack.FOLLOWED
    assert opened.commits.release() == ()
