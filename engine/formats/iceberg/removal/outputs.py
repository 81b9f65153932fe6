"""Find the files that a run wrote by name, and delete those that are not needed.

A file is identified only by its name: data files (`domain.runs.output_names`), manifests and manifest lists
(`metadata_names`). Lists the whole data location, which takes seconds on a large table.
"""

from collections.abc import Callable, Sequence

import pyarrow.compute as pc

from engine.domain.errors import Fatal
from engine.domain.runs.output_names import attempt_of, in_paths_of
from engine.formats.iceberg.catalog.paths import data_location, metadata_location
from engine.formats.iceberg.commits.metadata_names import of_commits
from engine.formats.iceberg.manifests.decoding import DELETED
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.removal.deletions import outputs_up_to, remove_outputs
from engine.rewriting.kernel.storage.stores.addresses import file_name


def list_run_files(view: TableView, run_id: str) -> Sequence[str]:
    """Return the sorted paths of all files below the data location that the run wrote, recognized by name.

    Raises:
        NotEligible: the data location is outside of the table's places.
    """
    found = view.files_below(data_location(view.metadata), is_recursive=True)
    own = (path for path in found if attempt_of(file_name(path), run_id) is not None)
    return sorted(path for path in own if not view.reader.places.is_behind_link(path))  # behind a link: of others


def remove_run_metadata(seen: TableView, load: Callable[[], TableView], run_id: str, *, up_to_attempt: int) -> int:
    """Delete unreferenced manifests and lists of a run's attempts up to `up_to_attempt`; return their number.

    They are left by a process that was killed before its commit. A file counts as unreferenced if no snapshot of the
    current version has it. Must only be called while no commit of the run can be in progress, as it would reference
    such files.

    Raises:
        Fatal: as `remove_run_files`.
        NotEligible: the metadata location is outside of the table's places.
    """
    view = _later(seen, load)
    location = metadata_location(view.metadata)
    if view.reader.places.is_behind_link(f"{location}/_"):
        return 0
    names = [file_name(path) for path in view.files_below(location, is_recursive=False)]
    found = [f"{location}/{name}" for name in of_commits(names, run_id, up_to_attempt=up_to_attempt)]
    return len(remove_outputs(found, lambda: _metadata_names(_later(view, load)), view.io.delete))


def _metadata_names(view: TableView) -> frozenset[str]:
    """Return the names of the manifests and manifest lists of every snapshot."""
    snapshots = view.metadata.snapshots
    manifests = {manifest.manifest_path for snapshot in snapshots for manifest in view.manifests(snapshot)}
    return frozenset(file_name(path) for path in (*manifests, *(each.manifest_list or "" for each in snapshots)))


def remove_run_files(
    seen: TableView, load: Callable[[], TableView], run_id: str, *, keep: frozenset[str], up_to_attempt: int
) -> int:
    """Delete a run's files of attempts up to a number, except `keep` and those in snapshots; return how many.

    Raises:
        Fatal: the current version is older than `seen`, the view of the caller's decision: the catalog's pointer moved
            back.
    """
    view = _later(seen, load)
    found = outputs_up_to(list_run_files(view, run_id), run_id, up_to_attempt, keep)
    return len(remove_outputs(found, lambda: _referenced_names(_later(view, load), run_id), view.io.delete))


def _later(seen: TableView, load: Callable[[], TableView]) -> TableView:
    """Return the current version of a table. Raises `Fatal` if it is another table, or older than the one seen."""
    view = load()
    old, new = seen.metadata, view.metadata
    if new.table_uuid != old.table_uuid:
        raise Fatal(f"the table under this name is another one now ({new.table_uuid}, it was {old.table_uuid})")
    before, after = old.next_sequence_number(), new.next_sequence_number()
    if new.last_updated_ms < old.last_updated_ms or after < before:
        moved = f"next sequence number {before} → {after}, updated {old.last_updated_ms} → {new.last_updated_ms}"
        raise Fatal(
            f"the catalog's pointer went back in time ({moved}): no file is deleted on the basis of older metadata"
        )
    return view


def _referenced_names(view: TableView, run_id: str) -> frozenset[str]:
    manifests = {
        manifest.manifest_path: manifest
        for snapshot in view.metadata.snapshots
        for manifest in view.manifests(snapshot)
    }
    names: set[str] = set()
    for entries in view.reader.each(list(manifests.values())):
        is_ours = pc.and_(
            pc.not_equal(entries["status"], DELETED), pc.match_substring(entries["path"], in_paths_of(run_id))
        )
        names.update(file_name(path) for path in entries["path"].filter(is_ours).to_pylist())
    return frozenset(names)
