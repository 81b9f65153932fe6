"""Verify that the bounds of a group's outputs enclose its rows: readers skip, and delete, files by these bounds.

A bound that does not enclose its rows hides them, and `DELETE WHERE` removes whole files by it, while a full scan shows
no error. Two properties can be verified from metadata before a commit, each by the order of the column's type:

- The bounds of an output enclose the statistics in its own footer.
- If no row was deleted, outputs have the rows of the inputs; then their bounds together enclose those of the inputs. A
  truncated bound of an input (`truncate(4)`) counts as enclosed by the value it was truncated from. If rows were
  deleted, outputs may be narrower; their statistics then come only from Arrow's encoder, not from the inputs' footers.

A bound of an input may be wider than its rows, or wrong: manifests are foreign. That must not fail a run permanently.
Outputs are widened to it where no engine answers from bounds; a side of another type is omitted, as a bound that no row
has would be the answer to MIN or MAX (`bounds.is_answered_from`). Outputs whose footers have no bounds, such as for
text longer than Arrow's statistics, get those of the inputs, which enclose all rows they ever had.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq
import structlog
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import BinaryType, FixedType, IcebergType, StringType, UUIDType

from engine.formats.iceberg.statistics.bounds import bounds_of, decoded, is_answered_from, order_key, upper_bound
from engine.formats.iceberg.statistics.column_metrics import ColumnMetrics, chunks_of, column_range, leaves_of
from engine.formats.iceberg.statistics.metrics_modes import NONE, MetricsMode, unrepeated_ids

_log = structlog.get_logger(__name__)


HasBounds = DataFile | ColumnMetrics
"""A manifest entry's file, or the metrics for one: counts and bounds of its columns by field id."""


@dataclass(frozen=True, slots=True)
class Range:
    """The least and greatest value of a column by the bounds of some files; None for a side without bounds.

    `is_complete`: it contains all rows of the files.
    """

    least: Any | None
    greatest: Any | None
    is_complete: bool

    @staticmethod
    def of(files: Iterable[HasBounds], field_id: int, of: IcebergType) -> "Range":
        """Return the range of a column in files. Bounds that are not valid values of the column are ignored."""
        lowers, uppers, is_complete = [], [], True
        for file in files:
            lower = _decoded(file.lower_bounds, field_id, of)
            upper = _decoded(file.upper_bounds, field_id, of)
            lowers += [] if lower is None else [lower]
            uppers += [] if upper is None else [upper]
            is_complete = is_complete and ((lower is not None and upper is not None) or _has_only_nulls(file, field_id))
        least, greatest = min(lowers, key=order_key, default=None), max(uppers, key=order_key, default=None)
        return Range(least, greatest, is_complete and least is not None and greatest is not None)


def enclose(
    outputs: Sequence[ColumnMetrics],
    footers: Sequence[pq.FileMetaData],
    inputs: Sequence[DataFile],
    *,
    schema: Schema,
    modes: Mapping[int, MetricsMode],
    same_rows: bool,
) -> None:
    """Change the bounds of a group's outputs so that they enclose its rows; see the module docstring.

    Args:
        outputs: their metrics, in the order of `footers`; changed in place.
        footers: the outputs' Parquet footers.
        inputs: the group's files with the statistics in their manifests.
        schema: the table's schema.
        modes: metrics modes: which columns have bounds, and of which length.
        same_rows: whether no row of the inputs was deleted.
    """
    for field_id in unrepeated_ids(schema):
        mode = modes.get(field_id, NONE)
        if not mode.bounds or not outputs:
            continue
        of: Any = schema.find_type(field_id)
        range_of_inputs = Range.of(inputs, field_id, of)
        if not is_answered_from(of):
            _fill(outputs, range_of_inputs, field_id, of, mode)
        if same_rows:
            _widen(outputs, range_of_inputs, field_id, of, mode)
    for field_id, reason in unenclosed(outputs, footers, inputs, schema=schema, same_rows=same_rows):
        _log.warning("column_without_bounds", field_id=field_id, reason=reason)
        for output in outputs:
            output.set_bounds(field_id, (None, None))


def unenclosed(
    outputs: Sequence[HasBounds],
    footers: Sequence[pq.FileMetaData | None],
    inputs: Sequence[HasBounds],
    *,
    schema: Schema,
    same_rows: bool,
) -> Iterator[tuple[int, str]]:
    """Yield field id and reason of each column whose bounds in the outputs are not proven to enclose its rows.

    A footer may be None: then only the bounds of outputs and inputs are compared.
    """
    positions = [
        {} if footer is None else {leaf.field_id: leaf.position for leaf in leaves_of(footer)} for footer in footers
    ]
    for field_id in unrepeated_ids(schema):
        of: Any = schema.find_type(field_id)
        reasons = [
            _outside_footer(output, footer, position.get(field_id), field_id, of)
            for output, footer, position in zip(outputs, footers, positions, strict=True)
        ]
        if same_rows:
            reasons.append(_outside_inputs(outputs, Range.of(inputs, field_id, of), field_id, of))
        reason = next((each for each in reasons if each), None)
        if reason is not None:
            yield field_id, reason


