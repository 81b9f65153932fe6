"""Find replaced folders, copy files added after the rewrite, delete folders past their grace, for one run."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.domain.errors import TableReplaced
from engine.domain.runs.removals import CopyRule, RemovalPlan
from engine.formats.hive.files.listing import files_directly_in
from engine.formats.hive.files.stores import files_below
from engine.formats.hive.removal.late_files import Carrier, LateFiles
from engine.formats.hive.removal.replaced_folders import OldFolder, is_read, lists_of, replaced_folders
from engine.formats.hive.rewrite.folders import COMPACTED, is_same_folder, normalise_folder, parent_of
from engine.formats.hive.rewrite.marks import SENT, SENT_SECONDS
from engine.formats.hive.rewrite.proofs import records_of as records_of_partitions
from engine.formats.hive.rewrite.replaced import ListName
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.names import SKEW_SECONDS, VALID_SECONDS
from engine.formats.removal.deletions import SearchedFiles, UnneededFiles
from engine.formats.removal.file_lists import LISTED, FileKind, FileList, ListWriter, Origin
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RECORDS, RefusedFiles, Scope

UNREAD: Final = "unread"
_MOST_NAMED: Final = 10
_OPEN: Final = timedelta(seconds=SENT_SECONDS)
_ASKED: Final = timedelta(seconds=VALID_SECONDS + SKEW_SECONDS)
_YEAR_SECONDS: Final = 366 * 86_400.0


@dataclass(slots=True)
class Seen:
    """Findings of a search.

    Attributes:
        due: files to delete.
        folders: number of replaced folders, by what is done with them.
        late: what became of files that writers added to them.
        next_at: when the next of them leaves its grace; None if none is in it.
        taken_us: when they were searched for, in microseconds since 1970.
    """

    due: FileList
    folders: Mapping[str, int]
    late: LateFiles
    refused: RefusedFiles
    next_at: datetime | None
    taken_us: int

    def plan(self, path: str = "") -> RemovalPlan:
        """Return the files to delete, with what else was found."""
        found = {
            "folders": dict(self.folders),
            "late": self.late.document(),
            "next_at": None if self.next_at is None else self.next_at.isoformat(),
        }
        details: dict[str, Any] = {
            "copies": found,
            "samples": self.due.samples(_MOST_NAMED),
            "refused": self.refused.document(),
        }
        return RemovalPlan(self.due.counts(), details, path)


@dataclass
class OldCopies(SearchedFiles):
    """The watch and deletion for one run of a table, as `removal.deletions.DeletedFiles`.

    Attributes:
        load: returns the current version of the table.
        run_id: the run.
        rule: which replaced folders are deleted.
        scope: where files may be deleted.
    """

    load: Callable[[], TableView]
    run_id: str
    rule: CopyRule
    scope: Scope
    _seen: Seen | None = None
    _origin: str = ""
    _view: TableView = field(init=False)
    _locations: set[str] = field(default_factory=set)

    def looking(self, before_page: Callable[[int], None]) -> Iterator[None]:
        """Search in parts; it is done, and late files are copied, when the iterator ends.

        Raises:
            OSError, Malformed, NotEligible: as `removal.replaced_folders.replaced_folders`.
        """
        view, refused, unread = self.load(), RefusedFiles(), list[str]()
        self._origin = view.uuid
        names, placed = list(lists_of(view, before_page)), _in_place(view)
        known, others = _split(names, lambda name: _is_told(name, self.rule) or name.snapshot_id in placed)
        yield
        lists = list(replaced_folders(view, known, self.scope, before_page, unread.append))
        while others:  # a rewrite whose folder a known one replaced was in place as well
            followed = {normalise_folder(each.replaced.location) for each in lists}
            more, others = _split(others, lambda name, found=followed: normalise_folder(name.folder) in found)  # type: ignore[misc]
            if not more:
                break
            lists += replaced_folders(view, more, self.scope, before_page, unread.append)
            yield
        refused.add(pa.chunked_array([unread], pa.string()), UNREAD)
        search = _FolderSearch(view, self.rule, before_page, lists)
        search.forget(others)
        now_us = int(self.rule.now.timestamp() * 1_000_000)
        writer = ListWriter(Origin(view.uuid, 0, now_us // 1000))
        for each in lists:
            writer.add(self.scope.allowed(search.of(each), refused))
            yield
        writer.add(self.scope.allowed(_rows(search.records, FileKind.METADATA), refused))
        self._seen = Seen(writer.finish(), search.counts, search.late, refused, search.next_at, now_us)
        self._due = UnneededFiles(self._seen.due, self, are_as_listed=self._are_as_listed)

    @property
    def result(self) -> Seen:
        """The result of `looking`. Raises ValueError before."""
        if self._seen is None:
            raise ValueError("no search was made yet")
        return self._seen

    @property
    def records(self) -> Records:
        """The lists of the run."""
        return records_of(self.load(), self.run_id)

    def refresh(self, *, deletes: bool) -> None:  # noqa: ARG002 - `_are_as_listed` has what forbids it
        """Read the partitions, as `References`. Raises `TableReplaced`, OSError."""
        self._view = self._same()
        self._locations |= _locations(self._view)

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file whether a partition has its folder, or one above it."""
        folders = map(normalise_folder, map(parent_of, files["path"].to_pylist()))
        return np.array([is_read(folder, self._locations) for folder in folders], bool)

    def exist(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file of a stored list whether its folder has it, or it may not be deleted. Raises OSError."""
        allowed = self.scope.allowed(files, RefusedFiles())["path"].to_pylist()
        view, folders = self._same(), {parent_of(path) for path in allowed}
        missing = set(allowed).difference(path for folder in folders for path in _files_of(folder, view))
        return np.array([path not in missing for path in files["path"].to_pylist()], bool)

    def _same(self) -> TableView:
        view = self.load()
        if view.uuid != self._origin:
            raise TableReplaced(
                f"the table under this name is another one now ({view.uuid}, it was {self._origin}): nothing is deleted"
            )
        return view

    def _are_as_listed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file whether its folder has it with the same size now; for lists and marks True."""
        present = dict[str, Mapping[str, int]]()
        return np.array([self._is_as_listed(row, present) for row in files.to_pylist()], bool)

    def _is_as_listed(self, row: Mapping[str, Any], present: dict[str, Mapping[str, int]]) -> bool:
        if self._view.has_unclear_partitions:
            return False
        if row["kind"] != FileKind.DATA:
            return True
        folder = parent_of(row["path"])
        if folder not in present:
            present[folder] = {path: size for path, (size, _) in files_directly_in(folder, self._view.storage).items()}
        return bool(present[folder].get(row["path"]) == row["file_bytes"])


IN_USE, IN_GRACE, DUE, UNPROVEN, KEPT = "in_use", "in_grace", "deleted", "unproven", "with_late_files"
UNCLEAR: Final = "held_by_partitions_elsewhere"
"""Nothing is deleted while a partition has a location that engines may read as a folder of the table."""


class _FolderSearch:
    """Decides for each replaced folder whether its files are watched, copied or deleted."""

    def __init__(self, view: TableView, rule: CopyRule, ask: Callable[[int], None], lists: Sequence[OldFolder]) -> None:
        self.counts = dict.fromkeys((IN_USE, IN_GRACE, DUE, UNPROVEN, KEPT, UNCLEAR), 0)
        self.late = LateFiles()
        self.next_at: datetime | None = None
        self.records = list[tuple[str, int]]()  # lists and marks of folders whose files are deleted
        self._view = view
        self._rule = rule
        ordered = sorted(lists, key=lambda each: each.used_us)
        self._newest = {normalise_folder(each.replaced.location): each for each in ordered}
        self._made = {normalise_folder(each.name.folder) for each in lists}
        self._locations = _locations(view)
        self._carrier = Carrier(view, self._newest, self.late, ask)

    def forget(self, names: Sequence[tuple[ListName, int]]) -> None:
        """Delete the lists of rewrites that neither the record nor a partition knows, once nothing of them is left."""
        self.counts[UNPROVEN] += len(names)
        for name, at in names:
            if self._is_past(at) and not any(_files_of(name.folder, self._view)):
                self.records.append((name.path, 0))

    def of(self, old: OldFolder) -> pa.Table:
        """Copy the late files of a folder, and return its files to delete, with the schema `LISTED`."""
        location = normalise_folder(old.replaced.location)
        if is_read(location, self._locations):
            self.counts[IN_USE] += 1
            return LISTED.empty_table()
        if self._newest[location] is not old:  # the partition got the folder back since, and a later rewrite counts
            self.records += [(old.name.path, 0)] if self._is_past(old.used_us) else []
            return LISTED.empty_table()
        self.late.changed += old.changed + (0 if self._is_past(old.used_us) else old.missing)
        used = self.late.copied + self.late.present
        if not self._carrier.carry(old):
            self.counts[KEPT] += 1
            return LISTED.empty_table()
        return self._past_grace(old, is_used=self.late.copied + self.late.present > used)

    def _past_grace(self, old: OldFolder, *, is_used: bool) -> pa.Table:
        folder = old.replaced.location
        if is_used or not self._is_past(old.used_us) or _is_asked_for(old, self._rule.now):
            self.counts[IN_GRACE] += 1
            ends_at = (self._rule.now if is_used else _instant(old.used_us)) + self._rule.grace
            self.next_at = ends_at if self.next_at is None else min(self.next_at, ends_at)
        elif not self._was_in_place(old):
            self.counts[UNPROVEN] += 1
        elif self._view.has_unclear_partitions:
            self.counts[UNCLEAR] += 1
        else:
            self.counts[DUE] += 1
            marks = ((f"{folder}/{name}", size) for name, (size, _) in old.present.items() if name.startswith(SENT))
            # by the list of the folder before, as it leads to where rows are now; or by writers of dual files
            is_needed = normalise_folder(folder) in self._made or _instant(old.used_us) + _ASKED > self._rule.now
            self.records += [*marks, *([] if is_needed else [(old.name.path, 0)])]
            return _rows([(f"{folder}/{name}", size) for name, (size, _) in old.deletable.items()], FileKind.DATA)
        return LISTED.empty_table()

    def _was_in_place(self, old: OldFolder) -> bool:
        """Return whether the record has the proof of its rewrite, or of one that replaced the folder of that.

        A later one proves what its own folder had: nothing, if the proof of an earlier one failed.
        """
        for _ in range(len(self._newest) + 1):
            if _is_told(old.name, self._rule):
                return True
            if str(old.name.snapshot_id) in self._rule.failed:
                return False
            if (following := self._newest.get(normalise_folder(old.name.folder))) is None:
                break
            old = following
        return False

    def _is_past(self, used_us: int) -> bool:
        return _instant(used_us) + self._rule.grace <= self._rule.now


def replaced_copies(view: TableView) -> Iterator[tuple[int, str, datetime]]:
    """Yield the snapshot id and the run of the rewrite that replaced each folder, and when the folder was last in use.

    Raises:
        NotEligible, OSError: as `files_below`.
    """
    for name, at in lists_of(view, lambda _: None):
        yield name.snapshot_id, name.run_id, _instant(at)


def records_of(view: TableView, run_id: str) -> Records:
    """Return the lists of files that one run of a table deleted, in a folder that engines do not look at."""
    return Records(view.files_of_table, f"{view.entry.location}/{COMPACTED}/{RECORDS}", run_id)


def _split(
    names: Sequence[tuple[ListName, int]], is_wanted: Callable[[ListName], bool]
) -> tuple[list[tuple[ListName, int]], list[tuple[ListName, int]]]:
    """Return the lists for which a function is true, and the others."""
    found: tuple[list[tuple[ListName, int]], list[tuple[ListName, int]]] = ([], [])
    for each in names:
        found[not is_wanted(each[0])].append(each)
    return found


def _is_told(name: ListName, rule: CopyRule) -> bool:
    """Return whether the record has a proof of the rewrite."""
    return str(name.snapshot_id) in rule.proven


def _in_place(view: TableView) -> set[int]:
    """Return the snapshot ids of the rewrites whose folders partitions have."""
    records = ((location, record) for _, location, record in records_of_partitions(view))
    return {record.snapshot_id for location, record in records if is_same_folder(location, record.location)}


def _files_of(folder: str, view: TableView) -> Iterator[str]:
    """Yield the paths of the files below a folder. Raises OSError."""
    for page in files_below(folder, view.storage):
        yield from page["path"].to_pylist()


def _locations(view: TableView) -> set[str]:
    return set(map(normalise_folder, view.partitions.table["location"].to_pylist()))


def _instant(at_us: int) -> datetime:
    """Return the instant of a file's time; a later one than a year from now is as good as that."""
    return datetime.fromtimestamp(min(at_us / 1e6, time.time() + _YEAR_SECONDS), UTC)


def _is_asked_for(old: OldFolder, now: datetime) -> bool:
    """Return whether the Metastore may still execute a call that makes it the folder of its partition again."""
    begin, end = (at.timestamp() * 1000 for at in (now - _OPEN, now + _OPEN))
    return any(name.startswith(SENT) and begin <= at <= end for name, (_, at) in old.present.items())


def _rows(files: Sequence[tuple[str, int]], kind: FileKind) -> pa.Table:
    paths, sizes = [path for path, _ in files], [size for _, size in files]
    return pa.table([paths, [kind.value] * len(files), sizes, pa.nulls(len(files), pa.int64())], schema=LISTED)
