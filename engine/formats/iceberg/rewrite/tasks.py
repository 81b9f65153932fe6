"""Packhouse's kernel as an engine of an Iceberg table: its conditions, and the Spark task of one group.

Outputs have the current schema's columns under the names that Java and PyIceberg give them in files (Avro-compatible:
`a b` becomes `a_x20b`); readers match by field id. Columns with colliding names are distinguished by their field ids.
"""

import base64
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import pyarrow as pa
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema, make_compatible_name
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.name_mapping import MappedField
from pyiceberg.transforms import BucketTransform, Transform, TruncateTransform

from engine.domain.errors import NotEligible
from engine.domain.runs.files import DeleteRef, InputFile
from engine.domain.runs.output_names import output_prefix
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.formats.base import KERNEL_TRAITS, Condition, EngineTraits, GroupSettings
from engine.formats.iceberg.catalog.paths import output_directory
from engine.formats.iceberg.intake.newer_types import with_types
from engine.formats.iceberg.metadata.column_values import constants_of
from engine.formats.iceberg.metadata.digest import LiveFiles
from engine.formats.iceberg.metadata.eligibility import conditions_of, current_spec_possible
from engine.formats.iceberg.metadata.row_ids import has_row_ids
from engine.formats.iceberg.metadata.sort_orders import resolve_order
from engine.formats.iceberg.metadata.table_properties import read_properties
from engine.formats.iceberg.metadata.views import TableView, places_of
from engine.formats.iceberg.statistics.lineage_columns import schema_of_outputs
from engine.formats.intake.guards import Reading, reads
from engine.rewriting.kernel.contract import (
    EngineTask,
    PartitionField,
    RowOrder,
    SortColumn,
    TaskIdentity,
    TaskInput,
    TaskVector,
)
from engine.rewriting.kernel.kernel_task import BY_FIELD_ID, KernelTask, ParquetDialect, ReadPlan, WriteProfile
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY

_NAMES: Final = 0
"""Number of the table's name mapping among the schemas of a task."""
_MOST_NAMED: Final = 100_000
"""Most fields of a name mapping that tasks follow; names of nested columns multiply."""


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
        codec, columns = view.codecs[group.spec_id], metadata.schema().field_ids
        written = with_types(metadata.schema().model_dump_json(), view.table.newer_types)
        moves = group.output_spec_id is not None
        prefix = output_prefix(run_id, group.ordinal, attempt, "" if order is None else order.mark)
        read = ReadPlan(
            files=tuple(map(_input, group.inputs)),
            schema=encoded_schema(schema_of_outputs(metadata.schema(), group.inputs)),
            match_by=BY_FIELD_ID,
            allowed_folders=places_of(view.table).folders,
            schemas={} if (names := mapped_names(metadata)) is None else {str(_NAMES): names},
            names_need_no_ids=True,
            constants=constants_of(codec, group.partition, metadata.schema()),
            verbatim={str(number): of for number, of in view.table.newer_types.items() if number in columns},
        )
        write = WriteProfile(
            # files of many partitions share one folder: readers go by the metadata, not by paths
            folder=output_directory(
                metadata, partition_path="" if moves else codec.path(group.partition), name=f"{prefix}0.parquet"
            ),
            file_count=group.predicted_outputs,
            settings=read_properties(metadata.properties).applied_to(settings.write),
            dialect=ParquetDialect(key_values={"iceberg.schema": written}),
            order=None if order is None else _row_order(order),
            partition_by=None if group.output_spec_id is None else partition_by(view.codecs[group.output_spec_id].spec),
        )
        # a wrong id can't be repaired: nothing in the table tells it from the right one
        checks_rows = settings.checks_rows or has_row_ids(metadata)
        return KernelTask(TaskIdentity(run_id, attempt, group.ordinal), read, write, checks_rows).named(prefix)

    def task_storage(self) -> Mapping[str, str]:
        """Return the properties of file access, with the credentials of this load of the table."""
        storage: Mapping[str, str] = self.view.table.io.properties
        return storage

    def _order_condition(self, wanted: RequestedOrder) -> Condition:
        try:
            fields = resolve_order(self.view.metadata, wanted, self.view.table.newer_types).fields
        except NotEligible as error:
            return Condition("order_possible", False, error.message)
        return Condition("order_possible", True, f"{wanted.strategy} by {', '.join(field.name for field in fields)}")


