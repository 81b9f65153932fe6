"""The manifest entries of a group's outputs, from their Parquet footers and the entries of the inputs."""

import base64
import binascii
import io
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record

from engine.domain.errors import Fatal
from engine.domain.runs.files import OutputFile
from engine.formats.base import WrittenGroup
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.metadata.sort_orders import sort_order_id
from engine.formats.iceberg.statistics.column_metrics import ColumnMetrics, column_metrics
from engine.formats.iceberg.statistics.enclosure import enclose
from engine.formats.iceberg.statistics.float_knowledge import FloatKnowledge
from engine.formats.iceberg.statistics.lineage_columns import lineage_modes, schema_of_outputs
from engine.formats.iceberg.statistics.metrics_modes import MetricsMode
from engine.formats.iceberg.statistics.output_partitions import check_partition


def read_footer(output: OutputFile) -> pq.FileMetaData:
    """Return the Parquet footer in a task's output.

    Raises:
        Fatal: it is not a Parquet footer, or its row count differs from the task's.
    """
    try:
        footer = pq.read_metadata(io.BytesIO(base64.b64decode(output.footer, validate=True)))
    except (pa.ArrowException, binascii.Error, OSError) as error:
        raise Fatal(f"the footer of {output.path} can't be read: {error}") from error
    if footer.num_rows != output.record_count:
        raise Fatal(f"{output.path} has {footer.num_rows} rows by its footer, {output.record_count} by its task")
    return footer


def data_files(
    group: WrittenGroup,
    inputs: Sequence[DataFile],
    *,
    modes: Mapping[int, MetricsMode],
    metadata: TableMetadata,
    codec: PartitionCodec,
) -> list[DataFile]:
    """Return the manifest data files of a group's outputs, with bounds that enclose those of its inputs.

    `codec` is that of the outputs' partition spec.

    Raises:
        Fatal: a footer does not belong to its file, to the table's schema or to the output's partition.
    """
    schema = schema_of_outputs(metadata.schema(), group.inputs)
    modes = {**modes, **lineage_modes(metadata)}
    footers = [read_footer(each) for each in group.outputs]
    floats = FloatKnowledge.of(inputs, schema, same_rows=len(group.outputs) == 1 and group.rows_deleted == 0)
    metrics = [column_metrics(footer, schema=schema, modes=modes, floats=floats.seen_in(footer)) for footer in footers]
    enclose(metrics, footers, inputs, schema=schema, modes=modes, same_rows=not group.rows_deleted)
    stays = group.output_spec_id is None
    partitions = [
        inputs[0].partition if stays else check_partition(codec, output, footer)
        for output, footer in zip(group.outputs, footers, strict=True)
    ]
    return [
        _data_file(output, footer, found, spec_id=group.spec_of_outputs, partition=partition, metadata=metadata)
        for output, footer, found, partition in zip(group.outputs, footers, metrics, partitions, strict=True)
    ]


def _data_file(
    output: OutputFile,
    footer: pq.FileMetaData,
    metrics: ColumnMetrics,
    *,
    spec_id: int,
    partition: Record,
    metadata: TableMetadata,
) -> DataFile:
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
        nan_value_counts=metrics.nan_value_counts,
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
    """Return the start offset of each row group, in ascending order."""
    starts = []
    for number in range(footer.num_row_groups):
        first = footer.row_group(number).column(0)
        dictionary = first.dictionary_page_offset
        starts.append(min(first.data_page_offset, dictionary) if dictionary else first.data_page_offset)
    return sorted(starts)