def _fill(outputs: Sequence[ColumnMetrics], inputs: Range, field_id: int, of: IcebergType, mode: MetricsMode) -> None:
    if not inputs.is_complete:
        return
    for output in outputs:
        has_none = field_id not in output.lower_bounds and field_id not in output.upper_bounds
        if has_none and not _has_only_nulls(output, field_id):
            output.set_bounds(field_id, bounds_of(inputs.least, inputs.greatest, of=of, length=mode.length))


def _widen(outputs: Sequence[ColumnMetrics], inputs: Range, field_id: int, of: IcebergType, mode: MetricsMode) -> None:
    """Widen the output with the least values to the inputs' lower bound, that with the greatest to the upper one.

    Of types that engines answer MIN and MAX of from bounds, that side is omitted instead.
    """
    for is_upper, wanted in ((False, inputs.least), (True, inputs.greatest)):
        found = _outermost(outputs, field_id, of, is_upper=is_upper)
        if found is None or wanted is None or _encloses(found[0], wanted, of, is_upper=is_upper):
            continue
        output = found[1]
        assert isinstance(output, ColumnMetrics)  # noqa: S101 - it is one of `outputs`
        if is_answered_from(of):
            (output.upper_bounds if is_upper else output.lower_bounds).pop(field_id)
            continue
        other = _decoded(output.lower_bounds if is_upper else output.upper_bounds, field_id, of)
        if other is None:
            output.set_bounds(field_id, (None, None))
            continue
        least, greatest = (other, wanted) if is_upper else (wanted, other)
        output.set_bounds(field_id, bounds_of(least, greatest, of=of, length=mode.length))


def _outside_footer(
    output: HasBounds, footer: pq.FileMetaData | None, position: int | None, field_id: int, of: IcebergType
) -> str | None:
    if footer is None or position is None:
        return None
    found = column_range(chunks_of(footer, position), of)
    lower, upper = (_decoded(each, field_id, of) for each in (output.lower_bounds, output.upper_bounds))
    if isinstance(of, UUIDType) and lower is not None and upper is not None and (lower[0] ^ upper[0]) & 0x80:
        return "the two orders of uuids disagree between its bounds"
    if found is None:
        return None
    least, greatest = found
    if lower is not None and order_key(lower) > order_key(_zero_of(least, -0.0)):
        return f"a footer has {least!r} below its lower bound {lower!r}"
    if upper is not None and order_key(upper) < order_key(_zero_of(greatest, 0.0)):
        return f"a footer has {greatest!r} above its upper bound {upper!r}"
    return None


def _outside_inputs(outputs: Sequence[HasBounds], inputs: Range, field_id: int, of: IcebergType) -> str | None:
    for is_upper, wanted in ((False, inputs.least), (True, inputs.greatest)):
        found = _outermost(outputs, field_id, of, is_upper=is_upper)
        if found is not None and wanted is not None and not _encloses(found[0], wanted, of, is_upper=is_upper):
            side = "upper" if is_upper else "lower"
            return f"the outputs' {side} bound is {found[0]!r}, the inputs' {wanted!r}"
    return None


def _outermost(
    outputs: Sequence[HasBounds], field_id: int, of: IcebergType, *, is_upper: bool
) -> tuple[Any, HasBounds] | None:
    """Return the outermost bound of the outputs on a side and its output; None if any output has no bound."""
    found: list[tuple[Any, HasBounds]] = []
    for output in outputs:
        if _has_only_nulls(output, field_id):
            continue
        bound = _decoded(output.upper_bounds if is_upper else output.lower_bounds, field_id, of)
        if bound is None:
            return None
        found.append((bound, output))
    if not found:
        return None
    return (max if is_upper else min)(found, key=lambda each: order_key(each[0]))


def _encloses(own: Any, wanted: Any, of: IcebergType, *, is_upper: bool) -> bool:
    """Return whether a bound of an output encloses one of an input, which may be truncated to a shorter length."""
    if order_key(own) >= order_key(wanted) if is_upper else order_key(own) <= order_key(wanted):
        return True
    if not isinstance(of, StringType | BinaryType | FixedType):
        return False
    if not is_upper:
        return bool(own[: len(wanted)] == wanted)
    length = len(wanted.decode()) if isinstance(of, StringType) else len(wanted)
    cut = of if isinstance(of, StringType) else BinaryType()  # Packhouse cut bounds of fixed columns before 1.0
    return bool(upper_bound(own, of=cut, length=length) == wanted)


def _zero_of(value: Any, zero: float) -> Any:
    """Return a footer's bound; a zero stands for both zeros, since writers do not record which of them occurred."""
    return zero if isinstance(value, float) and value == 0 else value


def _decoded(bounds: Mapping[int, bytes] | None, field_id: int, of: IcebergType) -> Any | None:
    bound = (bounds or {}).get(field_id)
    return None if bound is None else decoded(bound, of=of)


def _has_only_nulls(file: HasBounds, field_id: int) -> bool:
    nulls = (file.null_value_counts or {}).get(field_id)
    return nulls is not None and nulls == (file.value_counts or {}).get(field_id)
