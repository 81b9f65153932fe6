"""Find a run's output files by their names, and delete those that no partition needs.

A partition also needs the files that a pending call to the Metastore can still make live.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from engine.domain.runs.output_names import attempt_of
from engine.formats.hive.files.stores import files_below
from engine.formats.hive.rewrite.copies import copied_file
from engine.formats.hive.rewrite.folders import COMPACTED, attempt_of_folder, normalise_folder, parent_of
from engine.formats.hive.rewrite.marks import SENT, SENT_SECONDS
from engine.formats.hive.rewrite.proofs import records_of
from engine.formats.hive.rewrite.replaced import ListName
from engine.formats.hive.view import TableView
from engine.formats.removal.deletions import remove_outputs
from engine.rewriting.kernel.storage.stores.addresses import address_of, file_name
from engine.rewriting.kernel.storage.stores.connections import files_of


def list_run_files(view: TableView, run_id: str) -> Sequence[str]:
    """Return the sorted paths of a run's files in the folders of rewrites."""
    return sorted(path for path in _written(view) if attempt_of(file_name(path), run_id) is not None)


def remove_run_files(load: Callable[[], TableView], run_id: str, *, keep: frozenset[str], up_to_attempt: int) -> int:
    """Delete files of a run's attempts up to a number, except in folders that are needed or have a file of `keep`.

    Returns the number of outputs among the deleted files; marks and copies are deleted with them.
    """
    view, kept = load(), {_folder_of(path) for path in keep}
    found = [
        path
        for path in _written(view)
        if not view.places.is_behind_link(path)  # a link to files of others
        and _is_of_attempt(path, run_id, up_to_attempt)
        and _folder_of(path) not in kept
    ]

    def delete(path: str) -> None:
        address = address_of(path)
        files_of(address.kind, address.place, view.storage).delete(address.path)

    removed = remove_outputs(found, lambda: _needed_folders(load()), delete, key=_folder_of)
    return sum(attempt_of(file_name(path), run_id) is not None for path in removed)


def _needed_folders(view: TableView) -> set[str]:
    """Return the folders whose files stay.

    These are the folders of partitions; those that partitions had before their newest rewrite, for readers and late
    files; those of calls to the Metastore that may still be executed; and those for which a list of replaced files was
    written in the last hour, as a Metastore of several servers may answer with an earlier state.
    """
    now = time.time()
    fresh = {path for path, at in _written(view).items() if abs(now - at) <= SENT_SECONDS}
    needed = {_folder_of(path) for path in fresh if file_name(path).startswith(SENT)}
    needed.update(normalise_folder(listed.folder) for listed in map(ListName.of, fresh) if listed is not None)
    needed.update(map(normalise_folder, view.partitions.table["location"].to_pylist()))
    needed.update(normalise_folder(record.previous) for _, _, record in records_of(view))
    return needed


def _is_of_attempt(path: str, run_id: str, up_to_attempt: int) -> bool:
    name = file_name(path)
    attempt = attempt_of(name, run_id)
    if attempt is None and (name.startswith(SENT) or copied_file(name) is not None):
        attempt = attempt_of_folder(parent_of(path), run_id)
    return attempt is not None and attempt <= up_to_attempt


def _folder_of(path: str) -> str:
    return normalise_folder(parent_of(path))


def _written(view: TableView) -> Mapping[str, float]:
    """Return the files of all rewrites with their times in seconds since 1970, by the store's clock."""
    found: dict[str, float] = {}
    for page in files_below(f"{view.entry.location}/{COMPACTED}", view.storage):
        seconds = (at / 1e6 for at in page["modified_us"].to_pylist())
        found.update(zip(page["path"].to_pylist(), seconds, strict=True))
    return found
