"""Orphans of a search, stored with the table: `packhouse-deletions/orphans/look-<number>.parquet`.

The newest complete one counts; without one the quarantine of all files begins again. A stored search is untrusted, as
who can write to the folder can delete the table's files as well: it never makes a file an orphan, it only gives the
time since when a file has been one.
"""

import io
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import structlog

from engine.domain.errors import StateConflict
from engine.domain.runs.expiry import instant
from engine.domain.runs.removals import FileCount, OrphanRule, RemovalPlan
from engine.formats.intake.limits import MANIFEST_BYTES, Malformed
from engine.formats.intake.parquet.footers import checked_file
from engine.formats.intake.parquet.pages import check_decoded
from engine.formats.removal.file_lists import LISTED, FileKind, FileList, ListWriter, Origin, listed
from engine.formats.removal.listings import files_below
from engine.formats.removal.path_keys import Keys
from engine.formats.removal.records import RecordFiles
from engine.formats.removal.scopes import RefusedFiles

_log = structlog.get_logger(__name__)

CANDIDATES: Final = pa.schema(
    [("path", pa.string()), ("file_bytes", pa.int64()), ("modified_us", pa.int64()), ("since_us", pa.int64())]
)
_LOOK: Final = b"packhouse.look"
_LARGEST: Final = 2**30
_MOST_FILES: Final = 8_000_000
_SAMPLES: Final = 10
_NAME: Final = re.compile(r"look-([0-9]{1,9})\.parquet")


@dataclass(frozen=True, slots=True)
class Search:
    """Files that nothing refers to.

    Attributes:
        origin: the version of the table.
        taken_us: time of the search by the store's clock, in microseconds since 1970.
        referenced: number of files that the table referred to.
        snapshot_ids: the snapshots that the table had, or numbers for them and for its tags.
        files: the files, with the schema `CANDIDATES`; `since_us` is the time of the first search that found each.
    """

    origin: Origin
    taken_us: int
    referenced: int
    snapshot_ids: Sequence[int]
    files: pa.Table

    def body(self) -> bytes:
        """Return the content of its file."""
        origin = [self.origin.uuid, self.origin.next_sequence_number, self.origin.updated_ms]
        told = json.dumps([origin, self.taken_us, self.referenced, list(self.snapshot_ids)]).encode()
        stream = io.BytesIO()
        pq.write_table(self.files.replace_schema_metadata({_LOOK: told}), stream, compression="zstd")
        return stream.getvalue()

    @classmethod
    def read(cls, body: bytes) -> "Search":
        """Return the search in a file's content. Raises Malformed."""
        try:
            checked = checked_file(body)
            stored = checked.parquet
            groups = (stored.metadata.row_group(number) for number in range(stored.num_row_groups))
            if stored.metadata.num_rows > _MOST_FILES or sum(each.total_byte_size for each in groups) > _LARGEST:
                raise Malformed("it is too large")
            check_decoded(checked, body, range(stored.num_row_groups), _LARGEST)
            files = stored.read(use_threads=False)
            told: Any = json.loads((files.schema.metadata or {})[_LOOK])
            match told:
                case [[str(uuid), int(sequence), int(updated)], int(taken), int(referenced), [*ids]] if _are_whole(ids):
                    origin, found = Origin(uuid, sequence, updated), files.replace_schema_metadata(None)
                    return cls(origin, taken, referenced, ids, found.cast(CANDIDATES))
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            raise Malformed("it is not a complete search for orphans") from error
        raise Malformed("it is not a complete search for orphans: its origin has other types")

    def first_seen(self, files: pa.Table, now_us: int) -> pa.Array:
        """Return since when files, with the schema `FOUND`, have been orphans of the same size and time."""
        places = pc.index_in(files["path"], value_set=self.files["path"])
        earlier = self.files.take(pc.fill_null(places, 0)) if self.files.num_rows else None
        if earlier is None:
            return pa.repeat(now_us, files.num_rows)
        is_same = pc.and_(
            pc.equal(files["file_bytes"], earlier["file_bytes"]), pc.equal(files["modified_us"], earlier["modified_us"])
        )
        is_known = pc.fill_null(pc.and_(pc.is_valid(places), is_same), fill_value=False)
        return pc.if_else(is_known, pc.min_element_wise(earlier["since_us"], now_us), now_us)

    def past_quarantine(self, quarantine: timedelta) -> pa.ChunkedArray:
        """Return for each file whether an earlier search, at least a quarantine ago, found it first."""
        return are_past_quarantine(self.files, self.taken_us, quarantine)


def _are_whole(values: Sequence[Any]) -> bool:
    return all(isinstance(each, int) for each in values)