def _input(file: InputFile) -> TaskInput:
    vectors = [vector for ref in file.deletes if (vector := _vector(ref)) is not None]
    others = [ref for ref in file.deletes if ref.offset is None]
    return TaskInput(
        file.path,
        file.file_bytes,
        file.record_count,
        delete_paths=tuple(ref.path for ref in others),
        delete_bytes=tuple(ref.file_bytes for ref in others),
        schema_id=_NAMES,
        vector=vectors[0] if vectors else None,
        first_row_id=file.first_row_id,
        sequence_number=None if file.first_row_id is None else file.sequence_number,
    )


def _vector(ref: DeleteRef) -> TaskVector | None:
    if ref.offset is None or ref.length is None or ref.rows is None:
        return None
    return TaskVector(ref.path, ref.file_bytes, ref.offset, ref.length, ref.rows)


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
    return _encoded(arrow)


def _encoded(arrow: pa.Schema) -> str:
    return base64.b64encode(arrow.serialize().to_pybytes()).decode()


def mapped_names(metadata: TableMetadata) -> str | None:
    """Return the names that the table's name mapping gives to columns of files without ids, as `encoded_schema`.

    None without a mapping, and with one that has too many names, or lacks the elements of a list or map: tasks then
    refuse such files.
    """
    try:
        mapping = metadata.name_mapping()
        if mapping is None:
            return None
        if _size_of(list(mapping)) > _MOST_NAMED:
            return None
        columns = schema_to_pyarrow(metadata.schema(), include_field_ids=True)
        return _encoded(pa.schema(_mapped(list(mapping), list(columns))))
    except (ValueError, LookupError):  # tasks refuse files without ids then, and name the file
        return None


def _size_of(mapped: Sequence[MappedField]) -> int:
    """Return the number of fields of a part of a name mapping: each name of a field has all fields inside it."""
    return sum(len(each.names) * (1 + _size_of(each.fields)) for each in mapped)


def _mapped(mapped: Sequence[MappedField], fields: Sequence[pa.Field]) -> Iterator[pa.Field]:
    """Yield the fields that a part of a name mapping has, once for each name. Raises LookupError if it lacks some."""
    by_id = {int(each.metadata[FIELD_ID_KEY]): each for each in fields}
    for each in mapped:
        if (found := by_id.get(each.field_id or 0)) is not None:
            of = _mapped_type(found.type, each.fields)
            yield from (pa.field(name, of, metadata={FIELD_ID_KEY: str(each.field_id)}) for name in each.names)


def _mapped_type(of: pa.DataType, inside: Sequence[MappedField]) -> pa.DataType:
    if pa.types.is_struct(of):
        return pa.struct(list(_mapped(inside, list(of))))
    named = {name: each for each in inside for name in each.names}
    if pa.types.is_large_list(of) or pa.types.is_list(of):
        (element,) = _mapped([named["element"]], [of.value_field])
        return pa.large_list(element)
    if pa.types.is_map(of):
        (key,) = _mapped([named["key"]], [of.key_field])
        (value,) = _mapped([named["value"]], [of.item_field])
        return pa.map_(key.with_nullable(False), value)
    return of


def _named(fields: Sequence[pa.Field]) -> list[pa.Field]:
    """Return the fields that files store, under names that are unique; columns of unknown type have no values."""
    fields = [each for each in fields if not pa.types.is_null(each.type)]
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
