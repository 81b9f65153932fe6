"""Delete files of a list: many at once, in the order of the list, paced, and without failing for single files.

Of files whose time is known, size and time are compared with those that the store has right before the request that
deletes them: one that changed is left, one that is gone is not counted as deleted. Of others, one that is gone already
counts as deleted. S3 deletes 1,000 files by one request; files in other stores, and those that S3 refused together, are
deleted one by one, several at a time. A busy store is asked again for up to a minute. Files that the store refuses are
counted and left.

All files of one stage (content, manifests, manifest lists, …) are gone or counted before the first of the next is sent.
"""

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby, repeat
from typing import Any, Final, TypeAlias

import pyarrow as pa

from engine.domain.errors import Away, CredentialsExpired, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.runs.removals import FileCount, RemovalFigures
from engine.formats.intake.errors import printable_path, summary_of
from engine.formats.removal.batches import Batch, BatchAnswer, Fate, File, fates_of
from engine.formats.removal.existing_files import Presence, compare
from engine.formats.removal.file_lists import CONTENT
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.answers import is_expired, patience
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.connections import files_of
from engine.rewriting.kernel.storage.stores.files import Files
from engine.rewriting.kernel.storage.stores.objects import BULK_DELETES, ObjectFiles

_AT_ONCE: Final = 8
_FIRST_WAIT_SECONDS: Final = 0.2
_LONGEST_WAIT_SECONDS: Final = 10.0
_MOST_NAMED: Final = 10
_MOST_REFUSED: Final = 1000
_OWN_FAULT: Final = "InternalError"  # of S3, for single files of a request that succeeded
_FAULT_SECONDS: Final = 30.0


@dataclass(slots=True)
class Tally:
    """Counts of deleted and refused files. `bytes` are those of the metadata.

    Attributes:
        deleted: files and bytes by kind.
        gone: number of files that were gone before they were deleted, where that is known.
        changed: number of files that were left because their size or time changed.
        failed: number of files by kind that the store refused to delete.
        samples: the first of those, each with the store's answer.
        requests: number of requests sent, without those that were repeated.
    """

    deleted: dict[str, FileCount] = field(default_factory=dict)
    gone: int = 0
    changed: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    samples: list[tuple[str, str]] = field(default_factory=list)
    requests: int = 0

    def add_deleted(self, kind: str, sizes: Sequence[int | None]) -> None:
        """Count files that are gone."""
        if not sizes:
            return
        size = sum(max(0, each) for each in sizes if each is not None)
        self.deleted[kind] = self.deleted.get(kind, FileCount()) + FileCount(len(sizes), size)

    def figures(self) -> RemovalFigures:
        """Return what happened so far."""
        return RemovalFigures(
            dict(self.deleted), dict(self.failed), tuple(self.samples), self.requests, self.gone, self.changed
        )

    def add_failed(self, kind: str, path: str, reason: str) -> None:
        """Count a file that was not deleted."""
        self.failed[kind] += 1
        if len(self.samples) < _MOST_NAMED:
            self.samples.append((printable_path(path), printable_path(reason)))


_UnderWay: TypeAlias = deque[tuple[Batch, Future[BatchAnswer]]]


