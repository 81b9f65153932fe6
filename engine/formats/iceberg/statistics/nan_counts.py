"""NaN counts of outputs: counted by the kernel, otherwise from the inputs' manifests.

Readers may interpret bounds without a NaN count as "no NaN" and drop a whole file on `DELETE WHERE x < 5`. So a float
column of an output has bounds only if its NaN count is known, or if readers already rely on bounds of its inputs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow.parquet as pq
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, FloatType

from engine.formats.iceberg.statistics.metrics_modes import primitive_ids
from engine.rewriting.kernel.writing.nan_counts import counts_in


@dataclass(frozen=True, slots=True)
class NanKnowledge:
    """The NaN counts of an output by field id, and the columns that must not have bounds."""

    counts: Mapping[int, int] = field(default_factory=dict)
    without_bounds: frozenset[int] = frozenset()

    @staticmethod
    def of(inputs: Sequence[DataFile], schema: Schema, *, same_rows: bool) -> "NanKnowledge":
        """Return the NaN counts from the inputs' manifests; `same_rows`: one output has exactly all inputs' rows."""
        counts: dict[int, int] = {}
        barred: set[int] = set()
        for field_id in primitive_ids(schema):
            if not isinstance(schema.find_type(field_id), FloatType | DoubleType):
                continue
            known = [_known(each, field_id) for each in inputs]
            if None not in known and (same_rows or not any(known)):
                counts[field_id] = sum(count for count in known if count)
            elif any(known) or not all(_is_trusted(each, field_id) for each in inputs):
                barred.add(field_id)
        return NanKnowledge(counts, frozenset(barred))

    def counted(self, footer: pq.FileMetaData) -> "NanKnowledge":
        """Return these counts updated with those that the kernel wrote into this output's footer."""
        counts = counts_in(footer.metadata)
        return NanKnowledge({**self.counts, **counts}, self.without_bounds - counts.keys())


def _known(file: DataFile, field_id: int) -> int | None:
    """Return the NaN count of an input; 0 for a column of only nulls."""
    nulls, values = (file.null_value_counts or {}).get(field_id), (file.value_counts or {}).get(field_id)
    if nulls is not None and nulls == values:
        return 0
    return (file.nan_value_counts or {}).get(field_id)


def _is_trusted(file: DataFile, field_id: int) -> bool:
    """Return whether readers already use bounds of this file, so that bounds of the output add no new risk."""
    return _known(file, field_id) == 0 or field_id in (file.lower_bounds or {})
