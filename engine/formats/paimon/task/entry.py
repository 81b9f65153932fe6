"""Entry point of Spark tasks for Paimon's core: failures are returned as results, as in the kernel's `entry`."""

import secrets
from dataclasses import replace

from engine.formats.paimon.task.compaction import BucketCompaction
from engine.formats.paimon.task.contract import CoreTask
from engine.formats.paimon.task.errors import OutOfHeap
from engine.formats.paimon.task.stores import without_secrets
from engine.rewriting.kernel.contract import GroupResult
from engine.rewriting.kernel.errors import StorageFault


def run(task_json: str) -> str:
    """Compact one bucket: JSON of a `CoreTask` in, JSON of a `GroupResult` out, even if it fails.

    At normal priority: the core's JVM also commits, and would lose more races to writers than at a low one.

    A result of a compaction has `inputs`, the files that the core replaced, and a `message` for `commits.run`. Files
    that only move to another level are both inputs and outputs; the sums of rows and bytes leave them out. Outputs
    have no footers.
    """
    task = CoreTask.from_json(task_json)
    try:
        own = replace(task, name_prefix=f"{task.name_prefix}{secrets.randbelow(10**9):09}-")
        try:
            return BucketCompaction(task=own).run().to_json()
        except OutOfHeap:
            if own.heap_bytes >= own.heap_limit_bytes:
                raise
            return BucketCompaction(task=replace(own, heap_bytes=own.heap_limit_bytes)).run().to_json()
    except Exception as error:  # noqa: BLE001 - any error is reported to the worker, by name
        reason = without_secrets(f"{type(error).__name__}: {error}", task.storage)
        fault = type(error).__name__ if isinstance(error, StorageFault) else None
        return GroupResult(group=task.group, outcome="failed", reason=reason, storage_fault=fault).to_json()
