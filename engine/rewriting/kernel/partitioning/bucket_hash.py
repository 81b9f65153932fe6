"""The 32-bit hash of Iceberg's `bucket` transform: Murmur3, x86 variant, seed 0, for many values at a time.

Source: Apache Iceberg, table specification, appendix B "32-bit Hash Requirements". One step of the loop handles the
same four bytes of all values, so there is no Python object per value.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]

_C1: Final = np.uint32(0xCC9E2D51)
_C2: Final = np.uint32(0x1B873593)


def hash_longs(values: npt.NDArray[np.int64]) -> Words:
    """Return the hashes of numbers as eight bytes each, least significant byte first."""
    words = values.astype("<i8").view("<u4").reshape(-1, 2).astype(np.uint32)
    state = np.zeros(len(values), np.uint32)
    for at in range(2):
        state = _mixed(state, words[:, at])
    return _finished(state, np.full(len(values), 8, np.uint32))


def hash_bytes(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> Words:
    """Return the hash of each of `len(offsets) - 1` byte strings; string i is `data[offsets[i]:offsets[i + 1]]`."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    blocks = lengths // 4
    state = np.zeros(len(lengths), np.uint32)
    rows = np.arange(len(lengths))
    for block in range(int(blocks.max(initial=0))):
        rows = rows[blocks[rows] > block]
        at = starts[rows] + 4 * block
        state[rows] = _mixed(state[rows], _word(data, at, 4))
    for rest in range(1, 4):
        rows = np.flatnonzero(lengths % 4 == rest)
        at = starts[rows] + 4 * blocks[rows]
        state[rows] ^= _scrambled(_word(data, at, rest))
    return _finished(state, lengths.astype(np.uint32))


def _word(data: npt.NDArray[np.uint8], at: npt.NDArray[np.int64], count: int) -> Words:
    """Return the number in `count` bytes from each position, least significant byte first."""
    word = np.zeros(len(at), np.uint32)
    for place in range(count):
        word |= data[at + place].astype(np.uint32) << np.uint32(8 * place)
    return word


def _scrambled(word: Words) -> Words:
    word = word * _C1
    return _rotated(word, 15) * _C2


def _mixed(state: Words, word: Words) -> Words:
    return _rotated(state ^ _scrambled(word), 13) * np.uint32(5) + np.uint32(0xE6546B64)


def _rotated(word: Words, by: int) -> Words:
    return (word << np.uint32(by)) | (word >> np.uint32(32 - by))


def _finished(state: Words, lengths: Words) -> Words:
    state = state ^ lengths
    state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return state ^ (state >> np.uint32(16))
