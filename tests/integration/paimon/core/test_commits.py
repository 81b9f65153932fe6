"""Commits of compactions: once each, in competition with other writers, and without side effects."""

import json
from typing import Any

import pytest

from engine.formats.base import CommitRequest
from engine.formats.paimon.task.contract import EXACT_FILES
from tests.support.paimon.compactions import Commits, compact, own_files, tasks
from tests.support.paimon.edits import edit_json
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.paimon.rewrites import RUN, committed, compacted_by_packhouse, opened, rewritten

pytestmark = pytest.mark.usefixtures("core_child")


def keyed(lake: PaimonLake, **options: str) -> PaimonLake:
    def make(made: PaimonLake) -> None:
        made.create(primary_keys=["id"], bucket="1", write_only="true", **options)
        for number in range(4):
            made.write([[each, "d", float(number)] for each in range(10)])

    return made_once(lake.core, lake.root, f"four commits of ten keys {options}", make)


def snapshot(lake: PaimonLake, number: int) -> dict[str, Any]:
    return dict(json.loads((lake.folder / "snapshot" / f"snapshot-{number}").read_text()))


def test_a_snapshot_has_the_user_and_the_properties(lake: PaimonLake) -> None:
    result = compact(tasks(keyed(lake))[0])
    properties = {"packhouse.run-id": "run", "packhouse.attempt": "1", "packhouse.groups": "0"}
    answer = Commits(lake.folder, properties=properties).commit(result, identifier=7)
    assert (answer.outcome, answer.snapshot_id) == ("committed", 5)
    found = snapshot(lake, 5)
    assert (found["commitKind"], found["commitUser"], found["commitIdentifier"]) == ("COMPACT", "packhouse-run-1", 7)
    assert found["properties"] == properties


def test_the_same_commit_is_not_made_twice(lake: PaimonLake) -> None:
    result = compact(tasks(keyed(lake))[0])
    assert Commits(lake.folder).commit(result).outcome == "committed"
    lake.write([[99, "d", 1.0]])
    again = Commits(lake.folder).commit(result)
    assert (again.outcome, again.snapshot_id) == ("nothing", 5)
    assert lake.call("inspect")["snapshot"] == 6


def test_no_messages_make_no_snapshot(lake: PaimonLake) -> None:
    answer = Commits(keyed(lake, commit__force_create_snapshot="true").folder).commit()
    assert (answer.outcome, answer.snapshot_id) == ("nothing", None)
    assert lake.call("inspect")["snapshot"] == 4


def test_rows_that_were_appended_in_between_are_kept(lake: PaimonLake) -> None:
    result = compact(tasks(keyed(lake))[0])
    lake.write([[3, "d", 30.0], [99, "d", 99.0]])
    rows = lake.call("values")
    assert Commits(lake.folder).commit(result).outcome == "committed"
    assert lake.call("values") == rows
    assert [99, "d", 99.0] in rows


@pytest.mark.parametrize("first", ["compact", "truncate", "overwrite"])
def test_inputs_that_another_writer_removed_are_a_conflict(lake: PaimonLake, first: str) -> None:
    result = compact(tasks(keyed(lake))[0])
    match first:
        case "compact":
            lake.compact()
        case "truncate":
            lake.call("truncate")
        case _:
            lake.write([[1, "e", 2.0]], overwrite={})
    rows, newest = lake.call("values"), lake.call("inspect")["snapshot"]
    answer = Commits(lake.folder).commit(result)
    assert (answer.outcome, answer.snapshot_id) == ("conflict", None)
    assert "File deletion conflicts detected" in answer.reason
    assert (lake.call("values"), lake.call("inspect")["snapshot"]) == (rows, newest)
    assert own_files(lake) != []  # a commit never removes files


def test_a_new_deletion_vector_of_an_input_is_a_conflict(lake: PaimonLake) -> None:
    lake.create(deletion_vectors__enabled="true")
    for number in range(3):
        lake.write([[each, "d", float(number)] for each in range(10)])
    result = compact(tasks(lake, kind=EXACT_FILES)[0])
    lake.call("delete", every=4)
    rows = lake.call("values")
    answer = Commits(lake.folder).commit(result)
    assert answer.outcome == "conflict"
    assert lake.call("values") == rows


