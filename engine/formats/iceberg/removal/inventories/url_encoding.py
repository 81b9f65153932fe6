"""Decode URL-encoded names in columns, as inventories of S3 in CSV have them: `+` is a space, `%XX` a byte of UTF-8."""

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.limits import Malformed

_PERCENT: Final = ord("%")
_WRONG: Final = r"%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)"
_DIGITS: Final = np.zeros(256, np.uint8)
for _digit in b"0123456789ABCDEFabcdef":
    _DIGITS[_digit] = int(chr(_digit), 16)


def url_decoded(names: pa.Array) -> pa.Array:
    """Return decoded names, of the type string.

    Raises:
        Malformed: a name is not URL-encoded, or encodes bytes that are not UTF-8.
    """
    names = pc.replace_substring(names.cast(pa.string()), "+", " ")
    if not pc.any(pc.match_substring(names, "%")).as_py():
        return names
    if pc.any(pc.match_substring_regex(names, _WRONG)).as_py():
        raise Malformed("it has a key that is not URL-encoded, as those of inventories in CSV are")
    names = pa.concat_arrays([names])  # begins at its buffers' first byte, if it was cut out of others
    valid, ends, data = names.buffers()
    offsets: npt.NDArray[np.int32] = np.frombuffer(ends, np.int32)[names.offset : names.offset + len(names) + 1]
    text: npt.NDArray[np.uint8] = np.frombuffer(data, np.uint8)[: offsets[-1]].copy()
    at = np.flatnonzero(text == _PERCENT)
    at = at[at >= offsets[0]]
    text[at] = _DIGITS[text[at + 1]] << 4 | _DIGITS[text[at + 2]]
    is_kept = np.ones(len(text), np.bool_)
    is_kept[at + 1] = is_kept[at + 2] = False
    before = np.concatenate([[0], np.cumsum(is_kept)]).astype(np.int32)
    buffers = [valid, pa.py_buffer(before[offsets]), pa.py_buffer(text[is_kept])]
    try:
        decoded = pa.Array.from_buffers(pa.string(), len(names), buffers, offset=0)
        decoded.validate(full=True)
    except pa.ArrowInvalid as error:
        raise Malformed("it has a key whose URL-encoded bytes are not UTF-8") from error
    return decoded
