"""The string constants of compiled Java classes: names of properties and of fields that a library knows."""

from collections.abc import Iterator
from typing import Final

_UTF8, _STRING, _START = 1, 8, 10
_SIZES: Final = {
    3: 4,
    4: 4,
    5: 8,
    6: 8,
    7: 2,
    8: 2,
    9: 4,
    10: 4,
    11: 4,
    12: 4,
    15: 3,
    16: 2,
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}
"""Bytes of the entries of a constant pool after their tag (Java SE specification, 4.4), except those of texts."""
_WIDE: Final = (5, 6)
"""Entries that count twice."""


def string_constants(content: bytes) -> set[str]:
    """Return the texts of the entries `CONSTANT_String` of a class file."""
    entries = list(_entries(content))
    texts = {index: body.decode("utf-8", "replace") for index, tag, body in entries if tag == _UTF8}
    return {texts[int.from_bytes(body)] for _, tag, body in entries if tag == _STRING}


def _entries(content: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the index, the tag and the content of each entry of the constant pool."""
    count, at, index = int.from_bytes(content[8:_START]), _START, 1
    while index < count:
        tag = content[at]
        start = at + 1 + 2 * (tag == _UTF8)
        end = start + (int.from_bytes(content[at + 1 : start]) if tag == _UTF8 else _SIZES[tag])
        yield index, tag, content[start:end]
        at, index = end, index + (2 if tag in _WIDE else 1)
