"""Paimon's core, its Java library, as the engine of a table; calls of it in Spark tasks, and its jars."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from engine.domain.policies import Strategy
from engine.domain.values.units import format_bytes
from engine.formats.base import Condition, NativeEngine, TaskRunner
from engine.planning.plans.groupings import ArrivalWindows, FullScope, Grouping, MergedRuns, Packed

_NAME: Final = "Paimon's core"
_STRATEGIES: Final = frozenset({Strategy.BINPACK, Strategy.WINDOW, Strategy.TIERED})


@dataclass(frozen=True, slots=True)
class CoreCalls:
    """Access to the core. Thread-safe; all methods block.

    `find_jar` returns the local path of Paimon's jar, and `find_store_jar` that of its S3 file system; both may
    download it. `heap_limit_bytes`: the most heap of the core's JVM in a task; a bucket that needs more is refused.
    """

    tasks: TaskRunner
    find_jar: Callable[[], Path]
    find_store_jar: Callable[[], Path]
    heap_limit_bytes: int

    def jar(self) -> str:
        """Return what tasks find Paimon's jar by.

        Raises:
            Transient: it can't be downloaded, or Spark does not answer.
            InvalidInput: there is no such jar.
        """
        return self.tasks.provide_file(self.find_jar())

    def store_jar(self) -> str:
        """Return the same of the jar of the S3 file system, which is only sent if a table needs it. Raises as `jar`."""
        return self.tasks.provide_file(self.find_store_jar())

    def run(self, request: str) -> str:
        """Run a request of the core in a task and return its answer; raises as `TaskRunner.run`."""
        return self.tasks.run(request)


def engine_of(
    *, keeps_arrival: bool, looks_up: bool, has_vectors: bool, last_level: int | None, check_limit: str
) -> NativeEngine:
    """Return the core as the engine of a table.

    Args:
        keeps_arrival: rows of a bucket are read in the order of arrival, as in append tables with buckets.
        looks_up: new files get their changelog, or are read, after a compaction only.
        has_vectors: files can have deletion vectors.
        last_level: the last level of a bucket of a table with a primary key, whose buckets consist of sorted runs and
            are compacted as a whole; None for other tables, of which the files of a group are merged.
        check_limit: what can't be compared of its rows.
    """
    scope = FullScope.FROM_FIRST_UNSIZED if has_vectors else FullScope.UNSIZED
    grouping: Grouping = ArrivalWindows(scope) if keeps_arrival else Packed(scope)
    if last_level is not None:
        grouping = MergedRuns(looks_up, last_level, scope)
    return NativeEngine(
        _NAME,
        grouping,
        _STRATEGIES,
        is_paced=True,
        checks_rows=True,
        check_limit=check_limit,
        by_property={"rewrite.compression": "file.compression"},
        is_only=last_level is not None,
    )


def reachable(core: CoreCalls | None) -> Condition:
    """Return whether this installation can run the core."""
    if core is None:
        return Condition("native_core", False, "this process has no access to Spark")
    limit = format_bytes(core.heap_limit_bytes)
    return Condition("native_core", True, f"it runs in Spark tasks, each in a JVM with a heap of at most {limit}")


def any_format(digest: pa.Table) -> pa.Table:
    """Return a digest (`planning.measures.digest.FILE_DIGEST`) for planning the core, which reads every file format."""
    codes = pa.repeat(pa.scalar(0, pa.int32()), digest.num_rows)
    parquet = pa.DictionaryArray.from_arrays(codes, pa.array(["parquet"]))
    return digest.set_column(digest.schema.get_field_index("file_format"), digest.schema.field("file_format"), parquet)
