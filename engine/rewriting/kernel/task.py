"""`rewrite_group`: what a Spark task runs. One file group in, Parquet files and a result out.

The task is one thread that decodes and encodes, a few that fetch ahead, and one that reports to the pace channel. With
any outcome other than "written" the task removes its own files first. A killed task (Spark ends Python about two
seconds after an interrupt, without `finally`) leaves files: their names begin with run, group and attempt, by which the
worker removes them.

In a result, `seconds_reading` is the time that the task waited for its inputs and `seconds_writing` for its outputs,
both including waits for the share; `seconds_checking` is the time of reading the outputs back, and `seconds_working`
the remaining time. `throttled_seconds` is the sum of all threads' waits for the share.
"""

import gc
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice

import pyarrow as pa

from engine.rewriting.kernel.contract import GroupResult, TaskInput, TaskOutput
from engine.rewriting.kernel.errors import INT96_TIMESTAMPS, KernelError, Refused, Stopped
from engine.rewriting.kernel.kernel_task import BY_NAME, KernelTask, SentKernelTask
from engine.rewriting.kernel.library.loading import load
from engine.rewriting.kernel.merging.newest_check import check_newest_rows
from engine.rewriting.kernel.merging.newest_rows import left_out_rows
from engine.rewriting.kernel.ordering.arranging import Arrangement
from engine.rewriting.kernel.partitioning.partition_rows import PartitionDivider
from engine.rewriting.kernel.phases import DECODE, ENCODE, ORDER, READ, WRITE, Phases
from engine.rewriting.kernel.reading.column_numbers import ColumnNumbers, FileNumbers, read_numbers, read_schema
from engine.rewriting.kernel.reading.deletes import PositionDeletes
from engine.rewriting.kernel.reading.lineage import check_row_ids
from engine.rewriting.kernel.reading.projection import read_constants
from engine.rewriting.kernel.reading.row_check import CheckedRows, check_rows
from engine.rewriting.kernel.reading.row_hashes import hashed_by
from engine.rewriting.kernel.reading.rows import GroupReader, Rows, Unit
from engine.rewriting.kernel.splicing.forms import own_footer
from engine.rewriting.kernel.splicing.row_groups import Splicer
from engine.rewriting.kernel.storage.channel import PaceChannel
from engine.rewriting.kernel.storage.credentials import credentials_of
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket, Pause
from engine.rewriting.kernel.storage.posts import Post, http_post
from engine.rewriting.kernel.storage.transfer import Transfer
from engine.rewriting.kernel.verbatim.parts import Part, parts_of
from engine.rewriting.kernel.writing.layout import OutputLayout, layout_of
from engine.rewriting.kernel.writing.outputs import OutputFiles
from engine.rewriting.kernel.writing.rows import GroupWriter


def rewrite_group(task_json: str) -> str:
    """Rewrite one group: JSON of a `SentKernelTask` in, JSON of a `GroupResult` out.

    Raises:
        KernelError: a file can't be read or written, or a count is wrong; the text names the file.
    """
    return GroupRewrite(sent=SentKernelTask.from_json(task_json)).run().to_json()


