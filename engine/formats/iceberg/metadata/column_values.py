"""Values of columns that data files can lack, because the table's metadata has them, in Arrow's form for tasks.

A column without values in a file has, in this order: the value of an identity field of its partition, its default
(`initial-default`, since format version 3), null. Files that were put into a table as they are, such as those of a Hive
table, have no columns for its partitions; files from before a column was added do not have that column.
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import NestedField

from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.statistics.metrics_modes import children
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY


def constants_of(codec: PartitionCodec, partition: str, schema: Schema) -> str:
    """Return the values of columns that a file of this partition may lack, as `ReadPlan.constants`."""
    decoded = codec.decode(partition)
    found: dict[int, Any] = {field.field_id: field.initial_default for field in _fields(schema)}
    for at, field in enumerate(codec.spec.fields):
        if isinstance(field.transform, IdentityTransform) and field.source_id in schema.field_ids:
            found[field.source_id] = decoded[at]  # also a null: the default is not for this partition
    return _encoded({number: value for number, value in found.items() if value is not None}, schema)


def default_problems(schema: Schema) -> Iterator[str]:
    """Yield a clause for each column whose default is not a value of its type."""
    for field in _fields(schema):
        try:
            if field.initial_default is not None:
                _array(field.initial_default, schema_to_pyarrow(field.field_type))
        except (pa.ArrowException, OverflowError, TypeError, ValueError, AttributeError):
            shown = repr(field.initial_default)[:100]
            yield f"the default of {field.name} is {shown}, which is not a value of type {field.field_type}"


def _fields(schema: Schema) -> Iterator[NestedField]:
    """Yield all fields of a schema, at every level."""
    waiting = list(schema.fields)
    while waiting:
        field = waiting.pop()
        yield field
        waiting += children(field.field_type)


def _encoded(values: Mapping[int, Any], schema: Schema) -> str:
    if not values:
        return ""
    fields, arrays = [], []
    for number, value in values.items():
        of = schema_to_pyarrow(schema.find_type(number))
        arrays.append(_array(value, of))
        fields.append(pa.field(str(number), of, metadata={FIELD_ID_KEY: str(number)}))
    stream, row = pa.BufferOutputStream(), pa.record_batch(arrays, schema=pa.schema(fields))
    with pa.ipc.new_stream(stream, row.schema) as writer:
        writer.write_batch(row)
    return base64.b64encode(stream.getvalue()).decode()


def _array(value: Any, of: pa.DataType) -> pa.Array:
    """Return an array of one value. Raises as `pa.array`."""
    if isinstance(of, pa.BaseExtensionType):  # a uuid
        return pa.ExtensionArray.from_storage(of, pa.array([value.bytes], of.storage_type))
    return pa.array([value], of)
