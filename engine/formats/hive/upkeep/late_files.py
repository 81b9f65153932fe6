"""Copy files that writers added to a replaced folder to where the partition is now."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

import structlog

from engine.formats.hive.compaction.copies import copy_file, copy_of
from engine.formats.hive.compaction.folders import plain
from engine.formats.hive.compaction.records import PARAMETER, CompactionRecord
from engine.formats.hive.compaction.replaced import write_list
from engine.formats.hive.files.footers import footers_of
from engine.formats.hive.files.listing import files_directly_in
from engine.formats.hive.metadata.partitions import location_of
from engine.formats.hive.upkeep.folders import Listed
from engine.formats.hive.view import TableView
from engine.formats.intake.errors import printable
from engine.rewriting.kernel.storage.stores.addresses import address_of, file_name
from engine.rewriting.kernel.storage.stores.connections import files_of

SETTLED_SECONDS: Final = 60.0
"""Age of a file from which it counts as complete: on disks, its writer may still be at it."""

NOT_PARQUET, GONE, MOVED, OVERWRITTEN = "not_parquet", "partition_gone", "partition_moved", "partition_overwritten"
YOUNG: Final = "just_written"
"""Reasons why a late file is left where it is."""

_SAMPLES: Final = 10
_LONGEST_NAMED: Final = 300
_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class LateFiles:
    """What became of late files: those that were copied, and those that were left, by reason."""

    copied: int = 0
    copied_bytes: int = 0
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
            self.samples.append(printable(f"{folder}/{name}"[-_LONGEST_NAMED:]))


@dataclass(frozen=True, slots=True)
class Carrier:
    """Copies late files of the replaced folders of one table.

    Attributes:
        view: the table.
        followers: the folder by which each folder was replaced, and its outputs, by the folder as it is compared.
        tally: counts what was done.
        before: called with the number of requests before they are sent; may wait, or raise to stop.
    """

    view: TableView
    followers: Mapping[str, tuple[str, Mapping[str, int]]]
    tally: LateFiles
    before: Callable[[int], None]

    def carry(self, old: Listed) -> bool:
        """Copy the late files of a folder; return whether all of them were, or are of no use any more.

        Raises:
            OSError: storage or Metastore do not answer; what was copied is found again.
        """
        late, location = old.late, old.replaced.location
        copied = {name: state for name, state in old.copied.items() if old.present.get(name) == state}
        if not late:
            if not copied.keys() <= old.replaced.files.keys():  # an attempt ended before it could store them
                self._store(old, copied)
            return True
        _log.warning("late_files_found", folder=location[-_LONGEST_NAMED:], files=len(late))
        self.before(3 + 4 * len(late))
        target, reason = self._target(old)
        if target is None:
            self.tally.leave(location, sorted(late), reason)
            return reason == GONE
        ready = self._ready(location, late)
        for name, state in ready.items():
            self._copy(f"{location}/{name}", target, state)
        if self._target(old)[0] != target:
            self._take_back(location, target, ready)
            self.tally.leave(location, sorted(ready), MOVED)
            return False
        self._store(old, {**copied, **ready})
        for name, (size, _) in ready.items():
            self.tally.copy(location, name, size)
        return len(ready) == len(late)

    def _store(self, old: Listed, copied: Mapping[str, tuple[int, int]]) -> None:
        listed = replace(old.replaced, files={**old.replaced.files, **copied})
        write_list(old.name.folder, old.name.snapshot_id, listed, self.view.files_of_table)

    def _target(self, old: Listed) -> tuple[str | None, str]:
        """Return the folder of the partition, if it is one that followed the old one; otherwise the reason."""
        stored = self.view.partition_of(old.replaced.partition)
        if stored is None:
            return None, GONE
        record, location = CompactionRecord.of((stored.parameters or {}).get(PARAMETER)), location_of(stored)
        if record is None or plain(record.location) != plain(location):
            return None, MOVED
        folder, outputs = old.name.folder, old.replaced.outputs
        for _ in range(len(self.followers) + 1):
            if plain(folder) == plain(location):
                break
            if plain(folder) not in self.followers:
                return None, MOVED
            folder, outputs = self.followers[plain(folder)]
        present = {file_name(path): size for path, (size, _) in self._files(location).items()}
        if any(present.get(name) != size for name, size in outputs.items()):
            return None, OVERWRITTEN
        return location, ""

    def _files(self, folder: str) -> Mapping[str, tuple[int, int]]:
        return files_directly_in(folder, self.view.storage)

    def _ready(self, location: str, late: Mapping[str, tuple[int, int]]) -> Mapping[str, tuple[int, int]]:
        """Return the late files that are complete; count the others."""
        before_ms = (time.time() - SETTLED_SECONDS) * 1000
        old = {name: state for name, state in late.items() if state[1] <= before_ms}
        if young := sorted(late.keys() - old.keys()):
            self.tally.leave(location, young, YOUNG)
        footers = footers_of([(f"{location}/{name}", size) for name, (size, _) in old.items()], self.view.storage)
        ready = {name: state for (name, state), footer in zip(old.items(), footers, strict=True) if footer is not None}
        if others := sorted(old.keys() - ready.keys()):
            self.tally.leave(location, others, NOT_PARQUET)
        return ready

    def _copy(self, path: str, target: str, state: tuple[int, int]) -> None:
        with suppress(FileExistsError):  # by an attempt that ended before it could store that
            copy_file(path, copy_of(target, path, state), state[0], self.view.storage)

    def _take_back(self, location: str, target: str, files: Mapping[str, tuple[int, int]]) -> None:
        for name, state in files.items():
            address = address_of(copy_of(target, f"{location}/{name}", state))
            with suppress(FileNotFoundError):
                files_of(address.kind, address.place, self.view.storage).delete(address.path)