class GroupRewrite:
    """One rewrite. Clock, pause and post are arguments so that pacing can be tested in virtual time."""

    def __init__(
        self,
        *,
        sent: SentKernelTask,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause = threading.Event.wait,
        post: Post = http_post,
    ) -> None:
        self._task = task = sent.task
        self._uses_pass = sent.uses_pass
        self._stem = sent.stem
        self._clock = clock
        self._phases = Phases(clock)
        self._bucket = Bucket(
            bytes_per_second=sent.pace.bytes_per_second,
            requests_per_second=sent.pace.requests_per_second,
            clock=clock,
            pause=pause,
        )
        storage = Storage(properties=sent.storage, places=task.read.allowed_folders, credentials=credentials_of(sent))
        writing = partial(self._phases.of, WRITE)
        self._transfer = Transfer(storage=storage, bucket=self._bucket, clock=clock, writing=writing)
        self._key_check = 0, 0.0
        """Bytes read and seconds of the check of a merge by key."""
        self._readers: list[GroupReader] = []
        self._checked: CheckedRows | None = None
        self._channel = PaceChannel(
            identity=task.identity,
            pace=sent.pace,
            bucket=self._bucket,
            moved=lambda: self._transfer.moved,
            post=post,
        )

    def run(self) -> GroupResult:
        """Rewrite the group: `written`, `stopped`, or `refused` with a reason.

        Raises:
            KernelError: as `rewrite_group`; nothing of this task is left behind.
        """
        begun = self._clock()
        self._channel.start()
        try:
            with _without_collector():
                return self._rewrite(begun)
        except Stopped:
            return self._result("stopped", begun)
        except Refused as refusal:
            return self._result("refused", begun, reason=str(refusal))
        finally:
            self._channel.close()

    def _rewrite(self, begun: float) -> GroupResult:
        schema = read_schema(self._task.read.schema)
        numbers = _numbers(self._task, schema)
        self._check_places()
        check_row_ids(self._task.read.files)
        parts = parts_of(self._task, schema, numbers, self._transfer)
        deletes = self._left_out(schema, numbers)
        files = OutputFiles(stem=self._stem, transfer=self._transfer)
        try:
            for part in parts:
                self._rewrite_part(part, files, deletes.of(part.places))
        except BaseException:
            self._bucket.stop()
            files.discard()
            raise
        return self._result("written", begun, files=files, rows_deleted=deletes.count())

    def _rewrite_part(self, part: Part, files: OutputFiles, deletes: PositionDeletes) -> None:
        task, before = part.task, len(files.complete)
        reader = GroupReader(
            inputs=task.read.files,
            target=part.schema,
            deletes=deletes,
            transfer=self._transfer,
            numbers=part.numbers,
            constants=read_constants(task.read.constants),
            uses_library=self._uses_pass,
        )
        self._readers.append(reader)
        self._write(part, reader, files, deletes)
        outputs = _as_inputs(files.complete[before:])
        _check_counts(task, reader, outputs, deletes.count())
        self._check_key(part, outputs)
        if task.checks_rows:
            checked = self._check_rows(part, outputs, deletes)
            self._checked = checked if self._checked is None else self._checked + checked

    def _left_out(self, schema: pa.Schema, numbers: FileNumbers | None) -> PositionDeletes:
        """Return the rows that outputs do not get: those that delete files name, or a merge by the task's key."""
        read = self._task.read
        if read.newest_by is None:
            return PositionDeletes.read(read.files, self._transfer)
        return left_out_rows(
            inputs=read.files, schema=schema, key=read.newest_by, transfer=self._transfer, numbers=numbers
        )

    def _check_places(self) -> None:
        """Refuse the group before any file is opened if one of its paths is outside the task's allowed folders."""
        for one in self._task.read.files:
            for path in (one.path, *one.delete_paths, *(() if one.vector is None else (one.vector.path,))):
                self._transfer.storage.check(path)
        self._transfer.storage.check(self._task.write.folder)

    def _write(self, part: Part, reader: GroupReader, files: OutputFiles, deletes: PositionDeletes) -> None:
        """Write all outputs of a part: spliced if rows stay unchanged, otherwise encoded from decoded rows.

        A merge by key that leaves no row has an output nevertheless: without a file there is nothing to put in place.
        """
        task, deleted = part.task, deletes.count()
        profile, dialect = task.write, task.write.dialect
        live = sum(one.record_count for one in task.read.files) - deleted
        units = self._phases.each(READ, reader.units())
        if dialect.needs_own_footer and (dialect.has_field_ids or profile.partition_by):
            raise Refused(INT96_TIMESTAMPS, "the rows of this group are divided, or have field ids")
        if profile.partition_by:
            self._write_partitions(part, self._decoded(units), files, live)
            return
        files.partition = profile.partition_by  # of an unpartitioned spec: no values
        layout = layout_of(task, live, planned=profile.file_count)
        if task.read.newest_by is not None and not live:
            deque(units, maxlen=0)
            self._splicer(part, files, layout).write_empty_file()
            return
        if profile.order is None and not deleted:
            splicer = self._splicer(part, files, layout)
            head = list(islice(units, 1))
            suits = bool(head) and (dialect.needs_own_footer or splicer.suits(head[0]))
            units = chain([head.pop()] if head else [], units)
            if suits:
                with self._phases.of(ENCODE):
                    splicer.write(units)
                return
        self._encode(part, self._decoded(units), files, layout, live)

    def _decoded(self, units: Iterator[Unit]) -> Iterator[Rows]:
        return self._phases.each(DECODE, map(Unit.live_rows, units))

    def _splicer(self, part: Part, files: OutputFiles, layout: OutputLayout) -> Splicer:
        profile = part.task.write
        return Splicer(
            schema=part.schema,
            settings=profile.settings,
            dialect=profile.dialect,
            files=files,
            layout=layout,
            check=self._bucket.check,
            verbatim=part.verbatim,
            uses_pass=self._uses_pass,
        )

    def _write_partitions(self, part: Part, source: Iterator[Rows], files: OutputFiles, live: int) -> None:
        """Write the outputs of each partition of `partition_by`, one partition after the other."""
        fields = part.task.write.partition_by or ()
        divider = PartitionDivider(schema=part.schema, fields=fields, rows=live, check=self._bucket.check)
        try:
            for rows in source:
                divider.add(rows)
            for one in divider.partitions():
                files.partition = one.values
                self._encode(part, one.rows, files, layout_of(part.task, one.count, planned=0), one.count)
        finally:
            divider.close()

    def _encode(self, part: Part, rows: Iterator[Rows], files: OutputFiles, layout: OutputLayout, count: int) -> None:
        """Write rows, put into the task's order if it has one."""
        profile, schema = part.task.write, part.schema
        if profile.order is not None:
            arrangement = Arrangement(schema=schema, order=profile.order, rows=count, check=self._bucket.check)
            rows = self._phases.each(ORDER, arrangement.arranged(rows))
        writer = GroupWriter(
            schema=schema,
            settings=profile.settings,
            dialect=profile.dialect,
            files=files,
            layout=layout,
            order=profile.order,
            own_footer=own_footer(schema, profile.dialect, part.verbatim),
        )
        with self._phases.of(ENCODE):
            for some in rows:
                writer.add(some)
            writer.finish()

    def _check_key(self, part: Part, outputs: Sequence[TaskInput]) -> None:
        read = part.task.read
        if read.newest_by is not None:
            begun, before = self._clock(), self._transfer.moved.bytes_read
            check_newest_rows(
                inputs=read.files,
                outputs=outputs,
                schema=part.schema,
                key=read.newest_by,
                transfer=self._transfer,
                numbers=part.numbers,
            )
            self._key_check = self._transfer.moved.bytes_read - before, self._clock() - begun

    def _check_rows(self, part: Part, outputs: Sequence[TaskInput], deletes: PositionDeletes) -> CheckedRows:
        with hashed_by(load()[0] if self._uses_pass else None):
            return check_rows(
                inputs=part.task.read.files,
                outputs=outputs,
                target=part.schema,
                deletes=deletes,
                transfer=self._transfer,
                numbers=part.numbers,
                constants=read_constants(part.task.read.constants),
            )

    def _result(
        self,
        outcome: str,
        begun: float,
        *,
        reason: str | None = None,
        files: OutputFiles | None = None,
        rows_deleted: int = 0,
    ) -> GroupResult:
        moved, checked = self._transfer.moved, self._checked
        reading = sum(each.seconds_waiting for each in self._readers) if files else 0.0
        writing = self._transfer.seconds_writing
        key_bytes, key_seconds = self._key_check
        checking = key_seconds + (checked.seconds if checked else 0.0)
        limits = [files.pass_limit if files else "", *(each.pass_limit for each in self._readers)]
        return GroupResult(
            group=self._task.identity.group,
            outcome=outcome,
            reason=reason,
            outputs=tuple(files.complete) if files else (),
            rows_read=sum(each.rows_read for each in self._readers) if files else 0,
            rows_deleted=rows_deleted,
            rows_written=files.rows_written if files else 0,
            bytes_read=moved.bytes_read,
            bytes_written=moved.bytes_written,
            requests=moved.requests,
            seconds_reading=reading,
            seconds_working=max(0.0, self._clock() - begun - reading - writing - checking),
            seconds_writing=writing,
            throttled_seconds=self._bucket.throttled_seconds,
            merged_columns=files.merged_columns if files else 0,
            pass_limit=next(filter(None, limits), ""),
            row_digest=str(checked.digest) if checked else "",
            bytes_checked=key_bytes + (checked.bytes_read if checked else 0),
            seconds_checking=checking,
            timeline=self._phases.timeline(),
        )