def test_a_commit_expires_nothing_and_creates_no_tag(lake: PaimonLake) -> None:
    keyed(
        lake,
        snapshot__num_retained__min="1",
        snapshot__num_retained__max="1",
        snapshot__time_retained="1 ms",
        tag__automatic_creation="process-time",
        tag__creation_period="hourly",
    )
    assert Commits(lake.folder).commit(compact(tasks(lake)[0])).outcome == "committed"
    assert sorted(each.name for each in (lake.folder / "snapshot").glob("snapshot-*")) == [
        f"snapshot-{number}" for number in range(1, 6)
    ]
    assert not (lake.folder / "tag").exists()


def test_classes_that_the_table_names_are_not_loaded(lake: PaimonLake) -> None:
    """The core would fail to load this one after the commit."""
    result = compact(tasks(keyed(lake))[0])
    add_option(lake, "commit.callbacks", "org.example.None")
    assert Commits(lake.folder).commit(result).outcome == "committed"


def test_a_table_whose_schema_leads_to_another_branch_is_left_alone(lake: PaimonLake) -> None:
    task = tasks(keyed(lake))[0]
    result = compact(task)
    add_option(lake, "branch", "other")
    answer = Commits(lake.folder).commit(result)
    assert answer.outcome == "failed"
    assert "that leads to" in answer.reason
    assert "that leads to" in (compact(task).reason or "")


def test_a_schema_with_another_path_leads_nowhere(lake: PaimonLake) -> None:
    result = compact(tasks(keyed(lake))[0])
    add_option(lake, "path", str(lake.folder.with_name("other")))
    assert Commits(lake.folder).commit(result).outcome == "committed"
    assert snapshot(lake, 5)["commitKind"] == "COMPACT"
    assert not lake.folder.with_name("other").exists()


def add_option(lake: PaimonLake, name: str, value: str) -> None:
    """Write an option into the schema, as no client of the table can."""
    schema = lake.folder / "schema" / "schema-0"
    edit_json(schema, options={**json.loads(schema.read_text())["options"], name: value})


def test_what_can_not_be_committed_fails_the_commit(lake: PaimonLake) -> None:
    """A damaged message, a table that does not exist, and outputs that are gone."""
    result, other = compact(tasks(keyed(lake))[0]), str(lake.folder / "other")
    answers = [Commits(lake.folder).commit(result, messages=("AAAACwAA",)), Commits(other).commit(result)]
    for each in own_files(lake):
        each.unlink()
    answers.append(Commits(lake.folder).commit(result))
    assert [(each.outcome, each.snapshot_id) for each in answers] == [("failed", None)] * 3
    assert "other" in answers[1].reason
    assert "have been deleted" in answers[2].reason
    assert lake.call("inspect")["snapshot"] == 4


def test_a_commit_reads_no_snapshot_from_before_its_plan(lake: PaimonLake) -> None:
    """A table whose writers expire nothing has thousands; the core's search for an earlier send reads them all."""
    table, rows = opened(keyed(lake)), lake.call("values")
    request = CommitRequest(RUN, 1, 4, table.schema_id, rewritten(table, full=True))
    (lake.folder / "snapshot" / "snapshot-3").write_text("{")
    assert opened(lake).commits.commit(request, before_try=lambda: None).snapshot_id == 5
    assert lake.call("values") == rows


def test_a_commit_without_outputs_that_was_taken_back_is_not_proven(lake: PaimonLake) -> None:
    keyed(lake)
    lake.write([[each, "d", 0.0] for each in range(10)], kinds="D" * 10)
    table = opened(lake)
    groups = rewritten(table, full=True)
    assert [each.outputs for each in groups] == [()]
    assert committed(lake, table, groups).ok
    lake.call("roll_back", snapshot=5)
    proof = opened(lake).commits.prove(6, groups)
    assert (proof.ok, proof.was_taken_back) == (False, True)


def test_a_merge_of_manifests_by_another_writer_is_no_commit_of_the_run(lake: PaimonLake) -> None:
    """Paimon copies the properties of the snapshot before, and with them the id of the run."""
    proof = compacted_by_packhouse(keyed(lake))
    lake.call("compact_manifests")
    copied = snapshot(lake, proof.snapshot_id + 1)
    assert (copied["commitKind"], copied["properties"]) == ("COMPACT", snapshot(lake, proof.snapshot_id)["properties"])
    table = opened(lake)
    assert [each.snapshot_id for each in table.commits.find(RUN)] == [proof.snapshot_id]
    newest = table.snapshots(1)[0]
    assert (newest.snapshot_id, newest.compactor) == (proof.snapshot_id + 1, ("paimon", copied["commitUser"]))
    assert [each.rewrite_id for each in table.expiry.old_copies()] == [proof.snapshot_id]
