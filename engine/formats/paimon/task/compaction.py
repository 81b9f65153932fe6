"""Compact one bucket with Paimon's core, under the task's share.

The core has no rate limit: the compaction runs at full speed, then its bytes are charged to the share, and the task
ends when they are paid for. The long-term rate holds; in between it is exceeded for the time of one bucket. A stop
kills the child JVM.
"""

import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from typing import Final

from engine.formats.paimon.task.checks import NOT_COMPARED, ComparedRows, compare_rows
from engine.formats.paimon.task.contract import EXACT_FILES, CoreTask
from engine.formats.paimon.task.core_process import CORE_PROCESSES, CoreProcess, CoreProcesses
from engine.formats.paimon.task.errors import CoreFault
from engine.formats.paimon.task.publishing import ConditionalCommit
from engine.formats.paimon.task.tables import BucketCalls, Compacted, FileFacts, remove_files
from engine.formats.paimon.task.times import check_times
from engine.rewriting.kernel.contract import GroupResult, TaskInput, TaskOutput
from engine.rewriting.kernel.errors import HEAP_LIMIT, Refused, Stopped, StorageFault
from engine.rewriting.kernel.phases import Phases
from engine.rewriting.kernel.storage.channel import PaceChannel
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket, Pause
from engine.rewriting.kernel.storage.posts import Post, http_post
from engine.rewriting.kernel.storage.transfer import Moved, Transfer

STOP_POLL_SECONDS: Final = 0.2
"""Seconds after which a running compaction looks for the order to stop again."""


