"""Packhouse's kernel as the engine of a Hive table: it merges the files of a partition into a folder of their own."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import pyarrow as pa

from engine.domain.errors import CommitConflict, NotEligible
from engine.domain.runs.output_names import output_prefix
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.orders import RequestedOrder
from engine.formats.base import KERNEL_TRAITS, Condition, EngineTraits, GroupSettings
from engine.formats.hive.conditions import partition_conditions
from engine.formats.hive.files.footers import Footer, RefusedFile, footers_or_refusals
from engine.formats.hive.files.listing import Unlisted, every_file_in
from engine.formats.hive.rewrite.folders import folder_of, names_problem, parent_of
from engine.formats.hive.rewrite.keys import row_key
from engine.formats.hive.rewrite.marks import SENT_SECONDS, fresh_marks
from engine.formats.hive.rewrite.orders import order_condition, row_order
from engine.formats.hive.rewrite.records import CompactionRecord
from engine.formats.hive.rewrite.replaced import LARGEST
from engine.formats.hive.rewrite.schemas import common_schema
from engine.formats.hive.rewrite.swaps import next_number
from engine.formats.hive.rewrite.times import time_keys
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.names import is_same
from engine.formats.intake.guards import Reading, reads
from engine.planning.plans.groupings import WholePartitions
from engine.rewriting.kernel.contract import EngineTask, TaskIdentity, TaskInput
from engine.rewriting.kernel.kernel_task import BY_NAME, KernelTask, ReadPlan, WriteProfile
from engine.rewriting.kernel.storage.places import AllowedFolders

_LISTED_BYTES: Final = 64
"""Bytes of a file in a list of replaced files, without its name."""


_TRAITS: Final = replace(KERNEL_TRAITS, grouping=WholePartitions())


@dataclass(frozen=True, slots=True)
class TableKernel:
    """The kernel on one view of a table, which it rewrites by whole partitions."""

    procedure: ClassVar[None] = None
    view: TableView
    reading: Reading

    @property
    def traits(self) -> EngineTraits:
        """Those of the kernel, with groups of whole partitions."""
        return _TRAITS

    @reads("list the files of")
    def conditions(
        self,
        order: RequestedOrder | None = None,
        *,
        moves_to_current_spec: bool = False,  # noqa: ARG002
    ) -> Sequence[Condition]:
        """Return the conditions of a rewrite."""
        ordered = () if order is None else (order_condition(self.view.entry, order),)
        return [*partition_conditions(self.view), *ordered]

    @reads("list the files of")
    def digest(self) -> pa.Table:
        """Return the data files."""
        return self.view.digest

    @reads("read the files of")
    def task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        """Return the task that merges all files of a partition.

        Raises:
            NotEligible: its files can't be merged.
        """
        return _task(self.view, group, run_id=run_id, attempt=attempt, settings=settings)

    def task_storage(self) -> Mapping[str, str]:
        """Return the catalog's properties of file access."""
        return self.view.storage