@contextmanager
def _without_collector() -> Iterator[None]:
    """Disable cyclic GC during a task: it costs an eighth of a task with thousands of footers and finds no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _numbers(task: KernelTask, schema: pa.Schema) -> FileNumbers | None:
    """Return the ids for files without ids; None if every file has to have ids."""
    if task.read.match_by == BY_NAME:
        return ColumnNumbers(schema, task.write.dialect.int96_ids)
    return read_numbers(task.read.schemas, schema, needs_no_ids=task.read.names_need_no_ids)


def _as_inputs(files: Sequence[TaskOutput]) -> Sequence[TaskInput]:
    return [TaskInput(one.path, one.file_bytes, one.record_count) for one in files]


def _check_counts(task: KernelTask, reader: GroupReader, outputs: Sequence[TaskInput], deleted: int) -> None:
    """Check the invariant: rows of the outputs = rows of the inputs - deleted rows."""
    expected = sum(one.record_count for one in task.read.files)
    if reader.rows_read != expected:
        raise KernelError(f"{task.read.files[0].path} and others: {reader.rows_read} rows read, {expected} expected")
    written = sum(one.record_count for one in outputs)
    if written != expected - deleted:
        raise KernelError(
            f"{task.read.files[0].path} and others: {written} rows written, {expected - deleted} expected"
        )
