"""Copy files that writers added to a replaced folder to where the partition is now."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

import structlog

from engine.formats.hive.files.footers import footers_of
from engine.formats.hive.files.listing import files_directly_in
from engine.formats.hive.metadata.partitions import location_of
from engine.formats.hive.removal.replaced_folders import OldFolder
from engine.formats.hive.rewrite.copies import LARGEST_COPY, copy_file, copy_of
from engine.formats.hive.rewrite.folders import is_same_folder, normalise_folder
from engine.formats.hive.rewrite.records import PARAMETER, CompactionRecord
from engine.formats.hive.rewrite.replaced import LARGEST, write_list
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.names import is_dual
from engine.formats.intake.errors import printable_path, summary_of
from engine.rewriting.kernel.storage.stores.addresses import file_name

SETTLED_SECONDS: Final = 60.0
"""Age of a file from which it counts as complete: on disks, its writer may still be at it."""

NOT_PARQUET, GONE, MOVED, OVERWRITTEN = "not_parquet", "partition_gone", "partition_moved", "partition_overwritten"
_FUTURE_SECONDS: Final = 3600.0
YOUNG, TOO_LARGE, UNREADABLE, NESTED = "just_written", "too_large", "unreadable", "in_a_folder"
ANOTHER_SIZE, LIST_FULL = "another_size", "list_full"
"""Reasons why a late file is left where it is."""

_SAMPLES: Final = 10
_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class LateFiles:
    """Results for late files: those that were copied or were there already, and those that were left, by reason."""

    copied: int = 0
    copied_bytes: int = 0
    present: int = 0
    changed: int = 0
    left: Counter[str] = field(default_factory=Counter)
    samples: list[str] = field(default_factory=list)

    def document(self) -> Mapping[str, Any]:
        """Return it as JSON-ready values."""
        return {
            "copied": self.copied,
            "copied_bytes": self.copied_bytes,
            "left": dict(self.left),
            "overwritten": self.changed,
            "present": self.present,
            "samples": list(self.samples),
        }

    def leave(self, folder: str, names: Sequence[str], reason: str) -> None:
        """Count files of a folder that are left."""
        self.left[reason] += len(names)
        self._name(folder, names)

    def copy(self, folder: str, name: str, size: int) -> None:
        """Count a file of a folder that was copied."""
        self.copied += 1
        self.copied_bytes += size
        self._name(folder, (name,))

    def _name(self, folder: str, names: Sequence[str]) -> None:
        for name in names[: _SAMPLES - len(self.samples)]:
            self.samples.append(printable_path(f"{folder}/{name}", end=True))


@dataclass(frozen=True, slots=True)
class Carrier:
    """Copies late files of the replaced folders of one table.

    Attributes:
        view: the table.
        followers: the list of each folder that was replaced, by the folder as it is compared.
        tally: counts what was done.
        before: called with the number of requests before they are sent; may wait, or raise to stop.
    """

    view: TableView
    followers: Mapping[str, OldFolder]
    tally: LateFiles
    before: Callable[[int], None]

    def carry(self, old: OldFolder) -> bool:
        """Copy the late files of a folder; return whether all of them were, or are of no use any more.

        Raises:
            OSError: the Metastore does not answer; what was copied is found again.
        """
        late, location, nested = old.late, old.replaced.location, old.nested
        if nested:
            self.tally.leave(location, sorted(nested), NESTED)
        return self._carry(old, late, location) and not nested

    def _carry(self, old: OldFolder, late: Mapping[str, tuple[int, int]], location: str) -> bool:
        copied = {name: state for name, state in old.copied.items() if old.present.get(name) == state}
        if not late:
            if not copied.keys() <= old.replaced.files.keys():  # an attempt ended before it could store them
                self._store(old, copied)
            return True
        _log.warning("late_files_found", folder=printable_path(location, end=True), files=len(late))
        self.before(3)
        target, reason = self._target(old)
        if target is None:
            self.tally.leave(location, sorted(late), reason)
            return reason == GONE
        if len(replace(old.replaced, files={**old.replaced.files, **copied, **late}).body()) > LARGEST:
            self.tally.leave(location, sorted(late), LIST_FULL)  # a larger list could not be read again
            return False
        sizes = self._known_sizes(old, target) if any(map(is_dual, late)) else {}
        known = {name: state for name, state in late.items() if is_dual(name) and name in sizes}
        there = {name: state for name, state in known.items() if sizes[name] == state[0]}
        self.tally.present += len(there)
        if other := sorted(known.keys() - there.keys()):
            self.tally.leave(location, other, ANOTHER_SIZE)
        missing = {name: state for name, state in late.items() if name not in known}
        made = {name: state for name, state in missing.items() if self._copy(location, name, target, state)}
        if made and self._target(old)[0] != target:
            self._take_back(location, target, made)
            self.tally.leave(location, sorted(made), MOVED)
            return False
        if made or there:
            self._store(old, {**copied, **there, **made})
        for name, (size, _) in made.items():
            self.tally.copy(location, name, size)
        return len(made) + len(there) == len(late)

    def _known_sizes(self, old: OldFolder, target: str) -> Mapping[str, int]:
        """Return the sizes, by name, of the files in the present folder and of those that rewrites since have merged.

        The merged ones are in the lists of the folders between the old and the present one. A dual file among them has
        its rows in the partition: its writer put it there, or another search copied it.
        """
        sizes = {file_name(path): size for path, (size, _) in files_directly_in(target, self.view.storage).items()}
        folder = old.name.folder
        for _ in range(len(self.followers)):
            if is_same_folder(folder, target) or (following := self.followers.get(normalise_folder(folder))) is None:
                break
            sizes |= {name: size for name, (size, _) in following.replaced.files.items()}
            folder = following.name.folder
        return sizes

    def _store(self, old: OldFolder, copied: Mapping[str, tuple[int, int]]) -> None:
        listed = replace(old.replaced, files={**old.replaced.files, **copied})
        write_list(old.name.folder, old.name.snapshot_id, listed, self.view.files_of_table)

    def _target(self, old: OldFolder) -> tuple[str | None, str]:
        """Return the folder of the partition, if it has the rows of the old one; otherwise the reason why not.

        It has them if the old folder is as the rewrite read it, each later folder was rewritten with all files of the
        one before, and the present one has all files of its rewrite.
        """
        if old.changed or old.missing:
            return None, OVERWRITTEN
        stored = self.view.partition_of(old.replaced.partition)
        if stored is None:
            return None, GONE
        record, location = CompactionRecord.of((stored.parameters or {}).get(PARAMETER)), location_of(stored)
        if record is None or not is_same_folder(record.location, location):
            return None, MOVED
        outputs, reason = self._outputs_at(old, normalise_folder(location))
        if not reason:
            present = files_directly_in(location, self.view.storage)
            sizes = {file_name(path): size for path, (size, _) in present.items()}
            reason = OVERWRITTEN if any(sizes.get(name) != size for name, size in outputs.items()) else ""
        return (None, reason) if reason else (location, "")

    def _outputs_at(self, old: OldFolder, location: str) -> tuple[Mapping[str, int], str]:
        """Follow the rewrites to a folder; return the outputs of the last one, and why they lack rows, if they do."""
        folder, outputs = old.name.folder, old.replaced.outputs
        for _ in range(len(self.followers) + 1):
            if normalise_folder(folder) == location:
                return outputs, ""
            if (following := self.followers.get(normalise_folder(folder))) is None:
                break
            rewritten = {name: size for name, (size, _) in following.replaced.files.items()}
            if any(rewritten.get(name) != size for name, size in outputs.items()):
                return outputs, OVERWRITTEN
            folder, outputs = following.name.folder, following.replaced.outputs
        return outputs, MOVED

    def _copy(self, location: str, name: str, target: str, state: tuple[int, int]) -> bool:
        """Copy a late file that is complete; count it as left otherwise. Returns whether it has a copy now."""
        age = time.time() - state[1] / 1000
        if -_FUTURE_SECONDS < age < SETTLED_SECONDS:
            self.tally.leave(location, (name,), YOUNG)
            return False
        if state[0] > LARGEST_COPY:
            self.tally.leave(location, (name,), TOO_LARGE)
            return False
        self.before(4)
        path = f"{location}/{name}"
        try:
            (footer,) = footers_of([(path, state[0])], self.view.storage)
            if footer is not None:
                copy_file(path, copy_of(target, path, state), state[0], self.view.files_of_table)
        except OSError as error:  # of this file: other folders go on, and the next search tries again
            _log.warning("late_file_not_copied", path=printable_path(path, end=True), error=summary_of(error))
            self.tally.leave(location, (name,), UNREADABLE)
            return False
        if footer is None:
            self.tally.leave(location, (name,), NOT_PARQUET)
        return footer is not None

    def _take_back(self, location: str, target: str, files: Mapping[str, tuple[int, int]]) -> None:
        """Delete copies in a folder that the partition no longer has; a dual file can be its writer's own."""
        for name, state in files.items():
            if is_dual(name):
                continue
            with suppress(FileNotFoundError):
                self.view.files_of_table.delete(copy_of(target, f"{location}/{name}", state))
