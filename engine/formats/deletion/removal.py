"""Delete files of a list: many at once, in the order of the list, paced, and without failing for single files.

A file that is gone already counts as deleted. S3 deletes 1,000 files by one request; files in other stores, and those
that S3 refused together, are deleted one by one, several at a time. A busy store is asked again for up to a minute.
Files that the store refuses are counted and left.

All files of one stage (content, manifests, manifest lists, …) are gone or counted before the first of the next is sent.
"""

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, TypeAlias

import pyarrow as pa

from engine.domain.errors import Away, CredentialsExpired, StateConflict
from engine.domain.fleet.dependencies import Dependency
from engine.domain.runs.removals import FileCount, RemovalFigures
from engine.formats.deletion.file_lists import CONTENT
from engine.formats.intake.errors import printable, summary_of
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.answers import is_expired, patience
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.connections import files_of
from engine.rewriting.kernel.storage.stores.files import Files
from engine.rewriting.kernel.storage.stores.objects import BULK_DELETES, ObjectFiles

_AT_ONCE: Final = 8
_SINGLE_AT_ONCE: Final = 50  # files that a thread deletes one after the other
_FIRST_WAIT_SECONDS: Final = 0.2
_LONGEST_WAIT_SECONDS: Final = 10.0
_MOST_NAMED: Final = 10
_LONGEST_NAMED: Final = 300
_MOST_REFUSED: Final = 1000
_OWN_FAULT: Final = "InternalError"  # of S3, for single files of a request that succeeded
_FAULT_SECONDS: Final = 30.0


@dataclass(slots=True)
class Tally:
    """What happened to files so far. `bytes` are those of the metadata; a file that was gone already is included.

    Attributes:
        deleted: files and bytes by kind.
        failed: number of files by kind that the store refused to delete.
        samples: the first of those, each with the store's answer.
        requests: number of requests sent, without those that were repeated.
    """

    deleted: dict[str, FileCount] = field(default_factory=dict)
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
        return RemovalFigures(dict(self.deleted), dict(self.failed), tuple(self.samples), self.requests)

    def add_failed(self, kind: str, path: str, reason: str) -> None:
        """Count a file that was not deleted."""
        self.failed[kind] += 1
        if len(self.samples) < _MOST_NAMED:
            self.samples.append((printable(path[:_LONGEST_NAMED]), printable(reason[:_LONGEST_NAMED])))


@dataclass(frozen=True, slots=True)
class _Batch:
    """Files of one kind in one store. `paths` are those within the store."""

    store: Files
    kind: str
    uris: list[str]
    paths: list[str]
    sizes: list[int | None]
    is_bulk: bool

    @property
    def requests(self) -> int:
        return (1 if self.is_bulk else len(self.paths)) if self.store.is_remote else 0

    def one_by_one(self) -> Iterator["_Batch"]:
        """Yield the same files in smaller batches whose files are deleted one by one."""
        for start in range(0, len(self.paths), _SINGLE_AT_ONCE):
            part = slice(start, start + _SINGLE_AT_ONCE)
            yield _Batch(self.store, self.kind, self.uris[part], self.paths[part], self.sizes[part], is_bulk=False)


_UnderWay: TypeAlias = deque[tuple[_Batch, Future[list[str | None] | None]]]


class Removal:
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
        self._stages: Iterator[tuple[str, Iterator[_Batch]]] = iter(())
        self._stage: Iterator[_Batch] | None = None

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
        self, stage: Iterator[_Batch], pool: ThreadPoolExecutor, under_way: "_UnderWay", until: float
    ) -> bool:
        """Delete the files of a stage; return whether all are gone or counted, False if the time is over."""
        again: deque[_Batch] = deque()
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
            answers = future.result()
            if answers is None:
                again.extend(first.one_by_one())
            else:
                self._count(first, answers)
                self._check_refusals()

    def _batches(self, tables: Iterable[pa.Table]) -> Iterator[_Batch]:
        stores: dict[tuple[str, str], Files] = {}
        for table in tables:
            for start in range(0, table.num_rows, BULK_DELETES):
                part = table.slice(start, BULK_DELETES)
                columns = (part[name].to_pylist() for name in ("kind", "path", "file_bytes"))
                rows = [(kind, address_of(path), path, size) for kind, path, size in zip(*columns, strict=True)]
                for (kind, *where), some in groupby(rows, key=lambda row: (row[0], row[1].kind, row[1].place)):
                    store = stores.get((where[0], where[1])) or self._store(*where)
                    stores[where[0], where[1]] = store
                    same = list(some)
                    is_bulk = isinstance(store, ObjectFiles) and store.deletes_at_once > 1
                    paths, uris, sizes = [r[1].path for r in same], [r[2] for r in same], [r[3] for r in same]
                    whole = _Batch(store, kind, uris, paths, sizes, is_bulk)
                    yield from (whole,) if is_bulk or not store.is_remote else whole.one_by_one()

    def _store(self, kind: str, place: str) -> Files:
        try:
            return files_of(kind, place, self._storage)
        except Refused as error:
            raise StateConflict(f"the store of the files can't be reached: {error}") from error

    def _delete(self, batch: _Batch) -> list[str | None] | None:
        """Delete files; return for each the reason why not, None if it is gone; None: the store refused them together.

        Raises:
            Away, CredentialsExpired: as `remove`.
        """
        if not batch.is_bulk:
            return [self._delete_one(batch.store, path) for path in batch.paths]
        store: Any = batch.store
        refusal = self._patiently(lambda: store.delete_many(batch.paths))
        return [None] * len(batch.paths) if refusal is None else None

    def _delete_one(self, store: Files, path: str) -> str | None:
        return self._patiently(lambda: store.delete(path))

    def _patiently(self, delete: Callable[[], None]) -> str | None:
        """Delete and repeat while the store is busy; return the reason of a refusal, None if all are gone."""
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
                    raise Away(Dependency.STORAGE, f"the store did not delete files: {text}") from error
            else:
                return None
            self._sleep(wait)
            waited, wait = waited + wait, min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _count(self, batch: _Batch, answers: list[str | None] | None) -> None:
        """Count the files of a batch; without answers they are tried again."""
        if answers is None:
            return
        if refused := [number for number, answer in enumerate(answers) if answer is not None]:
            for number in refused:
                self.tally.add_failed(batch.kind, batch.uris[number], answers[number] or "")
            self.tally.add_deleted(
                batch.kind, [s for s, answer in zip(batch.sizes, answers, strict=True) if not answer]
            )
        else:
            self.tally.add_deleted(batch.kind, batch.sizes)

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
