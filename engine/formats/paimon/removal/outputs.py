"""Find the files that a run's tasks wrote by their names, and delete those that no snapshot needs.

The core puts the prefix of a task (`domain.runs.output_names.output_prefix`) before the names of its data and changelog
files. Lists all files of the table, which takes seconds on a large one.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from engine.domain.runs.output_names import attempt_of
from engine.formats.paimon.compaction.commits import find_commits
from engine.formats.paimon.metadata.snapshots import Snapshot
from engine.formats.paimon.view import TableView
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


def remove_run_files(
    view: TableView, snapshots: Sequence[Snapshot], run_id: str, *, keep: frozenset[str], up_to_attempt: int
) -> int:
    """Delete a run's files of attempts up to a number, except `keep` and those that a commit of the run has added.

    Only commits of the run can add files of the run: those of expired snapshots are found among the live files.

    Args:
        view: the table's present state.
        snapshots: all snapshots that are not expired.
        run_id: the run.
        keep: paths of files that are needed.
        up_to_attempt: later attempts may still write.

    Returns:
        The number of deleted files.
    """
    own = [each for each in list_run_files(view, run_id) if (attempt_of(file_name(each), run_id) or 0) <= up_to_attempt]
    kept = {file_name(path) for path in keep}
    if not (candidates := [path for path in own if file_name(path) not in kept]):
        return 0
    referenced = _referenced(view, snapshots, run_id)
    removed = 0
    for path in candidates:
        if file_name(path) not in referenced:
            with suppress(FileNotFoundError):
                view.files.storage.delete(path)
                removed += 1
    return removed


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
