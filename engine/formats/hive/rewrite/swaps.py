"""Commit rewritten partitions: copy files that arrived meanwhile, then change the location of the partition.

Between the last look at a partition and its change lie some milliseconds in which another client's change would be
lost: neither a Metastore nor Glue has a conditional change of partitions, and a Metastore's locks bind only those who
take them.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

import structlog
from hive_metastore.ttypes import Partition

from engine.domain.errors import CommitConflict, OutcomeUnknown, PackhouseError
from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.formats.base import CommitOutcome, CommitRequest, WrittenGroup
from engine.formats.hive.catalog.roles import NotChanged, Unanswered
from engine.formats.hive.files.footers import footers_of
from engine.formats.hive.files.listing import Unlisted, every_file_in, files_directly_in
from engine.formats.hive.metadata.partitions import as_location, location_of
from engine.formats.hive.rewrite.copies import LARGEST_COPY, bring_back, copy_file, copy_of
from engine.formats.hive.rewrite.folders import parent_of
from engine.formats.hive.rewrite.marks import SENT_SECONDS, fresh_marks, remove_mark, write_mark
from engine.formats.hive.rewrite.records import PARAMETER, CompactionRecord
from engine.formats.hive.rewrite.replaced import ReplacedFolder, write_list
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.names import is_dual, is_same
from engine.rewriting.kernel.storage.stores.addresses import file_name

MOST_LATE_FILES: Final = 100
MOST_LATE_BYTES: Final = 256 * 2**20
MOST_DUAL_FILES: Final = 10_000
"""A partition with more files than these since its plan is left to a later run."""

_log = structlog.get_logger(__name__)

_MAX_TRIES: Final = 4
_SPARKS: Final = "spark.sql.statistics."
_OF_ROWS: Final = ("numRows", "rawDataSize", "COLUMN_STATS_ACCURATE", "impala_intermediate_stats_", _SPARKS)
"""Prefixes of parameters by which engines answer or estimate without reading files."""

Files = Mapping[str, tuple[int, int]]
"""Size and time in milliseconds of files, by path."""


class _Lost(Exception):
    """Another writer changed the partition since it was planned."""


def commit_groups(view: TableView, request: CommitRequest, before_try: Callable[[], None]) -> CommitOutcome:
    """Commit the groups of a request, one partition after the other; see `formats.base.TableCommits.commit`.

    `view` is the present state of the table. Each partition changes at once, all of them do not.
    """
    if any(not group.outputs for group in request.groups):
        raise CommitConflict("a group has no output to put in place")
    swaps = [Swap(view, request, group, snapshot_of(request)) for group in request.groups]
    if view.entry.schema_id != request.schema_id:
        if any(each.is_open() for each in swaps):
            raise OutcomeUnknown(
                f"the columns of the table changed, and {view.catalog.label} may still execute an earlier call"
            )
        raise CommitConflict("the columns of the table changed since the plan")
    made, lost, tries = list[int](), dict[int, Loss](), 1
    snapshot_id = snapshot_of(request)
    for swap in swaps:
        try:
            tries = max(tries, swap.done(before_try))
            made.append(swap.group.ordinal)
        except _Lost:
            lost[swap.group.ordinal] = Loss.SOURCE_GONE
    return CommitOutcome(snapshot_id if made else None, tuple(made), lost, tries)


def snapshot_of(request: CommitRequest) -> int:
    """Return the snapshot id of the commit of a request: a 63-bit hash of run, attempt and groups."""
    text = json.dumps([request.run_id, request.attempt, [group.ordinal for group in request.groups]])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1 or 1


@dataclass(frozen=True, slots=True)
class Swap:
    """The change of one partition to the folder with a group's outputs."""

    view: TableView
    request: CommitRequest
    group: WrittenGroup
    snapshot_id: int

    def done(self, before_try: Callable[[], None]) -> int:
        """Commit the partition and return the number of tries.

        Raises:
            _Lost: another writer changed the partition.
            OutcomeUnknown: the catalog did not answer, now or to an earlier call: the change may still happen.
        """
        try:
            return self._done(before_try)
        except (_Lost, CommitConflict) as error:
            if not self.is_open():
                raise
            raise OutcomeUnknown(
                f"partition {self.group.partition[:200]} has changed, and {self.view.catalog.label} may still execute "
                f"an earlier call that changes it back; certain {SENT_SECONDS / 60:.0f} minutes after that call"
            ) from error

    def is_open(self) -> bool:
        """Return whether the catalog may still execute an earlier call that gives the partition this folder."""
        return next(fresh_marks(self.folder, self.view.storage), None) is not None

    def _done(self, before_try: Callable[[], None]) -> int:
        copied: dict[str, tuple[int, int]] = {}
        for number in range(1, _MAX_TRIES + 1):
            stored = self._read()
            location = self._planned_location(stored)
            self._catch_up(location, copied)
            before_try()
            mark, is_open = write_mark(self.folder, self.view.storage), False
            try:
                self._catch_up(location, copied)
                self._write_list(location, copied)
                changed = self._changed(stored, location, copied)
                if self._read() != stored:
                    continue
                is_open = True
                if not self._change(changed, stored):
                    is_open = False
                    continue
                is_open = False
            except PackhouseError as error:  # of a catalog that certainly did not make the change
                is_open = isinstance(error, OutcomeUnknown)
                raise
            finally:
                if not is_open:
                    remove_mark(mark, self.view.storage)
            self._follow_up(stored, changed, copied)
            return number
        raise _Lost

    @property
    def folder(self) -> str:
        """The folder with the outputs."""
        (found,) = {parent_of(file.path) for file in self.group.outputs}
        return found

    def _read(self) -> Partition:
        found = self.view.partition_of(self.group.partition)
        if found is None:
            raise _Lost
        return found

    def _planned_location(self, stored: Partition) -> str:
        location = location_of(stored)
        if {parent_of(file.path) for file in self.group.inputs} != {location}:
            raise _Lost
        return location

    def _catch_up(self, location: str, copied: dict[str, tuple[int, int]]) -> None:
        """Copy the files that were added since the plan; check that inputs and outputs are as they were."""
        try:
            present = every_file_in(location, self.view.storage)
        except Unlisted as error:
            _log.warning("partition_held_back", partition=self.group.partition[:200], reason=str(error))
            raise _Lost from error
        planned = self._inputs
        if not _are_same(present, planned | copied):
            raise _Lost
        late = {path: state for path, state in present.items() if path not in planned}
        if len(late) > MOST_DUAL_FILES:
            raise _Lost
        twins = self._twins(late)
        if clashing := [path for path, size in twins.items() if size != late[path][0]]:
            path = clashing[0]
            raise CommitConflict(
                f"{path[-300:]} has {late[path][0]} bytes, and the file of its name in the new folder {twins[path]}: "
                "the name of a dual file stands for one content"
            )
        copied.update({path: late.pop(path) for path in twins})
        if len(late) > MOST_LATE_FILES or sum(size for size, _ in late.values()) > MOST_LATE_BYTES:
            raise _Lost
        added = {path: state for path, state in late.items() if path not in copied}
        if len(self._complete(added)) < len(added):
            raise _Lost
        self._copy(added, copied)
        if not self._is_exact(copied):
            raise CommitConflict(f"the files in {self.folder[-300:]} are not those that were written there")

    @property
    def _inputs(self) -> dict[str, tuple[int, int]]:
        """The files that the outputs were made of."""
        return {file.path: (file.file_bytes, file.sequence_number) for file in self.group.inputs}

    def _twins(self, late: Files) -> Mapping[str, int]:
        """Return the sizes of the dual files in the new folder, by the paths of those in the old one."""
        if not any(map(is_dual, late)):
            return {}
        present = files_directly_in(self.folder, self.view.storage)
        pairs = ((path, present.get(copy_of(self.folder, path, state))) for path, state in late.items())
        return {path: found[0] for path, found in pairs if found is not None and is_dual(path)}

    def _complete(self, late: Files) -> dict[str, tuple[int, int]]:
        """Return the files that can be copied: whole Parquet files. Some stores list a file that is being written."""
        small = {path: state for path, state in late.items() if state[0] <= LARGEST_COPY}
        footers = footers_of([(path, size) for path, (size, _) in small.items()], self.view.storage)
        return {path: state for (path, state), footer in zip(small.items(), footers, strict=True) if footer is not None}

    def _copy(self, late: Files, copied: dict[str, tuple[int, int]]) -> None:
        for path, state in late.items():
            copy_file(path, copy_of(self.folder, path, state), state[0], self.view.files_of_table)
            copied[path] = state

    def _follow_up(self, stored: Partition, changed: Partition, copied: dict[str, tuple[int, int]]) -> None:
        """Copy the files that were added between the last look and the change.

        If rows were overwritten or removed in that time, the partition gets its old folder back, unless another client
        has used the new one since.
        """
        location = location_of(stored)
        present = files_directly_in(location, self.view.storage)
        known = self._inputs | copied
        if not _are_same(present, known):
            found = self._read()
            is_unused = has_entry(found, changed) and self._is_exact(copied)
            _log.warning("rows_overwritten_in_swap", partition=self.group.partition[:200], is_taken_back=is_unused)
            if is_unused:
                names = {file_name(path) for path in known}
                bring_back(self.folder, location, names, self.view.files_of_table)
                marks = [write_mark(folder, self.view.storage) for folder in (location, self.folder)]
                self._change(stored, found)
                for mark in marks:
                    remove_mark(mark, self.view.storage)
                bring_back(self.folder, location, names, self.view.files_of_table)
            raise _Lost
        late = {path: state for path, state in present.items() if path not in known}
        twins = self._twins(late)  # one of another size is left to the watch of replaced folders, which reports it
        copied.update({path: late[path] for path, size in twins.items() if size == late[path][0]})
        # what can't be copied is left to the watch of replaced folders, which waits for its end or reports it
        complete = self._complete({path: state for path, state in late.items() if path not in twins})
        if complete or copied.keys() - known.keys():
            self._copy(complete, copied)
            self._write_list(location, copied)

    def _is_exact(self, copied: Files) -> bool:
        """Return whether the new folder has the outputs and the copies of late files, and nothing else but dual files.

        A dual file can be there first, but not if the outputs have its rows already.
        """
        expected = {file.path: file.file_bytes for file in self.group.outputs}
        expected |= {copy_of(self.folder, path, state): state[0] for path, state in copied.items()}
        merged = set(map(file_name, self._inputs))
        present = {path: size for path, (size, _) in files_directly_in(self.folder, self.view.storage).items()}
        ahead = {path for path in present.keys() - expected.keys() if is_dual(path) and file_name(path) not in merged}
        return {path: size for path, size in present.items() if path not in ahead} == expected

    def _changed(self, stored: Partition, location: str, copied: Files) -> Partition:
        """Return the entry of the partition with the new folder, and the record of the rewrite."""
        changed = deepcopy(stored)
        changed.sd.location = as_location(self.folder, stored)
        parameters = dict(stored.parameters or {}) | {PARAMETER: self._record(stored, location).to_text()}
        if self.group.rows_deleted:
            parameters = {name: value for name, value in parameters.items() if not name.startswith(_OF_ROWS)}
        sizes = [*(file.file_bytes for file in self.group.outputs), *(size for size, _ in copied.values())]
        known = {"numFiles": len(sizes), "totalSize": sum(sizes), f"{_SPARKS}totalSize": sum(sizes)}
        changed.parameters = parameters | {name: str(known[name]) for name in known if name in parameters}
        return changed

    def _write_list(self, location: str, copied: Files) -> None:
        """Store which files of the old folder the new one has the rows of; see `compaction.replaced`."""
        known = {file_name(path): state for path, state in {**self._inputs, **copied}.items()}
        outputs = {file_name(file.path): file.file_bytes for file in self.group.outputs}
        replaced = ReplacedFolder(self.group.partition, location, known, outputs)
        write_list(self.folder, self.snapshot_id, replaced, self.view.files_of_table)

    def _change(self, changed: Partition, before: Partition) -> bool:
        """Ask the catalog to change the partition; return whether it did.

        Raises:
            OutcomeUnknown: no answer.
            PackhouseError: it certainly did not and will not happen.
        """
        try:
            self.view.change_partition(changed, before)
        except NotChanged:
            return False
        except Unanswered as error:
            message = f"the location of {self.group.partition[:200]} may still change: {error}"
            raise OutcomeUnknown(message) from error
        return True

    def _record(self, stored: Partition, location: str) -> CompactionRecord:
        before = CompactionRecord.of((stored.parameters or {}).get(PARAMETER))
        return CompactionRecord(
            number=next_number(before),
            run_id=self.request.run_id,
            attempt=self.request.attempt,
            group=self.group.ordinal,
            snapshot_id=self.snapshot_id,
            location=self.folder,
            previous=location,
            files=len(self.group.inputs),
            rows=sum(file.record_count for file in self.group.inputs),
            file_bytes=sum(file.file_bytes for file in self.group.inputs),
            at_ms=round(time.time() * 1000),
        )


def _are_same(present: Files, known: Files) -> bool:
    """Return whether all known files are there as they were."""
    return all(is_same(path, present.get(path), state) for path, state in known.items())


def has_entry(present: Partition, wanted: Partition) -> bool:
    """Return whether a partition has the location, the columns and the parameters of an entry."""
    return bool(present.sd == wanted.sd and present.parameters == wanted.parameters)


def next_number(before: CompactionRecord | None) -> int:
    """Return the compaction id that follows a partition's newest."""
    return 1 if before is None else before.number + 1


def lost_groups(present: Files, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
    """Return the groups with an input that is not among the present files any more, or has changed."""
    return {
        group.ordinal: Loss.SOURCE_GONE
        for group in groups
        if not _are_same(present, {file.path: (file.file_bytes, file.sequence_number) for file in group.inputs})
    }
