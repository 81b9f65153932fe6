"""Conditions, arguments and planning input for Iceberg's own rewrite procedure.

The procedure chooses files itself, by options derived from our plan, so it may include files added after the plan and
skip some of the plan's. Units are whole partitions of the current spec: it moves files of older specs into the current
one, and a predicate on the current partition fields may select any of them.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema
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
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
)

from engine.domain.errors import NotEligible
from engine.domain.runs.procedures import PartitionTest
from engine.formats.base import SPARK_CATALOG, Condition
from engine.formats.iceberg.features.known import TYPES
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.metadata.digest import LiveFiles
from engine.formats.iceberg.metadata.eligibility import conditions_of, other_types
from engine.formats.iceberg.metadata.partitions import plain_value
from engine.formats.iceberg.metadata.row_ids import has_row_ids
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.intake.parameters import listed

_SHARED: Final = frozenset(
    {"main_branch", "not_encrypted", "files_unique", "deletion_vectors_valid", "partition_columns_known"}
)
"""Conditions shared by the kernel and the procedure: without them a change could not be verified."""

_FUNCTIONS: Final[Mapping[type[Any], str]] = {
    YearTransform: "years",
    MonthTransform: "months",
    DayTransform: "days",
    HourTransform: "hours",
}
_TYPES: Final[Mapping[type[IcebergType], str]] = {
    BooleanType: "boolean",
    IntegerType: "int",
    LongType: "bigint",
    FloatType: "float",
    DoubleType: "double",
    DateType: "date",
    TimestampType: "timestamp_ntz",
    TimestamptzType: "timestamp",
    StringType: "string",
    BinaryType: "binary",
    FixedType: "binary",
}
_UNKNOWN_TO_SPARK: Final = frozenset({TimeType, TimestampNanoType, TimestamptzNanoType})
_READ_BY_SPARK: Final[tuple[type[IcebergType], ...]] = tuple(of for of in TYPES if of not in _UNKNOWN_TO_SPARK)
"""Types of columns of tables that Iceberg's runtime for Spark 4.1 opens, and after which PyIceberg reads them."""
_VARIANT: Final = "variant"


def native_conditions(view: TableView, files: LiveFiles, spark_catalog: str | None) -> Sequence[Condition]:
    """Return every condition of the procedure for a table, met or not."""
    shared = [each for each in conditions_of(view, files) if each.name in _SHARED]
    version = view.metadata.format_version
    named = f"the catalog is {spark_catalog} in Spark" if spark_catalog is not None else no_name_in_spark()
    return [
        Condition("native_spark_catalog", spark_catalog is not None, named),
        Condition("native_format_version", version in (1, 2, 3), f"version {version}; 1, 2 and 3 can be rewritten"),
        _one_spec(view, files),
        _in_place(files),
        _row_ids_read(view, files),
        _readable_types(view),
        _comparable(view),
        _known_features(view),
        *shared,
    ]


def native_digest(digest: pa.Table) -> pa.Table:
    """Return a digest (`planning.measures.digest.FILE_DIGEST`) adapted for planning the procedure.

    The procedure applies equality deletes like position deletes, reads every format and encrypted files, and uses only
    the sizes of files, not those of row groups.
    """
    deletes = pc.add(digest["delete_files"], digest["equality_deletes"])
    rows = digest.num_rows
    parquet = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), pa.array(["parquet"]))
    none = pa.repeat(pa.scalar(0, pa.int32()), rows)
    changed: dict[str, Any] = {
        "delete_files": deletes,
        "equality_deletes": none,
        "row_groups": none,
        "file_format": parquet,
    }
    columns = [changed.get(field.name, digest[field.name]) for field in digest.schema]
    return pa.table(columns, schema=digest.schema)


def partition_tests(view: TableView, spec_id: int, partition: str) -> tuple[PartitionTest, ...]:
    """Return the tests that select a partition, from its canonical JSON.

    Raises:
        NotEligible: a field's type or transform can't be expressed in Spark SQL.
    """
    values = json.loads(partition)
    found = []
    for name, source_id, transform, of in _fields(view, spec_id):
        function, argument = _function(transform)
        wanted = _spark_type(of)
        if wanted is None or function == "":
            raise NotEligible(f"partitions by {name} ({transform} of {of}) can't be expressed in Spark SQL")
        column = _path(view.codecs[spec_id].schema, source_id)
        value = _text(plain_value(values[name], transform), wanted)
        found.append(PartitionTest(column, wanted, value, function, argument))
    return tuple(found)


