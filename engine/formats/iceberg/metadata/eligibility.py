"""Check all conditions of the rewrite kernel on a table, each with the value found.

Properties visible only in footers (field ids, INT96) are checked by the task, which refuses its group. Conditions on a
group's partition (equality deletes, delete files) are checked for the whole table: one live equality-delete file makes
it ineligible.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow.compute as pc
from pyiceberg.partitioning import PartitionField
from pyiceberg.transforms import UnknownTransform, VoidTransform
from pyiceberg.types import (
    DoubleType,
    FloatType,
    IcebergType,
    ListType,
    MapType,
    NestedField,
    StructType,
    UnknownType,
)

from engine.formats.base import Condition
from engine.formats.iceberg.catalog.paths import own_location_provider
from engine.formats.iceberg.features.known import COPIED_TYPES, TYPES
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.intake.newer_types import kind_of
from engine.formats.iceberg.manifests.decoding import FIRST_WITH_VECTORS, are_vectors
from engine.formats.iceberg.metadata.column_values import default_problems
from engine.formats.iceberg.metadata.deletes import vector_faults
from engine.formats.iceberg.metadata.digest import LiveFiles
from engine.formats.iceberg.metadata.partitions import PartitionCodec, schema_of_spec
from engine.formats.iceberg.metadata.row_ids import row_id_limit, wrong_ranges
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.statistics.metrics_modes import children
from engine.formats.intake.parameters import listed

_ALL_KNOWN: Final = "each field of the metadata is known, and each property that Iceberg goes by"
_KEY: Final = "encryption.key-id"


def conditions_of(view: TableView, files: LiveFiles) -> Sequence[Condition]:
    """Return all conditions in a fixed order."""
    by_files: tuple[Callable[[TableView, LiveFiles], Condition], ...] = (
        _parquet_only,
        _vectors_valid,
        _no_equality_deletes,
        _not_encrypted,
        _files_unique,
        _row_ids_distinct,
        _specs_known,
    )
    by_metadata = (_format_version, _main_branch, _known_types, _default_location_provider, _known_features)
    return [*(check(view) for check in by_metadata), *(check(view, files) for check in by_files)]


def current_spec_possible(view: TableView, files: LiveFiles) -> Condition:
    """Return whether the kernel can divide rows by the partitions of the current spec, if any file is under another."""
    name, spec_id = "current_spec_possible", view.metadata.default_spec_id
    if not set(files.data["spec_id"].unique().to_pylist()) - {spec_id}:
        return Condition(name, True, "every live file is under the current partition spec")
    codec = view.codecs[spec_id]
    strange = [
        f"{field.name} ({field.transform} of {of})"
        for field in codec.spec.fields
        if isinstance(of := _source_type(codec, field), FloatType | DoubleType)
        or isinstance(field.transform, UnknownTransform)
    ]
    detail = f"rows can't be divided by {', '.join(strange)}: set rewrite.output_spec to keep"
    return Condition(name, not strange, detail if strange else f"rows can be divided by the fields of spec {spec_id}")


def _source_type(codec: PartitionCodec, field: PartitionField) -> IcebergType | None:
    is_known = field.source_id in codec.schema.field_ids
    return codec.schema.find_type(field.source_id) if is_known else None


def _format_version(view: TableView) -> Condition:
    version = view.metadata.format_version
    return Condition("format_version", version in (1, 2, 3), f"version {version}; 1, 2 and 3 can be rewritten")


def _main_branch(view: TableView) -> Condition:
    if view.head is None:
        return Condition("main_branch", True, "the table is empty: no snapshot was committed to main yet")
    others = sorted(name for name in view.metadata.refs if name != "main")
    detail = f"main is at snapshot {view.head.snapshot_id}"
    return Condition("main_branch", True, f"{detail}; untouched: {', '.join(others)}" if others else detail)


def _known_types(view: TableView) -> Condition:
    schema, newer = view.metadata.schema(), view.table.newer_types
    strange = other_types(view, tuple(TYPES), COPIED_TYPES)
    problems = [f"{', '.join(strange)}: the kernel rewrites no columns of this type"] if strange else []
    divided = [
        f"partition field {field.name} of a {newer[field.source_id]}"
        for spec in view.metadata.partition_specs
        for field in spec.fields
        if field.source_id in newer and not isinstance(field.transform, VoidTransform)
    ]
    if divided:
        problems.append(f"{', '.join(divided)}: rows can't be divided by values of this type")
    problems += [*_unstored(schema.fields), *default_problems(schema)]
    return Condition("known_types", not problems, listed(problems) or f"{len(schema.fields)} columns of known types")


def _unstored(fields: Sequence[NestedField]) -> Iterator[str]:
    """Yield a clause for each place where files can't leave out a column of unknown type."""
    nodes = [("the table", StructType(*fields)), *((name, field.field_type) for name, field in _columns(fields))]
    for name, of in nodes:
        unknown = [isinstance(each.field_type, UnknownType) for each in children(of)]
        if (isinstance(of, StructType) and unknown and all(unknown)) or (
            isinstance(of, ListType | MapType) and any(unknown)
        ):
            yield f"{name} has values of unknown type only"


