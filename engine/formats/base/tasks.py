"""The tasks that rewrite files of a table on Spark: with the Arrow kernel, or with a library of the table format."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.domain.runs.plans import FileGroup
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RowOrdering
from engine.rewriting.kernel.contract import EngineTask, WriteSettings


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """A run's settings for each file group: how outputs are written, in which order, how far sorted runs are merged.

    `full`: all sorted runs of a bucket; otherwise as many as the format's rules select from `sorted_run_trigger` on.
    Of a bucket that was planned with fewer of them, the new rows are merged whatever these rules say.
    `gentle_every`: the number of compactions by one writer after which the new rows are merged below the trigger too;
    None: each compaction merges them.
    `checks_rows`: the task of the group compares the rows of its inputs and outputs. `key`: rows are merged by it, only
    in tables with a `FileInventory.key_condition`.
    """

    write: WriteSettings
    order: RowOrdering | None = None
    full: bool = False
    sorted_run_trigger: int = 5
    gentle_every: int | None = None
    checks_rows: bool = False
    key: DeclaredKey | None = None


class TaskSource(Protocol):
    """Describes the rewrite of file groups as tasks of an engine."""

    def group_task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        """Return the task that rewrites one group: engine, schema, inputs, output location, settings."""

    def task_storage(self) -> Mapping[str, str]:
        """Return a task's storage properties, with the credentials from the time the table was opened."""


class TaskRunner(Protocol):
    """Runs requests of a table format in tasks outside of any run's tasks. All calls may block."""

    def run(self, request: str) -> str:
        """Run a request of `engine.rewriting.entry.run_task` in a task and return its answer.

        Raises:
            PackhouseError: no answer; the task may have done its work.
        """

    def provide_file(self, path: Path) -> str:
        """Return what tasks find a local file by from now on: an absolute path, or the name of a file that Spark has.

        Raises:
            Transient: Spark does not answer.
        """
