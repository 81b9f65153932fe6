"""Files of a run: found by name, removed only where nothing needs them."""

from pathlib import Path

import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO

from engine.domain.errors import Fatal, PackhouseError
from tests.support.iceberg_tables import (
    RUN_ID,
    Lake,
    append_files,
    edit_metadata,
    group_of,
    ids_of,
    live_paths,
    nothing,
    request_of,
    write_group,
)


def test_files_of_a_run_are_listed_in_the_tables_own_spelling(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    assert opened.commits.list_outputs(RUN_ID) == []
    written = write_group(opened, group_of(opened))
    assert opened.commits.list_outputs(RUN_ID) == [written.outputs[0].path]
    assert opened.commits.list_outputs("run_0") == []


def test_files_that_no_snapshot_has_are_removed(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    write_group(opened, group_of(opened))
    assert opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=1) == 1
    assert opened.commits.list_outputs(RUN_ID) == []
    assert ids_of(lake.load()) == list(range(20))


def test_files_to_keep_are_kept_in_any_spelling(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    path = write_group(opened, group_of(opened)).outputs[0].path
    assert opened.commits.remove_outputs(RUN_ID, frozenset({path.replace("file:///", "file:/")}), up_to_attempt=1) == 0


def test_files_of_later_attempts_are_left_alone(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    for attempt in (1, 2, 3):
        write_group(opened, group_of(opened), attempt=attempt)
    assert opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=2) == 2
    assert [path.rpartition("/")[2] for path in opened.commits.list_outputs(RUN_ID)] == [f"{RUN_ID}-00000-3-0.parquet"]


def test_committed_files_are_never_removed_even_when_the_view_is_older(lake: Lake):
    """M9: files of a run are reclaimed only where no snapshot has them."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=9) == 0
    assert live_paths(lake.load()) == [written.outputs[0].path]


def test_files_of_snapshots_off_the_main_branch_are_never_removed(lake: Lake):
    """F27: what only a branch or tag refers to is live."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    with lake.load().manage_snapshots() as manage:
        manage.create_tag(outcome.snapshot_id or 0, "kept")
    lake.load().delete()
    assert opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=9) == 0


def test_nothing_is_removed_when_the_catalog_went_back_in_time(lake: Lake):
    """F13: on the word of older metadata, files of newer snapshots would be deleted."""
    append_files(lake.create(), 2)
    opened = lake.open()
    write_group(opened, group_of(opened))

    def to_the_past(body: dict[str, int]) -> None:
        body["last-sequence-number"] -= 1
        body["last-updated-ms"] -= 1

    edit_metadata(lake.load(), to_the_past)
    with pytest.raises(Fatal, match="went back in time"):
        opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=1)
    assert len(opened.commits.list_outputs(RUN_ID)) == 1


def test_another_table_under_the_name_is_fatal(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    write_group(opened, group_of(opened))
    lake.catalog.drop_table(("sales", "orders"))
    lake.create()
    with pytest.raises(Fatal, match="is another one now"):
        opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=1)


def metadata_names(lake: Lake) -> set[str]:
    folder = Path(lake.load().location().removeprefix("file://"), "metadata")
    return {path.name for path in folder.glob("*.avro")}


@pytest.fixture
def staged(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The metadata files of a commit whose process was killed before it sent anything: nothing was discarded."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    before = metadata_names(lake)

    def end() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.formats.iceberg.commits.tries.discard", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        opened.commits.commit(request_of(opened, written), before_try=end)
    monkeypatch.undo()
    return metadata_names(lake) - before


def test_manifests_and_the_list_of_a_killed_commit_are_removed_once_no_commit_is_under_way(
    lake: Lake, staged: set[str]
):
    assert len(staged) == 3, "a list, removed and added files"
    opened, others = lake.open(), metadata_names(lake) - staged
    assert opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=1) == 1
    assert staged <= metadata_names(lake), "a commit may be under way"
    assert opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=0, is_settled=True) == 0
    assert opened.commits.remove_outputs("run_0", frozenset(), up_to_attempt=1, is_settled=True) == 0
    assert opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=1, is_settled=True) == 3
    assert metadata_names(lake) == others
    assert ids_of(lake.load()) == list(range(20))


def test_the_list_goes_before_the_manifests_that_it_is_known_by(
    lake: Lake, staged: set[str], monkeypatch: pytest.MonkeyPatch
):
    deleted: list[str] = []
    delete = PyArrowFileIO.delete

    def once(self: PyArrowFileIO, location: str) -> None:
        if deleted:
            raise OSError(location)
        deleted.append(location.rpartition("/")[2])
        delete(self, location)

    monkeypatch.setattr(PyArrowFileIO, "delete", once)
    with pytest.raises(PackhouseError):
        lake.open().commits.remove_outputs(RUN_ID, _outputs(lake), up_to_attempt=1, is_settled=True)
    monkeypatch.undo()
    assert deleted[0].startswith("snap-")
    assert lake.open().commits.remove_outputs(RUN_ID, _outputs(lake), up_to_attempt=1, is_settled=True) == 2
    assert not staged & metadata_names(lake)


def _outputs(lake: Lake) -> frozenset[str]:
    return frozenset(lake.open().commits.list_outputs(RUN_ID))


def test_manifests_of_committed_snapshots_are_never_removed(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    lake.load().delete()
    before = metadata_names(lake)
    assert opened.commits.remove_outputs(RUN_ID, frozenset(), up_to_attempt=9, is_settled=True) == 0
    assert metadata_names(lake) == before