def _task(view: TableView, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
    """Return the task that merges all files of a partition. Reads their footers.

    Raises:
        NotEligible: a file is not Parquet, there are no rows, the files differ in what readers see (types, calendar,
            time zone), none has a column of the key that rows are merged by, or the names of folders are too long.
        CommitConflict: the partition is gone or has other files, or an earlier call may still change it.
    """
    values = view.partitions.values_of(group.partition)
    if values is None:
        raise CommitConflict(f"the table has no partition {group.partition[:300]} any more")
    before = CompactionRecord.of(view.partitions.record_of(group.partition))
    keys = [key.name for key in view.entry.keys]
    folder = folder_of(view.entry.location, keys, values, next_number(before))
    if not AllowedFolders([view.entry.location]).contains(group.inputs[0].path):
        raise NotEligible(
            f"partition {group.partition[:200]} is outside of the table's location: what writers add to its folder "
            "after a rewrite could not be copied"
        )
    if problem := names_problem(view.entry.location, keys, values, parent_of(group.inputs[0].path)):
        raise NotEligible(f"partition {group.partition[:200]}: {problem}")
    _check_no_call_is_open(view, group.partition, parent_of(folder))
    _check_unchanged(view, group)
    readable = _footers(view, group)
    _check_defaults(view, group, readable)
    common = common_schema(view.entry.columns, readable)
    _check_declared(view, group, common.widened)
    order = settings.order
    write = WriteProfile(
        folder=folder,
        file_count=group.predicted_outputs,
        settings=settings.write,
        dialect=replace(common.dialect, key_values=dict(time_keys(readable))),
        order=None if order is None else row_order(order, common),
        per_execution=True,
    )
    read = ReadPlan(
        files=tuple(TaskInput(each.path, each.file_bytes, each.record_count) for each in group.inputs),
        schema=base64.b64encode(common.schema.serialize().to_pybytes()).decode(),
        match_by=BY_NAME,
        allowed_folders=view.places.folders,
        newest_by=None if settings.key is None else row_key(view.entry, settings.key, common.schema),
    )
    task = KernelTask(TaskIdentity(run_id, attempt, group.ordinal), read, write, settings.checks_rows)
    return task.named(output_prefix(run_id, group.ordinal, attempt, "" if order is None else order.mark))


def _footers(view: TableView, group: FileGroup) -> Sequence[Footer]:
    """Return the footers of a partition's files. Raises `NotEligible` if one can't be read, or there are no rows."""
    footers = footers_or_refusals([(each.path, each.file_bytes) for each in group.inputs], view.storage)
    readable = list[Footer]()
    for file, footer in zip(group.inputs, footers, strict=True):
        if isinstance(footer, RefusedFile):
            remedy = "give the catalog's properties credentials that may read it"
            raise NotEligible(f"the store refuses {file.path[-300:]} ({footer.detail}): {remedy}")
        if footer is None:
            raise NotEligible(f"{file.path[-300:]} is not a Parquet file")
        readable.append(footer)
    if not sum(each.rows for each in readable):
        raise NotEligible(f"the files of partition {group.partition[:200]} have no rows")
    return readable


def _check_defaults(view: TableView, group: FileGroup, footers: Sequence[Footer]) -> None:
    """Raise `NotEligible` if Spark reads a default in files that lack a column, and other files have the column.

    The outputs would have the column, with null in those rows. A literal in its place would change what Hive and other
    engines read, which know no defaults.
    """
    columns = [{name.lower() for name in each.schema.names} for each in footers]
    for name, literal in view.entry.spark.defaults.items():
        lacking = [file.path for file, found in zip(group.inputs, columns, strict=True) if name not in found]
        if lacking and len(lacking) < len(columns):
            raise NotEligible(
                f"{len(lacking)} files of partition {group.partition[:200]} lack the column {name[:100]!r}, in which "
                f"Spark reads its default {literal[:100]} and other engines null: write the partition with Spark "
                f"(INSERT OVERWRITE) to have it merged; the first is {lacking[0][-300:]}"
            )


def _check_declared(view: TableView, group: FileGroup, widened: frozenset[str]) -> None:
    """Raise `NotEligible` if a partition's entry has another type of a widened column than the table's.

    Hive reads a partition by the types in its own entry, and would not read the wider numbers by a narrower type.
    """
    if not widened:
        return
    stored = view.partition_of(group.partition)
    own = {} if stored is None else {str(each.name).lower(): str(each.type) for each in stored.sd.cols or ()}
    for column in view.entry.columns:
        if column.name in {name.lower() for name in widened} and own.get(column.name) != column.type:
            raise NotEligible(
                f"files of partition {group.partition[:200]} have column {column.name[:100]} in types of different "
                f"widths, and its own entry has it as {own.get(column.name, 'no column')[:100]}, the table as "
                f"{column.type}: change it with ALTER TABLE … CHANGE COLUMN … CASCADE to have them merged"
            )


def _check_unchanged(view: TableView, group: FileGroup) -> None:
    """Check the files of a partition as they are now.

    Raises:
        CommitConflict: one was removed or overwritten since the plan.
        NotEligible: there may be rows that no listing shows, or more files than a list of replaced files can have.
    """
    try:
        present = every_file_in(parent_of(group.inputs[0].path), view.storage)
    except Unlisted as error:
        raise NotEligible(f"partition {group.partition[:200]} is left alone: {error}") from error
    if sum(len(path) + _LISTED_BYTES for path in present) > LARGEST // 2:
        raise NotEligible(f"partition {group.partition[:200]} has too many files: {len(present)}")
    for each in group.inputs:
        if not is_same(each.path, present.get(each.path), (each.file_bytes, each.sequence_number)):
            raise CommitConflict(f"{each.path[-300:]} was removed or overwritten since the plan")


def _check_no_call_is_open(view: TableView, partition: str, folder: str) -> None:
    """Raise `CommitConflict` if a partition may still get one of the folders below `folder`."""
    if next(fresh_marks(folder, view.storage), None) is not None:
        raise CommitConflict(
            f"{view.catalog.label} may still execute an earlier change of partition {partition[:200]}, whose answer "
            f"was lost; it is left alone until {SENT_SECONDS / 60:.0f} minutes after that"
        )
