"""The engines of a Paimon table: Packhouse's kernel, whose files the core commits, and Paimon's core itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import pyarrow as pa

from engine.domain.policies import Strategy
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.orders import RequestedOrder
from engine.formats.base import KERNEL_TRAITS, Condition, Engine, EngineTraits, GroupSettings
from engine.formats.intake.guards import Reading, reads
from engine.formats.paimon.metadata.options import BucketMode
from engine.formats.paimon.rewrite.conditions import NO_ORDER, core_conditions, kernel_conditions
from engine.formats.paimon.rewrite.core import CoreCalls, reachable, reached
from engine.formats.paimon.rewrite.heap import heap_condition
from engine.formats.paimon.rewrite.merge_rules import check_limit
from engine.formats.paimon.rewrite.stores import core_storage
from engine.formats.paimon.rewrite.tasks import core_task, kernel_task
from engine.formats.paimon.view import TableView
from engine.planning.plans.groupings import ArrivalWindows, FullScope, Grouping, MergedRuns, Packed
from engine.rewriting.kernel.contract import EngineTask


@dataclass(frozen=True, slots=True)
class TableKernel:
    """The kernel on one view of a table; `properties` are those of the catalog for access to the store."""

    procedure: ClassVar[None] = None
    view: TableView
    properties: Mapping[str, str] = field(repr=False)
    core: CoreCalls | None
    reading: Reading

    @property
    def traits(self) -> EngineTraits:
        """Those of the kernel, with groups that keep the order in which readers get rows."""
        return replace(KERNEL_TRAITS, grouping=_of_files(self.view, FullScope.UNSIZED))

    @reads("read the manifests of")
    def conditions(
        self,
        order: RequestedOrder | None = None,
        *,
        moves_to_current_spec: bool = False,  # noqa: ARG002
    ) -> Sequence[Condition]:
        """Return the conditions of the kernel, and those of the core, which commits its files."""
        unordered = Condition("kernel_order", order is None, "rows keep their order" if order is None else NO_ORDER)
        of_core = core_conditions(self.view, self.properties, by_kernel=True)
        return [*kernel_conditions(self.view), unordered, reachable(self.core), *of_core]

    @reads("read the manifests of")
    def digest(self) -> pa.Table:
        """Return the live data files."""
        return self.view.file_digest()

    @reads("read the manifests of")
    def task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        """Return the task of the kernel that merges the files of a group."""
        return kernel_task(self.view, group, run_id=run_id, attempt=attempt, settings=settings)

    def task_storage(self) -> Mapping[str, str]:
        """Return the catalog's properties."""
        return self.properties


@dataclass(frozen=True, slots=True)
class TableCore:
    """Paimon's core on one view of a table; `properties` are those of the catalog for access to the store."""

    procedure: ClassVar[None] = None
    view: TableView
    properties: Mapping[str, str] = field(repr=False)
    core: CoreCalls | None
    reading: Reading

    @property
    def traits(self) -> EngineTraits:
        """Those of the core: it merges the sorted runs of tables with a primary key, and the files of others."""
        options = self.view.options
        scope = FullScope.FROM_FIRST_UNSIZED if options.has_deletion_vectors else FullScope.UNSIZED
        is_keyed = options.last_level is not None
        return EngineTraits(
            Engine.NATIVE,
            "Paimon's core",
            MergedRuns(options.looks_up, options.last_level, scope) if is_keyed else _of_files(self.view, scope),
            frozenset({Strategy.BINPACK, Strategy.WINDOW, Strategy.TIERED}),
            is_paced=True,
            checks_rows=True,
            check_limit=check_limit(self.view),
            by_property={"rewrite.compression": "file.compression"},
            is_only=is_keyed,
        )

    @reads("read the manifests of")
    def conditions(
        self,
        order: RequestedOrder | None = None,  # noqa: ARG002
        *,
        moves_to_current_spec: bool = False,  # noqa: ARG002
    ) -> Sequence[Condition]:
        """Return the conditions of the core, which depend on no order: its strategies have none."""
        heap = [] if self.core is None else [heap_condition(self.view, self.core.heap_limit_bytes)]
        return [reachable(self.core), *core_conditions(self.view, self.properties), *heap]

    @reads("read the manifests of")
    def digest(self) -> pa.Table:
        """Return the live data files as the core reads them: of every format."""
        files = self.view.file_digest()
        codes = pa.repeat(pa.scalar(0, pa.int32()), files.num_rows)
        parquet = pa.DictionaryArray.from_arrays(codes, pa.array(["parquet"]))
        return files.set_column(files.schema.get_field_index("file_format"), files.schema.field("file_format"), parquet)

    @reads("read the manifests of")
    def task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        """Return the task of the core that compacts the bucket of a group."""
        return core_task(
            self.view,
            group,
            run_id=run_id,
            attempt=attempt,
            settings=settings,
            core=reached(self.core),
            needs_store=bool(self.task_storage()),
        )

    def task_storage(self) -> Mapping[str, str]:
        """Return the options of the core's file system for S3."""
        return core_storage(self.view.files.location, self.properties)


def _of_files(view: TableView, scope: FullScope) -> Grouping:
    """Return groups of files: windows of neighbours where readers get rows in the order of arrival.

    These are append tables with buckets.
    """
    keeps_arrival = view.options.bucket_mode is BucketMode.FIXED and not view.schema.primary_keys
    return ArrivalWindows(scope) if keeps_arrival else Packed(scope)
