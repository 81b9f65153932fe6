"""Sizes and durations as people write them: `128MiB`, `500MB`, `6h`, `PT6H`; decimal and binary told apart.

Numbers are bytes and seconds. Everything is answered as integers of bytes; durations in the short form.
"""

import re
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

SIZE_UNITS: Final = {
    "B": 1,
    "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
_SIZE: Final = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$")


def parse_bytes(value: object) -> int:
    """Return bytes for an integer or a string such as `128MiB`.

    Raises:
        ValueError: not a number, an unknown unit, or not a whole number of bytes.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        message = f"{value!r} is not a size: write bytes as an integer, or a string such as '128MiB' or '500MB'"
        raise ValueError(message)  # noqa: TRY004 - pydantic turns ValueError into a field problem
    if isinstance(value, int):
        return value
    match = _SIZE.match(value)
    if match is None or (match[2] or "B") not in SIZE_UNITS:
        message = f"{value!r} is not a size: write bytes, or a number with one of {', '.join(SIZE_UNITS)}"
        raise ValueError(message)
    exact = float(match[1]) * SIZE_UNITS[match[2] or "B"]
    if exact != int(exact):
        message = f"{value!r} is {exact} bytes, which is not a whole number"
        raise ValueError(message)
    return int(exact)


def format_bytes(count: float) -> str:
    """Return a size for people, binary, three significant digits: `1.46 GiB`."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < SIZE_UNITS["KiB"]:
            return f"{size:.3g} {unit}" if unit != "B" else f"{int(size)} B"
        size /= SIZE_UNITS["KiB"]
    return f"{size:.3g} TiB"


def _size(value: Any) -> Any:
    return parse_bytes(value)


ByteSize = Annotated[int, BeforeValidator(_size, json_schema_input_type=int | str)]
"""A field that takes bytes as an integer or a written size and holds bytes."""
