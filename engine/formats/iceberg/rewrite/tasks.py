"""Packhouse's kernel as an engine of an Iceberg table: its conditions, and the Spark task of one group.

Outputs have the current schema's columns under the names that Java and PyIceberg give them in files (Avro-compatible:
`a b` becomes `a_x20b`); readers match by field id. Columns with colliding names are distinguished by their field ids.
"""

import base64
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema, make_compatible_name
from pyiceberg.transforms import BucketTransform, Transform, TruncateTransform

from engine.domain.errors import NotEligible
from engine.domain.runs.files import InputFile
from engine.domain.runs.output_names import output_prefix
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.formats.base import KERNEL_TRAITS, Condition, EngineTraits, GroupSettings
from engine.formats.iceberg.catalog.paths import output_directory
from engine.formats.iceberg.metadata.digest import LiveFiles
from engine.formats.iceberg.metadata.eligibility import conditions_of, current_spec_possible
from engine.formats.iceberg.metadata.sort_orders import resolve_order
from engine.formats.iceberg.metadata.table_properties import read_properties
from engine.formats.iceberg.metadata.views import TableView, places_of
from engine.formats.intake.guards import Reading, reads
from engine.rewriting.kernel.contract import EngineTask, PartitionField, RowOrder, SortColumn, TaskIdentity, TaskInput
from engine.rewriting.kernel.kernel_task import BY_FIELD_ID, KernelTask, ParquetDialect, ReadPlan, WriteProfile
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY


@dataclass(frozen=True, slots=True)
class TableKernel:
    """The kernel on one view of a table; `files` returns its live files."""

    procedure: ClassVar[None] = None
    view: TableView
    files: Callable[[], LiveFiles]
    reading: Reading

    @property
    def traits(self) -> EngineTraits:
        """Those of the kernel with any format."""
        return KERNEL_TRAITS

    @reads("read the manifests of")
    def conditions(
        self, order: RequestedOrder | None = None, *, moves_to_current_spec: bool = False
    ) -> Sequence[Condition]:
        """Return every condition of the kernel for this table, met or not."""
        found = list(conditions_of(self.view, self.files()))
        if moves_to_current_spec:
            found.append(current_spec_possible(self.view, self.files()))
        return found if order is None else [*found, self._order_condition(order)]

    @reads("read the manifests of")
    def digest(self) -> pa.Table:
        """Return the live data files."""
        return self.files().digest()

    @reads("read the metadata of")
    def task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        """Return the task that rewrites one group; sizes set by table properties override those of `settings`."""
        view, metadata, order = self.view, self.view.metadata, settings.order
        codec = view.codecs[group.spec_id]
        moves = group.output_spec_id is not None
        prefix = output_prefix(run_id, group.ordinal, attempt, "" if order is None else order.mark)
        read = ReadPlan(
            files=tuple(map(_input, group.inputs)),
            schema=encoded_schema(metadata.schema()),
            match_by=BY_FIELD_ID,
            allowed_folders=places_of(view.table).folders,
        )
        write = WriteProfile(
            # files of many partitions share one folder: readers go by the metadata, not by paths
            folder=output_directory(
                metadata, partition_path="" if moves else codec.path(group.partition), name=f"{prefix}0.parquet"
            ),
            file_count=group.predicted_outputs,
            settings=read_properties(metadata.properties).applied_to(settings.write),
            dialect=ParquetDialect(key_values={"iceberg.schema": metadata.schema().model_dump_json()}),
            order=None if order is None else _row_order(order),
            partition_by=None if group.output_spec_id is None else partition_by(view.codecs[group.output_spec_id].spec),
        )
        return KernelTask(TaskIdentity(run_id, attempt, group.ordinal), read, write, settings.checks_rows).named(prefix)

    def task_storage(self) -> Mapping[str, str]:
        """Return the properties of file access, with the credentials of this load of the table."""
        return dict(self.view.table.io.properties)

    def _order_condition(self, wanted: RequestedOrder) -> Condition:
        try:
            fields = resolve_order(self.view.metadata, wanted).fields
        except NotEligible as error:
            return Condition("order_possible", False, error.message)
        return Condition("order_possible", True, f"{wanted.strategy} by {', '.join(field.name for field in fields)}")


def _input(file: InputFile) -> TaskInput:
    return TaskInput(
        file.path,
        file.file_bytes,
        file.record_count,
        delete_paths=tuple(ref.path for ref in file.deletes),
        delete_bytes=tuple(ref.file_bytes for ref in file.deletes),
    )


def partition_by(spec: PartitionSpec) -> tuple[PartitionField, ...]:
    """Return the fields of a partition spec for tasks."""
    return tuple(
        PartitionField(field.source_id, str(field.transform).partition("[")[0], _parameter(field.transform))
        for field in spec.fields
    )


def _parameter(transform: Transform[Any, Any]) -> int:
    match transform:
        case BucketTransform():
            return transform.num_buckets
        case TruncateTransform():
            return transform.width
        case _:
            return 0


def _row_order(order: RowOrdering) -> RowOrder:
    columns = (SortColumn(each.field_id, each.descending, each.nulls_first) for each in order.fields)
    return RowOrder(order.strategy, tuple(columns))


def encoded_schema(schema: Schema) -> str:
    """Return the Arrow schema of outputs as base 64 of its IPC form; every field carries `PARQUET:field_id`."""
    arrow = pa.schema(_named(list(schema_to_pyarrow(schema, include_field_ids=True))))
    return base64.b64encode(arrow.serialize().to_pybytes()).decode()


def _named(fields: Sequence[pa.Field]) -> list[pa.Field]:
    names = [make_compatible_name(each.name) for each in fields]
    times = Counter(names)
    return [
        _child(each, name if times[name] == 1 else f"{name}_{each.metadata[FIELD_ID_KEY].decode()}")
        for each, name in zip(fields, names, strict=True)
    ]


def _child(field: pa.Field, name: str) -> pa.Field:
    # only the id is kept: a column's comment does not belong in a data file
    return (
        field.with_name(name)
        .with_type(_renamed(field.type))
        .with_metadata({FIELD_ID_KEY: field.metadata[FIELD_ID_KEY]})
    )


def _renamed(of: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(of):
        return pa.struct(_named(list(of)))
    if pa.types.is_large_list(of):
        return pa.large_list(_child(of.value_field, of.value_field.name))
    if pa.types.is_map(of):
        return pa.map_(_child(of.key_field, of.key_field.name), _child(of.item_field, of.item_field.name))
    return of