def are_past_quarantine(files: pa.Table, taken_us: int, quarantine: timedelta) -> pa.ChunkedArray:
    """Return for each file of a search, made at a time, whether an earlier one at least a quarantine ago found it."""
    since = files["since_us"]
    is_old = pc.less_equal(since, taken_us - quarantine // timedelta(microseconds=1))
    return pc.and_(is_old, pc.less(since, taken_us))


@dataclass(frozen=True, slots=True)
class StoredSearches:
    """The searches of one table; `root` is the folder of the records of all its deletions."""

    stored: RecordFiles
    root: str

    @property
    def folder(self) -> str:
        """The folder of the searches."""
        return f"{self.root}/orphans"

    def latest(self) -> Search | None:
        """Return the newest complete search; None without one. Raises OSError.

        One that can't be read is logged: with it the quarantine of every file begins again.
        """
        for number in reversed(self._numbers()):
            try:
                return Search.read(self.stored.read(self._path(number), MANIFEST_BYTES))
            except FileNotFoundError:  # another run has stored a later one since, and removed it
                continue
            except Malformed as error:
                _log.warning("stored_look_not_read", path=self._path(number), error=str(error))
        return None

    def write(self, search: Search) -> str:
        """Store a search and remove earlier ones; return its path. Raises OSError."""
        earlier = self._numbers()
        path = self._path(max(earlier, default=0) + 1)
        self.stored.write(path, search.body())
        for number in earlier:
            with suppress(FileNotFoundError):
                self.stored.delete(self._path(number))
        return path

    def store_time(self, storage: Mapping[str, str], run_id: str) -> int:
        """Write a probe; return its time, the store's clock, in microseconds since 1970.

        Args:
            storage: properties of file access, as `listings.files_below` takes them.
            run_id: the content of the probe.

        Raises:
            StateConflict: a listing lacks the probe.
            NotEligible, OSError: as `listings.files_below`.
        """
        probe = f"{self.folder}/probe"
        self.stored.write(probe, run_id.encode())
        for batch in files_below(self.folder, storage):
            if (own := batch.filter(pc.equal(batch["path"], probe))).num_rows:
                return int(own["modified_us"][0].as_py())
        raise StateConflict("the store's listing lacks a file that was just written, so nothing is deleted by it")

    def _path(self, number: int) -> str:
        return f"{self.folder}/look-{number}.parquet"

    def _numbers(self) -> list[int]:
        names = self.stored.files(self.folder)
        return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search: one listing of the table's files, compared with its metadata.

    Attributes:
        search: what is stored of it.
        listed: number of listed files.
        due: the files past quarantine.
        refused: files that nothing refers to and that must not be deleted.
        keys: of the files that exist, sorted; those of references may be among them.
        rule: which files are orphans.
        inventory_us: when the inventory was taken that has the files; None: they were listed.
        more: number of orphans that are left for later searches, as there are too many for one.
    """

    search: Search
    listed: int
    due: FileList
    refused: RefusedFiles
    keys: Keys = field(repr=False)
    rule: OrphanRule
    inventory_us: int | None = None
    more: int = 0

    @property
    def taken_us(self) -> int:
        """Time of the search, by the store's clock."""
        return self.search.taken_us

    def plan(self, path: str = "") -> RemovalPlan:
        """Return the files past quarantine as the plan that a run records, with what waits and what is left alone."""
        files, due = self.search.files, sum(self.due.counts().values(), FileCount())
        total = FileCount(files.num_rows, int(pc.sum(files["file_bytes"].cast(pa.float64())).as_py() or 0))
        waiting = files.filter(pc.invert(self.search.past_quarantine(self.rule.quarantine)))["since_us"]
        next_us = None if not len(waiting) else pc.min(waiting).as_py() + us(self.rule.quarantine)
        found = {
            "taken_at": instant(self.search.taken_us // 1000).isoformat(),
            **({} if self.inventory_us is None else {"inventory_at": instant(self.inventory_us // 1000).isoformat()}),
            "listed_files": self.listed,
            "referenced_files": self.search.referenced,
            "unreferenced": total.document(),
            **({"left_for_later": self.more} if self.more else {}),
            "in_quarantine": FileCount(total.files - due.files, total.bytes - due.bytes).document(),
            "next_at": None if next_us is None else instant(next_us // 1000).isoformat(),
        }
        details = {
            "look": found,
            "samples": self.due.samples(_SAMPLES),
            "refused": self.refused.document(),
        }
        return RemovalPlan(self.due.counts(), details, path)


def due_files(search: Search, rule: OrphanRule, kinds: Sequence[tuple[FileKind, str]]) -> FileList:
    """Return the files past quarantine, in the order in which kinds of files are deleted.

    Args:
        search: the search.
        rule: which files are orphans.
        kinds: each with a regular expression of the paths of its files; the first that matches counts, and a file that
            none matches is not deleted.
    """
    due, found = search.files.filter(search.past_quarantine(rule.quarantine)), dict[FileKind, pa.Table]()
    for kind, pattern in kinds:
        is_of_kind = pc.match_substring_regex(due["path"], pattern)
        files, due = due.filter(is_of_kind), due.filter(pc.invert(is_of_kind))
        found[kind] = listed(files["path"], kind, file_bytes=files["file_bytes"]).cast(LISTED)
    writer = ListWriter(search.origin)
    for kind in FileKind:
        writer.add(found.get(kind, LISTED.empty_table()))
    return writer.finish()


def us(duration: timedelta) -> int:
    """Return a duration in microseconds."""
    return duration // timedelta(microseconds=1)