def no_name_in_spark() -> str:
    """Return the message for a catalog without a name in Spark, with the remedy."""
    return f"the catalog has no property {SPARK_CATALOG}: set it to the name that Spark has for this catalog"


def _one_spec(view: TableView, files: LiveFiles) -> Condition:
    live = sorted(set(files.data["spec_id"].unique().to_pylist()))
    current = view.metadata.default_spec_id
    detail = f"live files have specs {live}; the current one is {current}"
    return Condition("native_one_spec", live in ([], [current]), detail)


def _in_place(files: LiveFiles) -> Condition:
    count = files.outside_files  # the procedure chooses files itself, with Spark's credentials
    return Condition("native_files_in_place", not count, f"{count} live files are outside of the table's places")


def _row_ids_read(view: TableView, files: LiveFiles) -> Condition:
    """Check that Spark reads the ids of rows: by Iceberg 1.12's vectorised reader, all rows of an ORC file have one."""
    name, count = "native_row_ids", pc.sum(pc.equal(files.data["file_format"].cast("string"), "orc")).as_py() or 0
    if not has_row_ids(view.metadata):
        return Condition(name, True, "rows have ids from format version 3 on")
    written = view.metadata.properties.get("write.format.default", "parquet").lower()
    detail = f"{count} live data files are ORC, and the table writes {written}"
    holds = not count and written != "orc"
    return Condition(name, holds, detail if holds else f"{detail}: Spark would give all rows of an ORC file one id")


def _readable_types(view: TableView) -> Condition:
    strange = other_types(view, _READ_BY_SPARK, (_VARIANT,))
    if strange:
        detail = f"{', '.join(strange)}: Spark reads no tables with columns of this type"
        return Condition("native_known_types", False, detail)
    variants = other_types(view, _READ_BY_SPARK)
    detail = f"{', '.join(variants)}: the procedure fails on files with shredded variants, which no metadata tells"
    return Condition("native_known_types", not variants, detail if variants else "Spark reads every column")


def _comparable(view: TableView) -> Condition:
    spec_id = view.metadata.default_spec_id
    strange = [
        f"{name} ({transform} of {of})"
        for name, _, transform, of in _fields(view, spec_id)
        if _spark_type(of) is None or _function(transform)[0] == ""
    ]
    detail = (
        f"can't be expressed in Spark SQL: {', '.join(strange)}" if strange else "all can be expressed in Spark SQL"
    )
    return Condition("native_partition_fields", not strange, detail)


def _known_features(view: TableView) -> Condition:
    problems = view.feature_problems(Activity.PROCEDURE)
    return Condition("native_known_features", not problems, listed(problems) or "each field of the metadata is known")


def _fields(view: TableView, spec_id: int) -> list[tuple[str, int, Transform[Any, Any], IcebergType]]:
    """Return name, source column, transform and type of each field of a spec, except `void` ones."""
    codec = view.codecs[spec_id]
    types = codec.spec.partition_type(codec.schema).fields
    return [
        (field.name, field.source_id, field.transform, typed.field_type)
        for field, typed in zip(codec.spec.fields, types, strict=True)
        if not isinstance(field.transform, VoidTransform)
    ]


def _function(transform: Transform[Any, Any]) -> tuple[str | None, int | None]:
    """Return a transform's Spark function and its argument; None for identity, an empty name for an unknown one."""
    match transform:
        case IdentityTransform():
            return None, None
        case BucketTransform():
            return "bucket", transform.num_buckets
        case TruncateTransform():
            return "truncate", transform.width
        case _:
            return _FUNCTIONS.get(type(transform), ""), None


def _spark_type(of: IcebergType) -> str | None:
    return f"decimal({of.precision},{of.scale})" if isinstance(of, DecimalType) else _TYPES.get(type(of))


def _text(value: Any, wanted: str) -> str | None:
    if value is None:
        return None
    if wanted == "binary":
        return base64.b64decode(value).hex()
    return str(value).lower() if isinstance(value, bool) else str(value)


def _path(schema: Schema, field_id: int) -> tuple[str, ...]:
    """Return the names from the outermost column to a field; names may contain dots."""

    def walk(fields: Sequence[NestedField]) -> tuple[str, ...] | None:
        for field in fields:
            if field.field_id == field_id:
                return (field.name,)
            if isinstance(field.field_type, StructType) and (inner := walk(field.field_type.fields)) is not None:
                return (field.name, *inner)
        return None

    found = walk(schema.fields)
    if found is None:
        raise NotEligible(f"the column with field id {field_id} is in no struct of the schema")
    return found