class BucketCompaction:
    """One compaction. Clock, pause and post are arguments so that pacing can be tested in virtual time."""

    def __init__(
        self,
        *,
        task: CoreTask,
        children: CoreProcesses = CORE_PROCESSES,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause = threading.Event.wait,
        post: Post = http_post,
    ) -> None:
        self._task = task
        self._children = children
        self._clock = clock
        self._phases = Phases(clock)
        self._bucket = Bucket(
            bytes_per_second=task.pace.bytes_per_second,
            requests_per_second=task.pace.requests_per_second,
            clock=clock,
            pause=pause,
        )
        self._moved = Moved()
        self._channel = PaceChannel(
            identity=task.identity, pace=task.pace, bucket=self._bucket, moved=self._all_moved, post=post
        )
        self._transfer = Transfer(
            storage=Storage(properties=task.access, places=(task.table,)), bucket=self._bucket, clock=clock
        )
        self._folders: tuple[str, ...] = ()
        self._compacted: Compacted | None = None
        self._time_limit = ""

    def run(self) -> GroupResult:
        """Compact the bucket: `written`, `stopped`, or `refused` with a reason.

        Raises:
            KernelError: the compaction failed; files of this task were removed.
        """
        begun = self._clock()
        self._channel.start()
        try:
            self._require_heap()
            with self._lent() as child:
                return self._compact(child, begun)
        except Stopped:
            return self._result("stopped", begun)
        except Refused as refusal:
            return self._result("refused", begun, reason=str(refusal))
        finally:
            self._channel.close()

    def _require_heap(self) -> None:
        """Check that the bucket's heap is within the limit.

        Raises:
            Refused: it is not.
        """
        needed, limit = self._task.heap_bytes, self._task.heap_limit_bytes
        if limit and needed > limit:
            raise Refused(
                HEAP_LIMIT,
                f"the bucket needs about {needed // 2**20} MiB of heap, and PACKHOUSE_PAIMON_HEAP_BYTES allows "
                f"{limit // 2**20} MiB: raise it, give the table more buckets, or lower its sort-spill-threshold",
            )

    def _compact(self, child: CoreProcess, begun: float) -> GroupResult:
        try:
            self._time_limit = check_times(self._task.times, self._task.inputs, self._transfer)
            compacted = self._compacted = self._watched(child)
            self._pay(compacted)
            compared = self._compare(compacted)
            return self._result("written", begun, compacted=compacted, compared=compared)
        except BaseException as error:
            self._discard(error)
            raise

    def _watched(self, child: CoreProcess) -> Compacted:
        """Run the calls in another thread, and kill the child on the order to stop."""
        scratch = tempfile.mkdtemp(prefix="packhouse-core-")
        try:
            with ThreadPoolExecutor(1, "packhouse-core") as pool:
                running = pool.submit(self._call, child, scratch)
                try:
                    return self._await(running)
                except BaseException:
                    if not running.done():
                        child.kill()
                    raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _await(self, running: "Future[Compacted]") -> Compacted:
        while not running.done():
            self._bucket.check()
            wait([running], STOP_POLL_SECONDS)
        return running.result()

    def _call(self, child: CoreProcess, scratch: str) -> Compacted:
        task = self._task
        try:
            calls = BucketCalls(jvm=child.jvm, task=task, user=f"packhouse-{uuid.uuid4()}")
            if task.storage and task.needs_conditions:
                ConditionalCommit(child, calls.table).require_support()
            self._folders = calls.folders()
            return calls.merge_inputs() if task.kind == EXACT_FILES else calls.compact(scratch)
        except Exception as error:
            raise child.explained(error) from error

    def _pay(self, compacted: Compacted) -> None:
        """Charge the bytes and files to the share, and wait until they are paid for."""
        read, written = compacted.rewritten()
        written = (*written, *compacted.changelog)
        requests = len(read) + len(written)
        self._moved = Moved(_bytes(read), _bytes(written), requests)
        self._bucket.take(_bytes(read) + _bytes(written), requests)
        self._bucket.take(1, 1)

    def _compare(self, compacted: Compacted) -> ComparedRows:
        """Compare the rows of inputs and outputs if the task asks for it; reads are paced and charged as they happen.

        Raises:
            KernelError: the outputs have other rows, or a file can't be read.
        """
        rules = self._task.rules
        if rules is None:
            return NOT_COMPARED
        return compare_rows(rules, compacted, self._transfer)

    def _all_moved(self) -> Moved:
        """Return the totals of the compaction, of the comparison and of the look for times."""
        more = self._transfer.moved
        return Moved(
            self._moved.bytes_read + more.bytes_read,
            self._moved.bytes_written,
            self._moved.requests + more.requests,
        )

    def _discard(self, cause: BaseException) -> None:
        """Remove the files of this task, with another child if the first was killed or has ended.

        Raises:
            CoreFault: they could not be removed; the text has the cause too.
        """
        if not self._folders:
            return
        prefix, indexes = self._task.name_prefix, self._compacted.indexes if self._compacted else ()
        try:
            with self._lent() as child:
                self._remove(child, prefix, indexes)
        except Exception as error:
            left = f"files {prefix}* could not be removed from {', '.join(self._folders)}: {error}"
            kind = type(cause) if isinstance(cause, StorageFault) else CoreFault
            raise kind(f"{type(cause).__name__}: {cause}; {left}") from error

    def _lent(self) -> AbstractContextManager[CoreProcess]:
        return self._children.lend(self._task.jar, self._task.heap_bytes, self._task.store_jar)

    def _remove(self, child: CoreProcess, prefix: str, indexes: tuple[str, ...]) -> None:
        try:
            remove_files(child.jvm, folders=self._folders, prefix=prefix, paths=indexes, storage=self._task.storage)
        except Exception as error:
            raise child.explained(error) from error

    def _result(
        self,
        outcome: str,
        begun: float,
        *,
        reason: str | None = None,
        compacted: Compacted | None = None,
        compared: ComparedRows = NOT_COMPARED,
    ) -> GroupResult:
        read, written = compacted.rewritten() if compacted else ((), ())
        throttled, moved = self._bucket.throttled_seconds, self._all_moved()
        return GroupResult(
            group=self._task.group,
            outcome=outcome,
            reason=reason,
            outputs=tuple(TaskOutput(one.path, one.file_bytes, one.record_count, "") for one in compacted.after)
            if compacted
            else (),
            rows_read=_rows(read),
            rows_deleted=_rows(read) - _rows(written),
            rows_written=_rows(written),
            bytes_read=moved.bytes_read,
            bytes_written=moved.bytes_written,
            requests=moved.requests,
            seconds_working=max(0.0, self._clock() - begun - throttled - compared.seconds),
            throttled_seconds=throttled,
            row_digest=compared.digest,
            bytes_checked=compared.bytes_read,
            seconds_checking=compared.seconds,
            check_limit="; ".join(filter(None, (self._time_limit, compared.limit))),
            inputs=tuple(TaskInput(one.path, one.file_bytes, one.record_count) for one in compacted.before)
            if compacted
            else None,
            message=compacted.message if compacted else "",
            side_files=(*(one.path for one in compacted.changelog), *compacted.indexes) if compacted else (),
            timeline=self._phases.timeline(),
        )


def _bytes(files: tuple[FileFacts, ...]) -> int:
    return sum(one.file_bytes for one in files)


def _rows(files: tuple[FileFacts, ...]) -> int:
    return sum(one.record_count for one in files)
