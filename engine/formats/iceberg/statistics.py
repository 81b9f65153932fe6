"""A data file's manifest entry from its Parquet footer, by field id: column names play no part.

Counts of columns inside lists and maps are kept, bounds are not. Parquet does not count NaN: such counts come from
the inputs, whose rows the output has (`NanKnowledge`), because a reader may take bounds without a NaN count for "no
NaN here" and drop a whole file on `DELETE WHERE x < 5`.
"""

import base64
import binascii
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record
from pyiceberg.types import DoubleType, FloatType, TimestampType, TimestamptzType, TimeType

from engine.domain.errors import Fatal
from engine.domain.files import OutputFile
from engine.formats.iceberg.bounds import comparable, lower_bound, upper_bound
from engine.formats.iceberg.metrics_modes import NONE, MetricsMode, primitive_ids
from engine.formats.iceberg.sort_orders import sort_order_id

_FIELD_ID: Final = b"PARQUET:field_id"


@dataclass(frozen=True, slots=True)
class NanKnowledge:
    """What the inputs of a group say about NaN: exact counts for an output, and columns that must go without bounds."""

    counts: Mapping[int, int] = field(default_factory=dict)
    without_bounds: frozenset[int] = frozenset()

    @staticmethod
    def of(inputs: Sequence[DataFile], schema: Schema, *, same_rows: bool) -> "NanKnowledge":
        """Derive it; `same_rows` says that one output has exactly the rows of all inputs."""
        counts: dict[int, int] = {}
        barred: set[int] = set()
        for field_id in primitive_ids(schema):
            if not isinstance(schema.find_type(field_id), FloatType | DoubleType):
                continue
            known = [(each.nan_value_counts or {}).get(field_id) for each in inputs]
            if None not in known and (same_rows or not any(known)):
                counts[field_id] = sum(count for count in known if count)
            elif any(known) or not all(_is_trusted(each, field_id) for each in inputs):
                barred.add(field_id)
        return NanKnowledge(counts, frozenset(barred))


def _is_trusted(file: DataFile, field_id: int) -> bool:
    """Tell whether readers already go by bounds of this file, so that bounds of the output add no new risk."""
    return (file.nan_value_counts or {}).get(field_id) == 0 or field_id in (file.lower_bounds or {})


@dataclass(frozen=True, slots=True)
class ColumnMetrics:
    """What a manifest entry keeps about the columns of a file, by field id."""

    column_sizes: dict[int, int] = field(default_factory=dict)
    value_counts: dict[int, int] = field(default_factory=dict)
    null_value_counts: dict[int, int] = field(default_factory=dict)
    lower_bounds: dict[int, bytes] = field(default_factory=dict)
    upper_bounds: dict[int, bytes] = field(default_factory=dict)


def read_footer(output: OutputFile) -> pq.FileMetaData:
    """Return the footer that a task sent along.

    Raises:
        Fatal: it is no Parquet footer, or has another number of rows than the task said.
    """
    try:
        footer = pq.read_metadata(io.BytesIO(base64.b64decode(output.footer, validate=True)))
    except (pa.ArrowException, binascii.Error, OSError) as error:
        raise Fatal(f"the footer of {output.path} can't be read: {error}") from error
    if footer.num_rows != output.record_count:
        raise Fatal(f"{output.path} has {footer.num_rows} rows by its footer, {output.record_count} by its task")
    return footer


def data_file(
    output: OutputFile,
    *,
    spec_id: int,
    partition: Record,
    schema: Schema,
    modes: Mapping[int, MetricsMode],
    nans: NanKnowledge,
    metadata: TableMetadata,
) -> DataFile:
    """Return the manifest entry's file of one output.

    Raises:
        Fatal: the footer does not belong to the file or to the schema.
    """
    footer = read_footer(output)
    metrics = column_metrics(footer, schema=schema, modes=modes, without_bounds=nans.without_bounds)
    made = DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=output.path,
        file_format=FileFormat.PARQUET,
        partition=partition,
        record_count=output.record_count,
        file_size_in_bytes=output.file_bytes,
        column_sizes=metrics.column_sizes,
        value_counts=metrics.value_counts,
        null_value_counts=metrics.null_value_counts,
        nan_value_counts={each: nans.counts[each] for each in metrics.value_counts if each in nans.counts},
        lower_bounds=metrics.lower_bounds,
        upper_bounds=metrics.upper_bounds,
        key_metadata=None,
        split_offsets=split_offsets(footer),
        equality_ids=None,
        sort_order_id=sort_order_id(metadata, footer),
    )
    made.spec_id = spec_id  # `from_args` drops it
    return made


