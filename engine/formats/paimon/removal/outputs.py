"""Find the files that a run's tasks wrote by their names, and delete those that no snapshot needs.

The core puts the prefix of a task (`domain.runs.output_names.output_prefix`) before the names of its data and changelog
files. Lists all files of the table, which takes seconds on a large one.
"""

from collections.abc import Callable, Sequence
from typing import Final

from engine.domain.runs.output_names import attempt_of
from engine.formats.paimon.metadata.snapshots import Snapshot
from engine.formats.paimon.removal.records import check_same, origin_of
from engine.formats.paimon.rewrite.commits import find_commits
from engine.formats.paimon.view import TableView
from engine.formats.removal.deletions import outputs_up_to, remove_outputs
from engine.rewriting.kernel.storage.stores.addresses import file_name

METADATA_FOLDERS: Final = frozenset(
    {"schema", "snapshot", "manifest", "tag", "branch", "changelog", "consumer", "service", "packhouse-deletions"}
)
"""Folders of a table that have no data files."""


def list_run_files(view: TableView, run_id: str) -> Sequence[str]:
    """Return the sorted paths of the files of a run in the folders of partitions and buckets."""
    storage, location = view.files.storage, view.files.location
    folders = [name for name in storage.folders(location) if name not in METADATA_FOLDERS]
    paths = [path for name in folders for path in storage.files_below(f"{location}/{name}")]
    own = (path for path in paths if attempt_of(file_name(path), run_id) is not None)
    return sorted(path for path in own if not storage.places.is_behind_link(path))  # behind a link: of others


def remove_run_files(load: Callable[[], TableView], run_id: str, *, keep: frozenset[str], up_to_attempt: int) -> int:
    """Delete a run's files of attempts up to a number, except `keep` and those that a commit of the run has added.

    Only commits of the run can add files of the run: those of expired snapshots are found among the live files.

    Args:
        load: returns the current version of the table.
        run_id: the run.
        keep: paths of files that are needed.
        up_to_attempt: later attempts may still write.

    Returns:
        The number of deleted files.

    Raises:
        TableReplaced: another table has this name now.
    """
    view = load()

    def referenced() -> frozenset[str]:
        now = load()
        check_same(now, origin_of(view))
        return _referenced(now, now.stored_snapshots(), run_id)

    found = outputs_up_to(list_run_files(view, run_id), run_id, up_to_attempt, keep)
    return len(remove_outputs(found, referenced, view.files.storage.delete))


def _referenced(view: TableView, snapshots: Sequence[Snapshot], run_id: str) -> frozenset[str]:
    """Return the names of live files, of files that the run's commits added, and of the changelog files of these."""
    reader = view.reader
    committed = {each.snapshot_id for each in find_commits(snapshots, run_id)}
    lists = [
        list_file
        for each in snapshots
        if each.id in committed
        for list_file in (each.delta, each.changelog)
        if list_file is not None
    ]
    names = set(view.live.files["name"].to_pylist())
    for each in lists:
        names.update(reader.entries(reader.listed(each))["name"].to_pylist())
    return frozenset(names)
