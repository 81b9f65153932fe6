"""Roll a partition back to the folder that a rewrite replaced: it gets its previous location again."""

from copy import deepcopy

from engine.domain.errors import OutcomeUnknown, PackhouseError
from engine.formats.base import RollBack
from engine.formats.hive.catalog.roles import NotChanged, Unanswered
from engine.formats.hive.files.listing import files_directly_in
from engine.formats.hive.metadata.partitions import as_location, location_of
from engine.formats.hive.rewrite.copies import bring_back, copy_of
from engine.formats.hive.rewrite.folders import is_same_folder
from engine.formats.hive.rewrite.marks import remove_mark, write_mark
from engine.formats.hive.rewrite.proofs import records_of
from engine.formats.hive.rewrite.records import CompactionRecord
from engine.formats.hive.rewrite.replaced import LARGEST, ReplacedFolder, path_of_list
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.names import is_dual, is_same
from engine.formats.intake.limits import Malformed
from engine.rewriting.kernel.storage.stores.addresses import file_name


def roll_back(view: TableView, snapshot_id: int) -> RollBack:
    """Give the partition of a rewrite its previous folder again; see `formats.base.TableCommits.undo`.

    Its record stays: the compaction id goes on growing. Raises OSError.
    """
    for partition, location, record in records_of(view):
        if record.snapshot_id != snapshot_id:
            continue
        if is_same_folder(location, record.location):
            return _go_back(view, partition, record)
        if is_same_folder(location, record.previous) and not _bring_rest(view, record):  # a lost answer
            return RollBack.FOLLOWED
    return RollBack.DONE


def _go_back(view: TableView, partition: str, record: CompactionRecord) -> RollBack:
    replaced = _replaced(view, record)
    if replaced is None or not is_same_folder(replaced.location, record.previous) or not _is_whole(view, replaced):
        return RollBack.NO_PARENT
    stored = view.partition_of(partition)
    if stored is None or not is_same_folder(location_of(stored), record.location):
        return RollBack.DONE
    if not _is_unused(view, record, replaced) or not _bring(view, record, replaced):
        return RollBack.FOLLOWED
    changed = deepcopy(stored)
    changed.sd.location = as_location(record.previous, stored)
    mark = write_mark(record.previous, view.storage)
    try:
        view.change_partition(changed, stored)
    except NotChanged:
        remove_mark(mark, view.storage)
        return RollBack.DONE if view.partition_of(partition) is None else RollBack.FOLLOWED
    except Unanswered as error:
        message = f"partition {partition[:200]} may still go back to {record.previous[-300:]}: {error}"
        raise OutcomeUnknown(message) from error
    except PackhouseError:  # it certainly did not go back
        remove_mark(mark, view.storage)
        raise
    remove_mark(mark, view.storage)
    return RollBack.DONE if _bring_rest(view, record) else RollBack.FOLLOWED


def _bring(view: TableView, record: CompactionRecord, replaced: ReplacedFolder) -> bool:
    """Copy the dual files that only the new folder has to the old one; return whether all could be copied."""
    return bring_back(record.location, record.previous, replaced.files.keys(), view.files_of_table)


def _bring_rest(view: TableView, record: CompactionRecord) -> bool:
    """Copy the dual files that came to the new folder until the old one was in place; False if one can't be copied."""
    replaced = _replaced(view, record)
    if replaced is None or not is_same_folder(replaced.location, record.previous) or not _is_whole(view, replaced):
        return True
    return _bring(view, record, replaced)


def _replaced(view: TableView, record: CompactionRecord) -> ReplacedFolder | None:
    path = path_of_list(record.location, record.snapshot_id)
    if not view.places.contains(path) or not view.places.contains(record.previous):
        return None
    try:
        return ReplacedFolder.read(view.files_of_table.read(path, LARGEST))
    except (FileNotFoundError, Malformed):
        return None


def _is_whole(view: TableView, replaced: ReplacedFolder) -> bool:
    """Return whether the replaced folder still has all files as they were rewritten."""
    present = files_directly_in(replaced.location, view.storage)
    names = {file_name(path): state for path, state in present.items()}
    return all(is_same(name, names.get(name), state) for name, state in replaced.files.items())


def _is_unused(view: TableView, record: CompactionRecord, replaced: ReplacedFolder) -> bool:
    """Return whether the folder of the rewrite has its outputs, copies of files of the replaced one, and dual files."""
    copies = {
        file_name(copy_of(record.location, f"{replaced.location}/{name}", state)): state[0]
        for name, state in replaced.files.items()
    }
    found = files_directly_in(record.location, view.storage)
    present = {file_name(path): size for path, (size, _) in found.items()}
    known = copies | dict(replaced.outputs)
    others = {name for name in present.keys() - known.keys() if not is_dual(name)}
    return (
        not others
        and replaced.outputs.items() <= present.items()
        and all(present[name] == size for name, size in known.items() if name in present)
    )