def split_offsets(footer: pq.FileMetaData) -> list[int]:
    """Return where each row group starts, in ascending order."""
    starts = []
    for number in range(footer.num_row_groups):
        first = footer.row_group(number).column(0)
        dictionary = first.dictionary_page_offset
        starts.append(min(first.data_page_offset, dictionary) if dictionary else first.data_page_offset)
    return sorted(starts)


def column_metrics(
    footer: pq.FileMetaData, *, schema: Schema, modes: Mapping[int, MetricsMode], without_bounds: frozenset[int]
) -> ColumnMetrics:
    """Return sizes, counts and bounds of all leaf columns, as far as each column's mode keeps them.

    Raises:
        Fatal: the file's field ids are not those of the schema.
    """
    leaves = [leaf for each in footer.schema.to_arrow_schema() for leaf in _leaves(each, repeated=False)]
    if {leaf.field_id for leaf in leaves} != set(primitive_ids(schema)):
        raise Fatal(
            f"an output has the columns {[leaf.field_id for leaf in leaves]}, the table {primitive_ids(schema)}"
        )
    found = ColumnMetrics()
    for position, leaf in enumerate(leaves):
        chunks = [footer.row_group(number).column(position) for number in range(footer.num_row_groups)]
        mode = modes.get(leaf.field_id, NONE)
        found.column_sizes[leaf.field_id] = sum(chunk.total_compressed_size for chunk in chunks)
        if mode.counts:
            _add_counts(found, leaf.field_id, chunks)
        if mode.bounds and not leaf.repeated and leaf.field_id not in without_bounds:
            _add_bounds(found, leaf.field_id, chunks, schema, mode)
    return found


@dataclass(frozen=True, slots=True)
class _Leaf:
    field_id: int
    repeated: bool


def _leaves(node: pa.Field, *, repeated: bool) -> Iterator[_Leaf]:
    of = node.type
    if pa.types.is_struct(of):
        for each in of:
            yield from _leaves(each, repeated=repeated)
    elif pa.types.is_map(of):
        yield from _leaves(of.key_field, repeated=True)
        yield from _leaves(of.item_field, repeated=True)
    elif pa.types.is_list(of) or pa.types.is_large_list(of):
        yield from _leaves(of.value_field, repeated=True)
    else:
        yield _Leaf(int((node.metadata or {}).get(_FIELD_ID, b"-1")), repeated)


def _add_counts(found: ColumnMetrics, field_id: int, chunks: Sequence[Any]) -> None:
    found.value_counts[field_id] = sum(chunk.num_values for chunk in chunks)
    if all(chunk.is_stats_set and chunk.statistics.has_null_count for chunk in chunks):
        found.null_value_counts[field_id] = sum(chunk.statistics.null_count for chunk in chunks)


def _add_bounds(found: ColumnMetrics, field_id: int, chunks: Sequence[Any], schema: Schema, mode: MetricsMode) -> None:
    of = schema.find_type(field_id)
    values: list[Any] = []
    for chunk in chunks:
        stats = chunk.statistics if chunk.is_stats_set else None
        if stats is not None and stats.has_null_count and stats.null_count == chunk.num_values:
            continue  # nothing but nulls has no bounds
        if stats is None or not stats.has_min_max or not _is_in_microseconds(stats, of):
            return
        values += [comparable(raw, of=of, physical_type=chunk.physical_type) for raw in (stats.min_raw, stats.max_raw)]
    if not values or None in values:
        return
    lower = lower_bound(min(values), of=of, length=mode.length)
    upper = upper_bound(max(values), of=of, length=mode.length)
    if lower is not None:
        found.lower_bounds[field_id] = lower
    if upper is not None:
        found.upper_bounds[field_id] = upper


def _is_in_microseconds(stats: Any, of: object) -> bool:
    return not isinstance(of, TimestampType | TimestamptzType | TimeType) or "microseconds" in str(stats.logical_type)
