"""Knowledge of the values of float columns in outputs: seen by the kernel, NaN counts otherwise from the inputs.

Engines take bounds for the least and greatest value of a file whose NaN count is 0 or unknown: they answer MIN and MAX
from them, and drop a whole file on `DELETE WHERE x < 5`. So a float column has bounds only if its NaN count is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow.parquet as pq
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, FloatType

from engine.formats.iceberg.statistics.metrics_modes import primitive_ids
from engine.rewriting.kernel.writing.float_facts import nan_counts_in, plus_zeros_in


@dataclass(frozen=True, slots=True)
class FloatKnowledge:
    """Knowledge of the float columns of an output, by field id.

    Attributes:
        nans: the NaN counts.
        without_bounds: the columns without a NaN count, which must not have bounds.
        plus_zeros: the columns that are known to have the value +0.0.
    """

    nans: Mapping[int, int] = field(default_factory=dict)
    without_bounds: frozenset[int] = frozenset()
    plus_zeros: frozenset[int] = frozenset()

    @staticmethod
    def of(inputs: Sequence[DataFile], schema: Schema, *, same_rows: bool) -> "FloatKnowledge":
        """Return what the inputs' manifests tell; `same_rows`: one output has exactly all inputs' rows."""
        counts: dict[int, int] = {}
        barred: set[int] = set()
        for field_id in primitive_ids(schema):
            if not isinstance(schema.find_type(field_id), FloatType | DoubleType):
                continue
            known = [_known(each, field_id) for each in inputs]
            if None not in known and (same_rows or not any(known)):
                counts[field_id] = sum(count for count in known if count)
            else:
                barred.add(field_id)
        return FloatKnowledge(counts, frozenset(barred))

    def seen_in(self, footer: pq.FileMetaData) -> "FloatKnowledge":
        """Return this knowledge updated with what the kernel wrote into this output's footer."""
        counts = nan_counts_in(footer.metadata)
        return FloatKnowledge(
            {**self.nans, **counts}, self.without_bounds - counts.keys(), plus_zeros_in(footer.metadata)
        )


def _known(file: DataFile, field_id: int) -> int | None:
    """Return the NaN count of an input; 0 for a column of only nulls."""
    nulls, values = (file.null_value_counts or {}).get(field_id), (file.value_counts or {}).get(field_id)
    if nulls is not None and nulls == values:
        return 0
    return (file.nan_value_counts or {}).get(field_id)
