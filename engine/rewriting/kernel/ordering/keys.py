"""Sort keys of a group's rows: one unsigned 64-bit key per row, and the permutation that sorts by it.

Values become integers that compare as the table format orders them: text and binary by unsigned bytes, -0.0 before 0.0,
all NaN equal and above infinity, nulls first or last as requested. `sort` packs the columns' numbers into one key, as
ranks where the numbers themselves are too wide. `zorder` and `hilbert` use ranks of rows: each column is divided into
cells of about equally many rows, nulls in the lowest, so that skew and units of a column do not matter.

The sort is stable, and is a merge where the inputs are sorted already.

Keys of a `sort` are comparable within one call only. Those of a curve depend on the rows of the call too, unless a
sample is given: then they use ranks in the sample, which makes them comparable over any number of calls.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.rewriting.kernel.contract import RowOrder, SortColumn
from engine.rewriting.kernel.errors import UNSORTABLE_COLUMN, Refused
from engine.rewriting.kernel.ordering.curves import Cells, bits_for, hilbert_keys, zorder_keys
from engine.rewriting.kernel.parquet.int96 import int96_microseconds

Keys = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.int64]

_WORD: Final = 1 << 64
_FEW: Final = 1 << 20
"""Entries of the table in which numbers are counted instead of being sorted."""

_FINE: Final = 256
"""An entry of the table may count at most 1/256 of the rows; otherwise the column is ranked exactly."""

_NAN_BITS: Final = np.int64(0x7FF8000000000000)
_EXACT_DIGITS: Final = 18
"""The most digits of a decimal that fits 64 bits."""


class Numbers(NamedTuple):
    """A column as integers from 0 to `most`, one per row, in the column's order."""

    values: Keys
    most: int


def _go_on() -> None:
    """Never stop."""


def order_of(columns: Sequence[pa.ChunkedArray], order: RowOrder, *, check: Callable[[], None] = _go_on) -> Positions:
    """Return the positions of the rows in the requested order; the sort is stable. Arguments as in `keys_of`."""
    if not len(columns[0]):
        return np.empty(0, dtype=np.int64)
    return _sorted_positions(keys_of(columns, order, check=check))


def keys_of(
    columns: Sequence[pa.ChunkedArray],
    order: RowOrder,
    *,
    sample: Sequence[pa.ChunkedArray] = (),
    check: Callable[[], None] = _go_on,
) -> Numbers:
    """Return numbers that compare as the rows do in the requested order.

    Args:
        columns: the columns of `order.columns`, of equal length, at least one row; all passed `check_type`.
        order: the strategy, and each column's direction and place of nulls.
        sample: the same columns of some rows, which define ranks on a curve; of the columns' types.
        check: called between columns, seconds apart in a large group; may raise to stop.
    """
    if order.strategy == "sort":
        return _packed(_each(columns, order, check))
    sampled = len(sample[0]) if sample else 0
    ranked = joined(columns, sample) if sampled else columns
    return _on_curve(_each(ranked, order, check), len(columns), order.strategy, sampled)


def joined(columns: Sequence[pa.ChunkedArray], more: Sequence[pa.ChunkedArray]) -> list[pa.ChunkedArray]:
    """Return columns with more rows appended."""
    pairs = zip(columns, more, strict=True)
    return [pa.chunked_array([*column.chunks, *rest.chunks], type=column.type) for column, rest in pairs]


def check_type(field: pa.Field) -> None:
    """Raise `Refused` when a column of the target schema has no order: lists, maps and structs have none."""
    of = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type
    by_value = pt.is_floating(of) or pt.is_decimal(of) or pt.is_boolean(of) or pt.is_signed_integer(of)
    if not (by_value or pt.is_temporal(of) or _has_rank_only(of)):
        raise Refused(UNSORTABLE_COLUMN, f"column {field.name!r} is {field.type}")


def _sorted_positions(numbers: Numbers) -> Positions:
    """Return the sorting permutation; a key with room for the row's number is sorted with it, several times as fast."""
    rows = len(numbers.values)
    shift = max(1, (rows - 1).bit_length())
    if (numbers.values[1:] >= numbers.values[:-1]).all():
        return np.arange(rows, dtype=np.int64)
    if numbers.most.bit_length() + shift > _WORD.bit_length() - 1:
        return np.argsort(numbers.values, kind="stable").astype(np.int64, copy=False)
    both = (numbers.values << np.uint64(shift)) | np.arange(rows, dtype=np.uint64)
    both.sort()
    return (both & np.uint64((1 << shift) - 1)).astype(np.int64)


def _each(columns: Sequence[pa.ChunkedArray], order: RowOrder, check: Callable[[], None]) -> Iterator[Numbers]:
    """Yield the columns as numbers, lazily, so that not all are in memory."""
    for column, how in zip(columns, order.columns, strict=True):
        check()
        yield _numbers(column, how)


def _packed(columns: Iterator[Numbers]) -> Numbers:
    """Return one number per row that compares like the columns lexicographically."""
    key = next(columns)
    for column in columns:
        left, right = key, column
        if (left.most + 1) * (right.most + 1) > _WORD:
            left, right = _ranked(left), _ranked(right)
        # next to a column of one value the other may use the whole word: nothing is multiplied then
        values = left.values * np.uint64(right.most + 1) + right.values if left.most else right.values
        key = Numbers(values, left.most * (right.most + 1) + right.most)
    return key


def _on_curve(columns: Iterator[Numbers], count: int, strategy: str, sampled: int) -> Numbers:
    """Return positions on the curve; the last `sampled` rows of the columns are the sample, and get none."""
    bits = bits_for(count)
    cells = [_cells_in_sample(column, bits, sampled) if sampled else _cells(column, bits) for column in columns]
    keys = hilbert_keys(cells, bits) if strategy == "hilbert" else zorder_keys(cells, bits)
    return Numbers(keys, (1 << (bits * count)) - 1)


