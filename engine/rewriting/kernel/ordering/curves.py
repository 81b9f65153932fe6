"""Space-filling curves as one 64-bit key per row: rows near each other on the curve are near in every column.

Both use cells: integers of `bits` bits, one array per column. Rows are processed in blocks that fit the processor's
cache. Sources: the Z-order curve interleaves bits; the Hilbert curve is J. Skilling, "Programming the Hilbert curve",
AIP Conf. Proc. 707 (2004), adapted to operations on arrays.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.uint16]
Keys = npt.NDArray[np.uint64]

MOST_BITS: Final = 16
"""The most bits of one column: 65,536 cells, more than a group has files."""

_KEY_BITS: Final = 64
_BLOCK_ROWS: Final = 1 << 14
_BYTE: Final = 8


def bits_for(columns: int) -> int:
    """Return the bits per column for this number of columns (1 to 16), so that all fit one key."""
    return min(MOST_BITS, _KEY_BITS // columns)


def zorder_keys(columns: Sequence[Cells], bits: int) -> Keys:
    """Return the position of each row on the Z-order curve; the first column's bits are most significant."""
    return _by_blocks(columns, lambda block: _interleaved(block, bits))


def hilbert_keys(columns: Sequence[Cells], bits: int) -> Keys:
    """Return the position of each row on the Hilbert curve."""
    return _by_blocks(columns, lambda block: _interleaved(_transposed(block, bits), bits))


def _by_blocks(columns: Sequence[Cells], key: Callable[[list[Cells]], Keys]) -> Keys:
    rows = len(columns[0])
    keys = np.empty(rows, dtype=np.uint64)
    for start in range(0, rows, _BLOCK_ROWS):
        keys[start : start + _BLOCK_ROWS] = key([column[start : start + _BLOCK_ROWS] for column in columns])
    return keys


def _interleaved(columns: Sequence[Cells], bits: int) -> Keys:
    """Return the interleaved bits of all columns, highest first, with a lookup table by byte."""
    count = len(columns)
    spread = np.zeros(1 << _BYTE, dtype=np.uint64)
    for bit in range(min(_BYTE, bits)):
        spread |= ((np.arange(1 << _BYTE, dtype=np.uint64) >> np.uint64(bit)) & np.uint64(1)) << np.uint64(bit * count)
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for place, column in enumerate(columns):
        wide = spread[column & 0xFF]
        if bits > _BYTE:
            wide |= spread[column >> np.uint16(_BYTE)] << np.uint64(_BYTE * count)
        keys |= wide << np.uint64(count - 1 - place)
    return keys


def _transposed(columns: Sequence[Cells], bits: int) -> list[Cells]:
    """Return the Hilbert index of each row, its bits distributed over the columns (Skilling's `AxestoTranspose`)."""
    axes = [column.copy() for column in columns]
    for bit in range(bits - 1, 0, -1):
        low = np.uint16((1 << bit) - 1)
        for axis in axes:
            # where the bit is set, invert the low bits of the first axis; elsewhere exchange those of both axes
            is_set = (axis >> np.uint16(bit)) & np.uint16(1)
            turned = (np.uint16(0) - is_set) & low
            swapped = (axes[0] ^ axis) & low & ~turned
            np.bitwise_xor(axis, swapped, out=axis)
            axes[0] ^= swapped | turned
    for before, axis in pairwise(axes):
        np.bitwise_xor(axis, before, out=axis)
    gray = np.zeros_like(axes[0])
    for bit in range(bits - 1, 0, -1):
        gray ^= (np.uint16(0) - ((axes[-1] >> np.uint16(bit)) & np.uint16(1))) & np.uint16((1 << bit) - 1)
    for axis in axes:
        np.bitwise_xor(axis, gray, out=axis)
    return axes
