"""Build the Spark task of one group, for the core or the kernel: files, settings, and a prefix for names of files."""

import base64
from typing import Final

import pyarrow as pa

from engine.domain.errors import CommitConflict
from engine.domain.runs.output_names import output_prefix
from engine.domain.runs.plans import FileGroup
from engine.formats.base import GroupSettings, WrittenGroup
from engine.formats.paimon.metadata.arrow_types import encoded_schema, readable_columns
from engine.formats.paimon.rewrite.core import CoreCalls
from engine.formats.paimon.rewrite.heap import needed_heap
from engine.formats.paimon.rewrite.merge_rules import merge_rules, time_checks
from engine.formats.paimon.task.contract import EXACT_FILES, ONE_BUCKET, CoreTask
from engine.formats.paimon.view import TableView
from engine.rewriting.kernel.contract import EngineTask, TaskIdentity, TaskInput
from engine.rewriting.kernel.kernel_task import BY_FIELD_ID, KernelTask, ParquetDialect, ReadPlan, WriteProfile

_LEAST_RUNS: Final = 1


def core_task(
    view: TableView,
    group: FileGroup,
    *,
    run_id: str,
    attempt: int,
    settings: GroupSettings,
    core: CoreCalls,
    needs_store: bool,
) -> EngineTask:
    """Return the core's task of one group. `needs_store`: its file system is an object store.

    Raises:
        CommitConflict: its files are not live in this view.
    """
    files = live_inputs(view, group)
    bucket, partition = bucket_of(files)
    is_forced = _runs_of(files) < settings.sorted_run_trigger
    lookup = view.options.looks_up
    trigger = _trigger(settings, is_forced=is_forced, looks_up=lookup)
    task = CoreTask(
        run_id=run_id,
        attempt=attempt,
        group=group.ordinal,
        table=view.files.location,
        bucket=bucket,
        partition=base64.b64encode(partition).decode(),
        inputs=tuple(TaskInput(each.path, each.file_bytes, each.record_count) for each in group.inputs),
        kind=ONE_BUCKET if view.schema.primary_keys else EXACT_FILES,
        full=settings.full,
        options={
            "target-file-size": f"{settings.write.target_file_bytes} b",
            "num-sorted-run.compaction-trigger": str(trigger),
            **(_lookup_options(settings, is_forced=is_forced) if lookup else {}),
        },
        jar=core.jar(),
        store_jar=core.store_jar() if needs_store else "",
        heap_bytes=needed_heap(view, partition=partition, bucket=bucket, trigger=trigger),
        heap_limit_bytes=core.heap_limit_bytes,
        name_prefix=output_prefix(run_id, group.ordinal, attempt),
        rules=merge_rules(view, partition=partition, bucket=bucket) if settings.checks_rows else None,
        times=time_checks(view, partition=partition, bucket=bucket),
        access=dict(view.files.storage.properties),
        needs_conditions=view.files.managed is None,
    )
    return task.named()


def kernel_task(view: TableView, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
    """Return the task of the kernel that merges the files of one group.

    Raises:
        CommitConflict: its files are not live in this view.
        NoArrowType: the table has a column that the kernel can't write.
    """
    live = view.live.at([each.path for each in group.inputs])
    bucket, partition = bucket_of(live_inputs(view, group))
    ids: dict[str, int] = dict(zip(live.paths().to_pylist(), live.files["schema_id"].to_pylist(), strict=True))
    read = ReadPlan(
        files=tuple(
            TaskInput(each.path, each.file_bytes, each.record_count, schema_id=ids[each.path]) for each in group.inputs
        ),
        schema=encoded_schema(view.schema, view.schema.columns),
        match_by=BY_FIELD_ID,
        allowed_folders=(view.files.location,),
        schemas={
            str(each.id): encoded_schema(each, readable_columns(each)) for each in view.schemas(set(ids.values()))
        },
    )
    write = WriteProfile(
        folder=view.live.folder(partition, bucket),  # of an input it can be another, its external path
        file_count=group.predicted_outputs,
        settings=settings.write,
        dialect=ParquetDialect(bounds_beside_nan=False),  # Paimon orders NaN above all numbers
    )
    task = KernelTask(TaskIdentity(run_id, attempt, group.ordinal), read, write, settings.checks_rows)
    return task.named(output_prefix(run_id, group.ordinal, attempt))


def _runs_of(files: pa.Table) -> int:
    """Return the number of sorted runs that the files of a bucket are."""
    levels: list[int] = files["level"].to_pylist()
    return levels.count(0) + len(set(levels) - {0})


def _trigger(settings: GroupSettings, *, is_forced: bool, looks_up: bool) -> int:
    """Return the core's trigger.

    The core merges the excess over its trigger, `UniversalCompaction.pick`: with one less than the policy's, a bucket
    with exactly that many runs is merged. A bucket with fewer is forced. Where the core looks up old rows (changelogs,
    deletion vectors, first rows), it then merges level 0 and the runs that are not larger, `forcePickL0`; its own
    rules must not apply, which would merge more. Elsewhere all runs are merged.
    """
    if is_forced:
        return settings.sorted_run_trigger if looks_up else _LEAST_RUNS
    return max(_LEAST_RUNS, settings.sorted_run_trigger - 1)


def _lookup_options(settings: GroupSettings, *, is_forced: bool) -> dict[str, str]:
    """Return the options of the core's lookup compaction, `ForceUpLevel0Compaction`.

    In gentle mode it takes level 0 only at the trigger, or after a number of compactions by one writer. Each task is a
    new writer, so that it never counts that far: a bucket that was planned below the trigger is compacted radically.
    """
    if is_forced or settings.gentle_every is None:
        return {"lookup-compact": "radical"}
    return {"lookup-compact": "gentle", "lookup-compact.max-interval": str(settings.gentle_every)}


def live_inputs(view: TableView, group: FileGroup | WrittenGroup) -> pa.Table:
    """Return a group's files as manifests have them, in the schema `manifests.entries.ENTRIES`.

    Raises:
        CommitConflict: one is not live in this view.
    """
    files: pa.Table = view.live.at([each.path for each in group.inputs]).files
    if files.num_rows != len(group.inputs):
        gone = len(group.inputs) - files.num_rows
        raise CommitConflict(f"{gone} of {len(group.inputs)} files are not live any more")
    return files


def bucket_of(files: pa.Table) -> tuple[int, bytes]:
    """Return the bucket of files, and their partition as manifests store it.

    Raises:
        CommitConflict: they are in several buckets.
    """
    buckets = files.select(["bucket", "partition"]).group_by(["bucket", "partition"]).aggregate([])
    if buckets.num_rows != 1:
        raise CommitConflict(f"{files.num_rows} files of one group are in {buckets.num_rows} buckets")
    return buckets["bucket"][0].as_py(), buckets["partition"][0].as_py()