def other_types(view: TableView, known: tuple[type[IcebergType], ...], newer: Sequence[str] = ()) -> Sequence[str]:
    """Return the dotted name and type of each column, or field inside of one, whose type is none of these.

    `newer`: names of known types among those that PyIceberg lacks.
    """
    real = view.table.newer_types
    return [
        f"{name} {real.get(field.field_id, field.field_type)}"
        for name, field in _columns(view.metadata.schema().fields)
        if (
            kind_of(real[field.field_id]) not in newer
            if field.field_id in real
            else not isinstance(field.field_type, known)
        )
    ]


def _columns(fields: Sequence[NestedField], prefix: str = "") -> Iterator[tuple[str, NestedField]]:
    """Yield columns and the fields inside them, with their dotted names."""
    for field in fields:
        yield f"{prefix}{field.name}", field
        yield from _columns(list(children(field.field_type)), f"{prefix}{field.name}.")


def _default_location_provider(view: TableView) -> Condition:
    found = own_location_provider(view.metadata.properties)
    return Condition("default_location_provider", not found, found or "the table uses Iceberg's own layout")


def _known_features(view: TableView) -> Condition:
    problems = view.feature_problems(Activity.KERNEL)
    return Condition("known_features", not problems, listed(problems) or _ALL_KNOWN)


def _parquet_only(view: TableView, files: LiveFiles) -> Condition:
    written = view.metadata.properties.get("write.format.default", "parquet").lower()
    formats = {
        each["values"]: each["counts"] for each in pc.value_counts(files.data["file_format"].cast("string")).to_pylist()
    }
    deletes = set(files.deletes["file_format"].cast("string").unique().to_pylist())
    others = files.deletes
    if view.metadata.format_version >= FIRST_WITH_VECTORS:
        others = others.filter(pc.invert(are_vectors(others)))
    is_readable = set(others["file_format"].cast("string").unique().to_pylist()) <= {"parquet"}
    holds = written == "parquet" and formats.keys() <= {"parquet"} and is_readable
    detail = (
        f"writes {written}; live data files: {_counts(formats)}; delete files: {', '.join(sorted(deletes)) or 'none'}"
    )
    return Condition("parquet_only", holds, detail)


def _vectors_valid(_: TableView, files: LiveFiles) -> Condition:
    count = pc.sum(are_vectors(files.deletes)).as_py() or 0
    if faults := vector_faults(files.data, files.deletes):
        return Condition("deletion_vectors_valid", False, f"of {count} deletion vectors {'; '.join(faults)}")
    return Condition("deletion_vectors_valid", True, f"{count} deletion vectors, at most one for each data file")


def _no_equality_deletes(_: TableView, files: LiveFiles) -> Condition:
    count = files.equality_delete_files
    touched = int(np.count_nonzero(files.counts.equality))
    detail = f"{count} live equality-delete files, which may touch {touched} data files" if count else "none are live"
    return Condition("no_equality_deletes", count == 0, detail)


def _not_encrypted(view: TableView, files: LiveFiles) -> Condition:
    count = sum(int(pc.sum(each["is_encrypted"]).as_py() or 0) for each in (files.data, files.deletes))
    key = _KEY in view.metadata.properties
    detail = f"{count} files with key metadata" + (f"; the table has {_KEY}" if key else "")
    return Condition("not_encrypted", not count and not key, detail)


def _files_unique(_: TableView, files: LiveFiles) -> Condition:
    total, distinct = files.data.num_rows, len(files.data["path"].unique())
    return Condition("files_unique", total == distinct, f"{total - distinct} of {total} live entries name a file again")


def _row_ids_distinct(view: TableView, files: LiveFiles) -> Condition:
    """Check that no two rows inherit one id, and that no row inherits one that the table gives to new rows."""
    name, data = "row_ids_distinct", files.data
    data = data.filter(pc.and_(data["first_row_id"].is_valid(), pc.greater(data["record_count"], 0)))
    if not data.num_rows:
        return Condition(name, True, "rows have no ids by their files")
    following = row_id_limit(view.metadata)
    beyond, shared, _ = wrong_ranges(data["first_row_id"].to_numpy(), data["record_count"].to_numpy(), below=following)
    detail = f"{data.num_rows} files with row ids below the next one, {following}"
    holds = not len(beyond) and not len(shared)
    if not holds:
        wrong = f"{len(shared)} overlap others, {len(beyond)} reach beyond {following}"
        detail = f"of {data.num_rows} files with row ids {wrong}"
    return Condition(name, holds, detail)


def _specs_known(view: TableView, files: LiveFiles) -> Condition:
    live = set(files.data["spec_id"].unique().to_pylist())
    specs = view.metadata.specs()
    lost = sorted(each for each in live if each not in specs or schema_of_spec(view.metadata, specs[each]) is None)
    detail = f"live files have specs {sorted(live)}" + (f"; no schema has the columns of {lost}" if lost else "")
    return Condition("partition_columns_known", not lost, detail)


def _counts(formats: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(formats.items())) or "none"
