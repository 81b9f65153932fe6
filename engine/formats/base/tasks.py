"""The tasks that rewrite files of a table on Spark with the Arrow kernel."""

from collections.abc import Mapping
from typing import Protocol

from engine.domain.runs.plans import FileGroup
from engine.domain.tables.orders import RowOrdering
from engine.rewriting.kernel.contract import GroupTask, WriteSettings


class TaskSource(Protocol):
    """Describes the rewrite of file groups as tasks of the kernel."""

    def group_task(
        self, group: FileGroup, *, run_id: str, attempt: int, write: WriteSettings, order: RowOrdering | None = None
    ) -> GroupTask:
        """Return the task that rewrites one group: schema, storage, inputs, output location, settings."""

    def task_storage(self) -> Mapping[str, str]:
        """Return a task's storage properties, with the credentials from the time the table was opened."""
