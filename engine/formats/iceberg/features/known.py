"""Operations that the features of a table forbid: its fields of the metadata, properties, types and transforms.

Iceberg's own procedure knows Iceberg's properties, so that they forbid it nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pyiceberg.exceptions import ValidationError
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    UnknownTransform,
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
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)
from pyiceberg.utils.properties import property_as_bool, property_as_int

from engine.formats.iceberg.features.fields import FIELDS
from engine.formats.iceberg.features.properties import NAMESPACES, PROPERTIES
from engine.formats.iceberg.features.rows import Activity, Feature
from engine.formats.iceberg.intake.metadata_files import WRITTEN_FROM_DOCUMENT
from engine.formats.intake.parameters import Parameters

_LONGEST: Final = 100
_NUMBER: Final = "a whole number"
_PARSED: Final = {
    "write.metadata.previous-versions-max": _NUMBER,
    **dict.fromkeys(
        (
            *("write.metadata.delete-after-commit.enabled", "write.object-storage.enabled"),
            "write.object-storage.partitioned-paths",
        ),
        "true or false",
    ),
}
"""Properties that are parsed at each commit, with what they have to be."""

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
    TimestampNanoType: "timestamp_ns",
    TimestamptzNanoType: "timestamptz_ns",
    StringType: "string",
    UUIDType: "uuid",
    FixedType: "fixed",
    BinaryType: "binary",
    StructType: "struct",
    ListType: "list",
    MapType: "map",
    UnknownType: "unknown",
}
"""Types of columns that the kernel rewrites."""

COPIED_TYPES: Final = ("variant", "geometry", "geography")
"""Types that PyIceberg and Arrow lack: the kernel takes such columns over as files store them."""

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

    No file may be added under one, and PyIceberg writes `unknown` in its place, which no reader could undo.
    """
    used = [
        (f"partition field {field.name}", field.transform) for spec in metadata.partition_specs for field in spec.fields
    ]
    used += [
        (f"sort order {order.order_id}", each.transform) for order in metadata.sort_orders for each in order.fields
    ]
    for name, transform in used:
        if not isinstance(transform, tuple(TRANSFORMS)):
            shown = repr(stated_transform(transform)[:_LONGEST])
            yield f"{name} has the transform {shown}, which can't be written: replace the field by a known one"


def has_unknown_transform(spec: PartitionSpec) -> bool:
    """Return whether a field of a partition spec has a transform that is not known, so that its values have no type."""
    return not all(isinstance(field.transform, tuple(TRANSFORMS)) for field in spec.fields)


def stated_transform(transform: Transform[Any, Any]) -> str:
    """Return a transform as the table's metadata states it; the text of an unknown one is `unknown` in PyIceberg."""
    stated: str = transform._transform if isinstance(transform, UnknownTransform) else str(transform)  # noqa: SLF001
    return stated


def written_problems(
    metadata: TableMetadata, *, is_by_client: bool, is_translated: bool = False, checks_fields: bool = True
) -> Iterator[str]:
    """Yield a clause for each reason why no commit to the table can succeed: its metadata can't be written.

    Every writer parses numbers among the properties. Unless a REST catalog writes the metadata (`is_by_client`),
    PyIceberg parses booleans, and checks the current spec and sort order (`checks_fields`), where Iceberg does neither.
    What it can't parse (`is_translated`) it would write as something else, in a version of the format that does not
    have it.
    """
    if is_by_client and is_translated and metadata.format_version < WRITTEN_FROM_DOCUMENT:
        version = metadata.format_version
        yield f"the metadata has types or defaults of format version 3, although its version is {version}: repair it"
    for name, kind in _PARSED.items():
        try:
            if kind is _NUMBER:
                property_as_int(metadata.properties, name)
            elif is_by_client:
                property_as_bool(metadata.properties, name, False)
        except ValueError:
            shown = metadata.properties[name][:_LONGEST]
            yield f"{name} is {shown!r}, with which no commit succeeds: set it to {kind}, or remove it"
    used = (("current partition spec", metadata.spec()), ("current sort order", metadata.sort_order()))
    for name, each in used if is_by_client and checks_fields else ():
        try:
            each.check_compatible(metadata.schema())
        except (ValidationError, ValueError) as error:
            yield f"PyIceberg can't write the {name}: {str(error)[:_LONGEST]}"


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
