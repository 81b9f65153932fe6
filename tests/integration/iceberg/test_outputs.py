"""Files of a run: found by name, removed only where nothing needs them."""

import pytest

from engine.domain.errors import Fatal
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
    assert opened.list_outputs(RUN_ID) == []
    written = write_group(opened, group_of(opened))
    assert opened.list_outputs(RUN_ID) == [written.outputs[0].path]
    assert opened.list_outputs("run_0") == []


def test_files_that_no_snapshot_has_are_removed(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    write_group(opened, group_of(opened))
    assert opened.remove_outputs(RUN_ID, frozenset(), up_to_attempt=1) == 1
    assert opened.list_outputs(RUN_ID) == []
    assert ids_of(lake.load()) == list(range(20))


def test_files_to_keep_are_kept_in_any_spelling(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    path = write_group(opened, group_of(opened)).outputs[0].path
    assert opened.remove_outputs(RUN_ID, frozenset({path.replace("file:///", "file:/")}), up_to_attempt=1) == 0


def test_files_of_later_attempts_are_left_alone(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    for attempt in (1, 2, 3):
        write_group(opened, group_of(opened), attempt=attempt)
    assert opened.remove_outputs(RUN_ID, frozenset(), up_to_attempt=2) == 2
    assert [path.rpartition("/")[2] for path in opened.list_outputs(RUN_ID)] == [f"{RUN_ID}-00000-3-0.parquet"]


def test_committed_files_are_never_removed_even_when_the_view_is_older(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    opened.commit(request_of(opened, written), before_try=nothing)
    assert opened.remove_outputs(RUN_ID, frozenset(), up_to_attempt=9) == 0
    assert live_paths(lake.load()) == [written.outputs[0].path]


def test_files_of_snapshots_off_the_main_branch_are_never_removed(lake: Lake):
    """F27: what only a branch or tag refers to is live."""
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    outcome = opened.commit(request_of(opened, written), before_try=nothing)
    with lake.load().manage_snapshots() as manage:
        manage.create_tag(outcome.snapshot_id or 0, "kept")
    lake.load().delete()
    assert opened.remove_outputs(RUN_ID, frozenset(), up_to_attempt=9) == 0


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
        opened.remove_outputs(RUN_ID, frozenset(), up_to_attempt=1)
    assert len(opened.list_outputs(RUN_ID)) == 1


def test_another_table_under_the_name_is_fatal(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    write_group(opened, group_of(opened))
    lake.catalog.drop_table(("sales", "orders"))
    lake.create()
    with pytest.raises(Fatal, match="is another one now"):
        opened.remove_outputs(RUN_ID, frozenset(), up_to_attempt=1)