def _cells(column: Numbers, bits: int) -> Cells:
    """Return the cell (of 2^bits) of each row, by the number of rows of the column below it."""
    rows = len(column.values)
    shift = max(0, column.most.bit_length() - (_FEW.bit_length() - 1))
    places = (column.values >> np.uint64(shift)).astype(np.int64)
    counts = np.bincount(places)
    if shift and int(counts.max()) * _FINE > rows:
        ranks = _ranked(column)
        places = ranks.values.astype(np.int64)
        counts = np.bincount(places)
    below = np.cumsum(counts) - counts
    cells: Cells = (below * (1 << bits) // rows).astype(np.uint16)[places]
    return cells


def _cells_in_sample(column: Numbers, bits: int, sampled: int) -> Cells:
    """Return the cell (of 2^bits) of each row except the sample's, by the number of sampled rows below it."""
    rows = len(column.values) - sampled
    below = np.searchsorted(np.sort(column.values[rows:]), column.values[:rows])
    cells: Cells = (below * (1 << bits) // (sampled + 1)).astype(np.uint16)
    return cells


def _ranked(column: Numbers) -> Numbers:
    """Return the dense ranks of the numbers."""
    positions = np.argsort(column.values, kind="stable")
    ordered = column.values[positions]
    is_next = np.empty(len(ordered), dtype=np.uint64)
    is_next[0] = 0
    is_next[1:] = ordered[1:] != ordered[:-1]
    ranks = np.cumsum(is_next, dtype=np.uint64)
    values = np.empty_like(ranks)
    values[positions] = ranks
    return Numbers(values, int(ranks[-1]))


def _numbers(column: pa.ChunkedArray, how: SortColumn) -> Numbers:
    """Return a column as numbers, inverted if descending, with nulls below or above all values."""
    whole = _one_array(column)
    values, valid = _values(int96_microseconds(whole) if how.is_int96 else whole)
    if valid is not None and not valid.any():
        return Numbers(np.zeros(len(values), dtype=np.uint64), 0)
    present = values if valid is None else values[valid]
    low = present.min() if len(present) else np.uint64(0)
    found = Numbers(values - low, int(present.max() - low) if len(present) else 0)
    if valid is None:
        return Numbers(np.uint64(found.most) - found.values, found.most) if how.descending else found
    if found.most == _WORD - 1:  # no number is left for nulls
        found = _ranked(Numbers(np.where(valid, found.values, np.uint64(0)), found.most))
    numbers = np.uint64(found.most) - found.values if how.descending else found.values
    at_null, shift = (0, 1) if how.nulls_first else (found.most + 1, 0)
    return Numbers(np.where(valid, numbers + np.uint64(shift), np.uint64(at_null)), found.most + 1)


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], type=column.type.storage_type)
    if pt.is_dictionary(column.type):
        column = column.unify_dictionaries()
    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def _values(column: pa.Array) -> tuple[Keys, npt.NDArray[np.bool_] | None]:
    """Return numbers, undefined where the column is null, and the mask of non-null rows (None: no nulls)."""
    valid = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None
    if pt.is_dictionary(column.type):
        ranks = _by_rank(column.dictionary)
        codes = pc.fill_null(column.indices, 0).to_numpy(zero_copy_only=False)
        return (ranks[codes] if len(ranks) else np.zeros(len(column), dtype=np.uint64)), valid
    if _has_rank_only(column.type):
        return _by_rank(column), valid
    return _by_value(column), valid


def _has_rank_only(of: pa.DataType) -> bool:
    if pt.is_decimal(of):
        return bool(of.precision > _EXACT_DIGITS)
    texts = (pt.is_string, pt.is_large_string, pt.is_binary, pt.is_large_binary, pt.is_fixed_size_binary)
    return any(kind(of) for kind in texts)


def _by_rank(column: pa.Array) -> Keys:
    ranks: Keys = pc.rank(column, tiebreaker="dense").to_numpy(zero_copy_only=False).astype(np.uint64)
    return ranks


def _by_value(column: pa.Array) -> Keys:
    of = column.type
    if pt.is_floating(of):
        return _of_floats(pc.fill_null(column, 0.0).cast(pa.float64()).to_numpy())
    if pt.is_decimal(of):
        return _signed(_low_words(column))
    if pt.is_boolean(of):
        return pc.fill_null(column, False).cast(pa.uint8()).to_numpy().astype(np.uint64)  # type: ignore[no-any-return]
    narrow, wide = pa.int32(), pa.int64()
    plain = column.view(narrow if of.bit_width == narrow.bit_width else wide) if pt.is_temporal(of) else column
    return _signed(pc.fill_null(plain, 0).cast(wide).to_numpy())


def _low_words(column: pa.Array) -> npt.NDArray[np.int64]:
    """Return the unscaled values of decimals of at most 18 digits."""
    words = column.type.bit_width // 64
    stored = np.frombuffer(column.buffers()[1], dtype=np.int64)
    return stored[column.offset * words : (column.offset + len(column)) * words : words]


def _signed(values: npt.NDArray[np.int64]) -> Keys:
    return values.view(np.uint64) ^ np.uint64(1 << 63) if values.flags.c_contiguous else _signed(values.copy())


def _of_floats(values: npt.NDArray[np.float64]) -> Keys:
    """Return numbers that compare like floats in Java: -0.0 below 0.0, all NaN equal and above all others."""
    bits = np.where(np.isnan(values), _NAN_BITS, values.view(np.int64))
    turned = bits ^ ((bits >> np.int64(63)) & np.int64(0x7FFFFFFFFFFFFFFF))
    return _signed(turned)
