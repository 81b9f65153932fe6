"""Find the files that a run's tasks wrote by their names, and delete those that no partition has."""

from collections.abc import Sequence
from contextlib import suppress

from engine.domain.runs.output_names import attempt_of
from engine.formats.hive.compaction.folders import COMPACTED, parent_of
from engine.formats.hive.view import TableView
from engine.formats.orphans.listings import files_below
from engine.rewriting.kernel.storage.stores.addresses import address_of, file_name
from engine.rewriting.kernel.storage.stores.connections import files_of


def list_run_files(view: TableView, run_id: str) -> Sequence[str]:
    """Return the sorted paths of a run's files in the folders of rewrites."""
    found = files_below(f"{view.entry.location}/{COMPACTED}", view.storage)
    paths = (path for page in found for path in page["path"].to_pylist())
    return sorted(path for path in paths if attempt_of(file_name(path), run_id) is not None)


def remove_run_files(view: TableView, run_id: str, *, keep: frozenset[str], up_to_attempt: int) -> int:
    """Delete a run's files of attempts up to a number, except `keep` and those in the folder of a partition."""
    live = set(view.partitions.table["location"].to_pylist())
    removed = 0
    for path in list_run_files(view, run_id):
        is_later = (attempt_of(file_name(path), run_id) or 0) > up_to_attempt
        if is_later or path in keep or parent_of(path) in live:
            continue
        address = address_of(path)
        with suppress(FileNotFoundError):
            files_of(address.kind, address.place, view.storage).delete(address.path)
            removed += 1
    return removed
