"""Operations that the features of a table forbid: its fields of the metadata, properties, types and transforms.

Iceberg's own procedure knows Iceberg's properties, so that they forbid it nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    VoidTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from engine.formats.iceberg.features.fields import FIELDS
from engine.formats.iceberg.features.properties import NAMESPACES, PROPERTIES
from engine.formats.iceberg.features.rows import Activity, Feature
from engine.formats.intake.parameters import Parameters

_LONGEST: Final = 100

TYPES: Final[Mapping[type[IcebergType], str]] = {
    BooleanType: "boolean",
    IntegerType: "int",
    LongType: "long",
    FloatType: "float",
    DoubleType: "double",
    DecimalType: "decimal",
    DateType: "date",
    TimeType: "time",
    TimestampType: "timestamp",
    TimestamptzType: "timestamptz",
    StringType: "string",
    UUIDType: "uuid",
    FixedType: "fixed",
    BinaryType: "binary",
    StructType: "struct",
    ListType: "list",
    MapType: "map",
}
"""Types of columns that the kernel rewrites."""

TRANSFORMS: Final[Mapping[type[Transform[Any, Any]], str]] = {
    IdentityTransform: "identity",
    BucketTransform: "bucket",
    TruncateTransform: "truncate",
    YearTransform: "year",
    MonthTransform: "month",
    DayTransform: "day",
    HourTransform: "hour",
    VoidTransform: "void",
}
"""Transforms of partition fields and sort orders."""


def _for(work: Activity, features: Sequence[Feature], noun: str) -> Parameters:
    """Return features with the values that one operation accepts."""
    rows = (each.parameter if work in each.concerns else replace(each.parameter, accepted=None) for each in features)
    return Parameters(list(rows), noun)


_FIELDS: Final = {work: _for(work, FIELDS, "field of the metadata") for work in Activity}
_PROPERTIES: Final = {work: _for(work, PROPERTIES, "table property") for work in Activity}


def transform_problems(metadata: TableMetadata) -> Iterator[str]:
    """Yield a clause for each field of a partition spec or sort order whose transform is not known.

    PyIceberg writes `unknown` in place of such a transform, which no reader could undo.
    """
    used = [
        (f"partition field {field.name}", field.transform) for spec in metadata.partition_specs for field in spec.fields
    ]
    used += [
        (f"sort order {order.order_id}", each.transform) for order in metadata.sort_orders for each in order.fields
    ]
    for name, transform in used:
        if not isinstance(transform, tuple(TRANSFORMS)):
            shown = repr(transform)[:_LONGEST]
            yield f"{name} has the transform {shown}, which PyIceberg can't write: replace the field by a known one"


def problems_of(
    work: Activity, fields: Mapping[str, str], properties: Mapping[str, str], *, meaningless: Sequence[str] = ()
) -> Sequence[str]:
    """Return a clause for each feature of a table that forbids an operation: its name, its meaning and the remedy.

    Args:
        work: the operation.
        fields: as `intake.metadata_fields.fields_of` returns them.
        properties: the table's.
        meaningless: patterns of further names, in lower case, that an administrator declared to change nothing.
    """
    listed = _PROPERTIES[work]
    owned = work is not Activity.PROCEDURE
    given = {
        name: value
        for name, value in properties.items()
        if listed.find(name) is not None or (owned and name.lower().startswith(NAMESPACES))
    }
    return [
        *_FIELDS[work].problems(fields, meaningless, "metadata: "),
        *listed.problems(given, meaningless),
    ]