class BulkDelete:
    """Deletes files; `tally` counts them, also while an error is raised."""

    def __init__(
        self,
        storage: Mapping[str, str],
        *,
        before_batch: Callable[[int], None],
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the access to the store.

        Args:
            storage: properties of file access, as `GuardedFileIO` has them.
            before_batch: called with the number of requests, 0 for local files, before files are deleted; may wait, or
                raise to stop. Always called in the thread of the caller.
            sleep: waits for seconds.
            clock: returns monotonic seconds.
        """
        self.tally = Tally()
        self._storage = storage
        self._before_batch = before_batch
        self._sleep = sleep
        self._clock = clock
        self._stages: Iterator[tuple[str, Iterator[Batch]]] = iter(())
        self._stage: Iterator[Batch] | None = None

    def begin(self, batches: Iterable[pa.Table]) -> None:
        """Take the files to delete, tables with the schema `file_lists.LISTED`, in their order."""
        self._stages = groupby(self._batches(batches), key=lambda each: _stage_of(each.kind))
        self._stage = None

    def remove(self, batches: Iterable[pa.Table]) -> None:
        """Delete files, as `begin` takes them. Raises as `advance`."""
        self.begin(batches)
        while self.advance(math.inf):
            pass

    def advance(self, seconds: float) -> bool:
        """Delete files for a time; return whether there are more. Everything that was sent is counted.

        Raises:
            Away: the store does not answer, or is busy for too long; begin again later.
            CredentialsExpired: the store's credentials expired.
            StateConflict: the store refused every one of the first files.
            Exception: any that `before_batch` raised. What was sent before has been counted.
        """
        until = self._clock() + seconds
        with ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="deletions") as pool:
            under_way: _UnderWay = deque()
            try:
                return self._advance(pool, under_way, until)
            finally:
                for batch, future in under_way:  # after an error: count what was sent
                    with suppress(Exception):
                        self._count(batch, future.result())

    def _advance(self, pool: ThreadPoolExecutor, under_way: "_UnderWay", until: float) -> bool:
        while True:
            if self._stage is None:
                _, self._stage = next(self._stages, (None, None))
            if self._stage is None:
                return False
            if not self._remove_stage(self._stage, pool, under_way, until):
                return True
            self._stage = None

    def _remove_stage(
        self, stage: Iterator[Batch], pool: ThreadPoolExecutor, under_way: "_UnderWay", until: float
    ) -> bool:
        """Delete the files of a stage; return whether all are gone or counted, False if the time is over."""
        again: deque[Batch] = deque()
        is_over = is_late = False
        while True:
            if len(under_way) < _AT_ONCE and (again or not (is_over or is_late)):
                batch = again.popleft() if again else next(stage, None)
                if batch is None:
                    is_over = True
                    continue
                self._before_batch(batch.requests)
                self.tally.requests += batch.requests
                under_way.append((batch, pool.submit(self._delete, batch)))
                is_late = self._clock() >= until
                continue
            if not under_way:
                return is_over
            first, future = under_way.popleft()
            answer = future.result()
            self._count(first, answer)
            if refused := [file for file, fate in fates_of(first, answer) if fate is Fate.REFUSED_TOGETHER]:
                again.extend(replace(first, files=refused).one_by_one(was_sent=True))
            self._check_refusals()
            if answer.more_requests:
                self._before_batch(answer.more_requests)

    def _batches(self, tables: Iterable[pa.Table]) -> Iterator[Batch]:
        stores: dict[tuple[str, str], Files] = {}
        for table in tables:
            for start in range(0, table.num_rows, BULK_DELETES):
                part = table.slice(start, BULK_DELETES)
                times = part["modified_us"].to_pylist() if "modified_us" in part.column_names else repeat(None)
                columns = (part[name].to_pylist() for name in ("kind", "path", "file_bytes"))
                rows = [(kind, address_of(path), path, size) for kind, path, size in zip(*columns, strict=True)]
                timed = zip(rows, times, strict=False)
                for (kind, *where), some in groupby(
                    timed, key=lambda row: (row[0][0], row[0][1].kind, row[0][1].place)
                ):
                    store = stores.get((where[0], where[1])) or self._store(*where)
                    stores[where[0], where[1]] = store
                    is_bulk = isinstance(store, ObjectFiles) and store.deletes_at_once > 1
                    files = [File(path, address.path, size, at) for (_, address, path, size), at in some]
                    whole = Batch(store, kind, files, is_bulk)
                    yield from (whole,) if is_bulk or not store.is_remote else whole.one_by_one()

    def _store(self, kind: str, place: str) -> Files:
        try:
            return files_of(kind, place, self._storage)
        except Refused as error:
            raise StateConflict(f"the store of the files can't be reached: {error}") from error

    def _delete(self, batch: Batch) -> BatchAnswer:
        """Compare files with what the store has, and delete those that are the same.

        Raises:
            Away, CredentialsExpired: as `remove`.
        """
        asked: list[int] = []
        fates: list[Fate | str] = (
            self._compared(batch, asked) if batch.is_compared else [Fate.DELETED] * len(batch.files)
        )
        same = [file.path for file, fate in zip(batch.files, fates, strict=True) if fate is Fate.DELETED]
        store: Any = batch.store
        if not batch.is_bulk:
            refusals = iter([self._delete_one(store, path) for path in same])
            fates = [next(refusals) or fate if fate is Fate.DELETED else fate for fate in fates]
        elif same and self._patiently(lambda: store.delete_many(same)) is not None:
            fates = [Fate.REFUSED_TOGETHER if fate is Fate.DELETED else fate for fate in fates]
        return BatchAnswer(fates, max(0, sum(asked) - batch.requests // 2))

    def _delete_one(self, store: Files, path: str) -> str | None:
        return self._patiently(lambda: store.delete(path))

    def _compared(self, batch: Batch, asked: list[int]) -> list[Fate | str]:
        """Return the fate of each file; `DELETED` for those that may be deleted. `asked` collects the requests."""
        found: list[Presence] = []

        def look() -> None:
            times = [file.time_us or 0 for file in batch.files]
            sizes = [-1 if file.size is None else file.size for file in batch.files]
            found[:] = compare(batch.store, [file.path for file in batch.files], sizes, times, asked.append)

        if (refusal := self._patiently(look)) is not None:
            return [refusal] * len(batch.files)
        missing = Fate.DELETED if batch.was_sent else Fate.GONE
        fates = {Presence.SAME: Fate.DELETED, Presence.CHANGED: Fate.CHANGED, Presence.MISSING: missing}
        return [fates[each] for each in found]

    def _patiently(self, delete: Callable[[], None]) -> str | None:
        """Call and repeat while the store is busy; return the reason of a refusal, None if there is none."""
        waited, wait = 0.0, _FIRST_WAIT_SECONDS
        while True:
            try:
                delete()
            except FileNotFoundError:
                return None
            except (OSError, TypeError, ValueError) as error:
                text = summary_of(error)
                if is_expired(str(error)):
                    raise CredentialsExpired(f"the store refused to delete files: {text}") from error
                limit = _patience(error)
                if not limit:
                    return text
                if waited >= limit:
                    raise Away(DependencyKind.STORAGE, f"the store did not delete files: {text}") from error
            else:
                return None
            self._sleep(wait)
            waited, wait = waited + wait, min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _count(self, batch: Batch, answer: BatchAnswer) -> None:
        """Count the files of a batch; those that the store refused together are tried again."""
        self.tally.requests += answer.more_requests
        self.tally.gone += answer.fates.count(Fate.GONE)
        self.tally.changed += answer.fates.count(Fate.CHANGED)
        for file, fate in fates_of(batch, answer):
            if not isinstance(fate, Fate):
                self.tally.add_failed(batch.kind, file.uri, fate)
        self.tally.add_deleted(
            batch.kind, [file.size for file, fate in fates_of(batch, answer) if fate is Fate.DELETED]
        )

    def _check_refusals(self) -> None:
        failed = sum(self.tally.failed.values())
        if failed >= _MOST_REFUSED and not self.tally.deleted:
            reason = self.tally.samples[0][1]
            raise StateConflict(f"the store refused to delete each of the first {failed} files: {reason}")


def _patience(error: Exception) -> float:
    if not isinstance(error, OSError):
        return 0.0
    return _FAULT_SECONDS if _OWN_FAULT in str(error) else patience(error)


def _stage_of(kind: str) -> str:
    return "content" if kind in CONTENT else kind
