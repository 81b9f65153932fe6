"""`rewrite_group`: what a Spark task runs. One file group in, Parquet files and a result out.

The task is one thread that decodes and encodes, a few that fetch ahead, and one that reports to the pace channel. With
any outcome other than "written" the task removes its own files first. A killed task (Spark ends Python about two
seconds after an interrupt, without `finally`) leaves files: their names begin with run, group and attempt, by which the
worker removes them.

In a result, `seconds_reading` is the time that the task waited for its inputs and `seconds_writing` for its outputs,
both including waits for the share; `seconds_checking` is the time of reading the outputs back, and `seconds_working`
the remaining time. `throttled_seconds` is the sum of all threads' waits for the share.
"""

import base64
import gc
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice

import pyarrow as pa

from engine.rewriting.kernel.contract import GroupResult, TaskInput
from engine.rewriting.kernel.errors import INT96_TIMESTAMPS, KernelError, Refused, Stopped
from engine.rewriting.kernel.kernel_task import BY_NAME, KernelTask, SentKernelTask
from engine.rewriting.kernel.merging.newest_check import check_newest_rows
from engine.rewriting.kernel.merging.newest_rows import left_out_rows
from engine.rewriting.kernel.ordering.arranging import Arrangement
from engine.rewriting.kernel.partitioning.partition_rows import PartitionDivider
from engine.rewriting.kernel.phases import DECODE, ENCODE, ORDER, READ, WRITE, Phases
from engine.rewriting.kernel.reading.column_numbers import ColumnNumbers, FileNumbers, SchemaNumbers
from engine.rewriting.kernel.reading.deletes import PositionDeletes
from engine.rewriting.kernel.reading.lineage import check_row_ids
from engine.rewriting.kernel.reading.projection import read_constants
from engine.rewriting.kernel.reading.row_check import CheckedRows, check_rows
from engine.rewriting.kernel.reading.rows import GroupReader, Rows, Unit
from engine.rewriting.kernel.splicing.forms import OutputForm
from engine.rewriting.kernel.splicing.row_groups import Splicer
from engine.rewriting.kernel.storage.channel import PaceChannel
from engine.rewriting.kernel.storage.credentials import credentials_of
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket, Pause
from engine.rewriting.kernel.storage.posts import Post, http_post
from engine.rewriting.kernel.storage.transfer import Transfer
from engine.rewriting.kernel.writing.layout import OutputLayout, layout_of
from engine.rewriting.kernel.writing.outputs import OutputFiles
from engine.rewriting.kernel.writing.own_footers import OwnFooter
from engine.rewriting.kernel.writing.rows import GroupWriter


def rewrite_group(task_json: str) -> str:
    """Rewrite one group: JSON of a `SentKernelTask` in, JSON of a `GroupResult` out.

    Raises:
        KernelError: a file can't be read or written, or a count is wrong; the text names the file.
    """
    return GroupRewrite(sent=SentKernelTask.from_json(task_json)).run().to_json()


def read_schema(encoded: str) -> pa.Schema:
    """Return the Arrow schema of a base 64 IPC message."""
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(encoded)))


