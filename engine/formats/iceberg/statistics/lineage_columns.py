"""The columns of row lineage in outputs of tables of format version 3, and their statistics.

A table's schema does not have these columns; readers find them by their reserved field ids. Outputs have them where a
row of the inputs has an id: without any, they would hold nulls only.
Source: Apache Iceberg, table specification, "Row Lineage"; `MetricsConfig` of Iceberg 1.12.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.types import LongType, NestedField

from engine.domain.runs.files import InputFile
from engine.formats.iceberg.metadata.row_ids import has_row_ids
from engine.formats.iceberg.statistics.bounds import decoded
from engine.formats.iceberg.statistics.enclosure import HasBounds
from engine.formats.iceberg.statistics.metrics_modes import MetricsMode, mode_of_others
from engine.rewriting.kernel.reading.lineage import ROW_ID, SEQUENCE_NUMBER

NAMES: Final[Mapping[int, str]] = {ROW_ID: "_row_id", SEQUENCE_NUMBER: "_last_updated_sequence_number"}


def schema_of_outputs(schema: Schema, inputs: Iterable[InputFile]) -> Schema:
    """Return the schema of the files that replace `inputs`: the table's, and the columns of row lineage if any has ids.

    A column is named after its field id if the table has a column of its name.
    """
    if all(each.first_row_id is None for each in inputs):
        return schema
    taken = frozenset(each.name for each in schema.fields)
    own = (
        NestedField(number, f"{name}_{number}" if name in taken else name, LongType(), required=False)
        for number, name in NAMES.items()
    )
    return Schema(*schema.fields, *own, schema_id=schema.schema_id)


def lineage_modes(metadata: TableMetadata) -> Mapping[int, MetricsMode]:
    """Return the metrics modes of the columns: of a table without lineage none."""
    if not has_row_ids(metadata):
        return {}
    return {number: mode_of_others(metadata, name) for number, name in NAMES.items()}


def misses_ids(output: HasBounds, *, following: int) -> str | None:
    """Return what is wrong with the ids of rows that each have one, by the statistics of their file; None if nothing.

    Args:
        output: the file's statistics; of a column without them nothing is known.
        following: the id that no row of the table has yet.
    """
    for number, name in NAMES.items():
        if nulls := (output.null_value_counts or {}).get(number):
            return f"{nulls} rows without {name}"
    upper = (output.upper_bounds or {}).get(ROW_ID)
    greatest = None if upper is None else decoded(upper, of=LongType())
    if greatest is not None and greatest >= following:
        return f"the row id {greatest}, and the table's next one is {following}"
    return None