def read_numbers(encoded: Mapping[str, str], target: pa.Schema, *, needs_no_ids: bool = False) -> SchemaNumbers | None:
    """Return the ids for files without ids from encoded schemas by their numbers; None if there are no schemas."""
    schemas = {int(number): read_schema(each) for number, each in encoded.items()}
    return SchemaNumbers(schemas, target, needs_no_ids=needs_no_ids) if schemas else None


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
        task, schema = self._task, read_schema(self._task.read.schema)
        numbers = _numbers(task, schema)
        self._check_places()
        check_row_ids(task.read.files)
        deletes = self._left_out(schema, numbers)
        inputs, constants = task.read.files, read_constants(task.read.constants)
        reader = GroupReader(
            inputs=inputs, target=schema, deletes=deletes, transfer=self._transfer, numbers=numbers, constants=constants
        )
        files = OutputFiles(stem=self._stem, transfer=self._transfer)
        try:
            self._write(reader, files, schema, deletes)
            _check_counts(task, reader, files, deletes.count())
            self._check_key(files, schema, numbers)
            checked = self._check_rows(files, schema, deletes, numbers) if task.checks_rows else None
        except BaseException:
            self._bucket.stop()
            files.discard()
            raise
        rows_deleted = deletes.count()
        return self._result("written", begun, reader=reader, files=files, rows_deleted=rows_deleted, checked=checked)

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

    def _write(self, reader: GroupReader, files: OutputFiles, schema: pa.Schema, deletes: PositionDeletes) -> None:
        """Write all outputs: spliced if rows stay unchanged, otherwise encoded from decoded rows.

        A merge by key that leaves no row has an output nevertheless: without a file there is nothing to put in place.
        """
        task, deleted = self._task, deletes.count()
        profile, dialect = task.write, task.write.dialect
        live = sum(one.record_count for one in task.read.files) - deleted
        units = self._phases.each(READ, reader.units())
        if dialect.needs_own_footer and (dialect.has_field_ids or profile.partition_by):
            raise Refused(INT96_TIMESTAMPS, "the rows of this group are divided, or have field ids")
        if profile.partition_by:
            self._write_partitions(self._decoded(units), files, schema, live)
            return
        files.partition = profile.partition_by  # of an unpartitioned spec: no values
        layout = layout_of(task, live, planned=profile.file_count)
        if task.read.newest_by is not None and not live:
            deque(units, maxlen=0)
            self._splicer(schema, files, layout).write_empty_file()
            return
        if profile.order is None and not deleted:
            splicer = self._splicer(schema, files, layout)
            head = list(islice(units, 1))
            suits = bool(head) and (dialect.needs_own_footer or splicer.suits(head[0]))
            units = chain([head.pop()] if head else [], units)
            if suits:
                with self._phases.of(ENCODE):
                    splicer.write(units)
                return
        self._encode(self._decoded(units), files, schema, layout, live)

    def _decoded(self, units: Iterator[Unit]) -> Iterator[Rows]:
        return self._phases.each(DECODE, map(Unit.live_rows, units))

    def _splicer(self, schema: pa.Schema, files: OutputFiles, layout: OutputLayout) -> Splicer:
        profile = self._task.write
        return Splicer(
            schema=schema,
            settings=profile.settings,
            dialect=profile.dialect,
            files=files,
            layout=layout,
            check=self._bucket.check,
        )

    def _write_partitions(self, source: Iterator[Rows], files: OutputFiles, schema: pa.Schema, live: int) -> None:
        """Write the outputs of each partition of `partition_by`, one partition after the other."""
        fields = self._task.write.partition_by or ()
        divider = PartitionDivider(schema=schema, fields=fields, rows=live, check=self._bucket.check)
        try:
            for rows in source:
                divider.add(rows)
            for part in divider.partitions():
                files.partition = part.values
                self._encode(part.rows, files, schema, layout_of(self._task, part.count, planned=0), part.count)
        finally:
            divider.close()

    def _encode(
        self, rows: Iterator[Rows], files: OutputFiles, schema: pa.Schema, layout: OutputLayout, count: int
    ) -> None:
        """Write rows, put into the task's order if it has one."""
        profile = self._task.write
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
            own_footer=self._own_footer(schema),
        )
        with self._phases.of(ENCODE):
            for some in rows:
                writer.add(some)
            writer.finish()

    def _own_footer(self, schema: pa.Schema) -> OwnFooter | None:
        """Return the footer of outputs that Arrow can't write; None if it can."""
        dialect = self._task.write.dialect
        if not dialect.needs_own_footer:
            return None
        return OwnFooter(OutputForm(schema, dialect).changed, frozenset(dialect.int96_ids))

    def _check_key(self, files: OutputFiles, schema: pa.Schema, numbers: FileNumbers | None) -> None:
        read = self._task.read
        if read.newest_by is not None:
            begun, before = self._clock(), self._transfer.moved.bytes_read
            check_newest_rows(
                inputs=read.files,
                outputs=_as_inputs(files),
                schema=schema,
                key=read.newest_by,
                transfer=self._transfer,
                numbers=numbers,
            )
            self._key_check = self._transfer.moved.bytes_read - before, self._clock() - begun

    def _check_rows(
        self, files: OutputFiles, schema: pa.Schema, deletes: PositionDeletes, numbers: FileNumbers | None
    ) -> CheckedRows:
        return check_rows(
            inputs=self._task.read.files,
            outputs=_as_inputs(files),
            target=schema,
            deletes=deletes,
            transfer=self._transfer,
            numbers=numbers,
            constants=read_constants(self._task.read.constants),
        )

    def _result(
        self,
        outcome: str,
        begun: float,
        *,
        reason: str | None = None,
        reader: GroupReader | None = None,
        files: OutputFiles | None = None,
        rows_deleted: int = 0,
        checked: CheckedRows | None = None,
    ) -> GroupResult:
        moved = self._transfer.moved
        reading = reader.seconds_waiting if reader else 0.0
        writing = self._transfer.seconds_writing
        key_bytes, key_seconds = self._key_check
        checking = key_seconds + (checked.seconds if checked else 0.0)
        return GroupResult(
            group=self._task.identity.group,
            outcome=outcome,
            reason=reason,
            outputs=tuple(files.complete) if files else (),
            rows_read=reader.rows_read if reader else 0,
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


def _as_inputs(files: OutputFiles) -> Sequence[TaskInput]:
    return [TaskInput(one.path, one.file_bytes, one.record_count) for one in files.complete]


def _check_counts(task: KernelTask, reader: GroupReader, files: OutputFiles, deleted: int) -> None:
    """Check the invariant: rows of the outputs = rows of the inputs - deleted rows."""
    expected = sum(one.record_count for one in task.read.files)
    if reader.rows_read != expected:
        raise KernelError(f"{task.read.files[0].path} and others: {reader.rows_read} rows read, {expected} expected")
    if files.rows_written != expected - deleted:
        raise KernelError(
            f"{task.read.files[0].path} and others: {files.rows_written} rows written, {expected - deleted} expected"
        )
