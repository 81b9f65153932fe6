"""Errors that Arrow raises while it reads a file, as errors of the kernel with the file's name."""

from typing import Final

import pyarrow as pa

from engine.rewriting.kernel.errors import ENCRYPTED_FILE, UNREADABLE_LAYOUT, InputFault, Refused

_LACKING: Final = (
    "Not yet implemented",
    "currently not supported by the C++ implementation",
    "is out of range for nanosecond",
    "LogicalType that is not recognized",
    "Logical type Undefined",
)
"""Texts of Arrow's errors for what it does not support, such as LZO and new logical types in Parquet (for an old
Arrow: variants), and in ORC times before 1677 or after 2262; their class is that of errors for damage."""


class reading:  # noqa: N801 - used as a statement: `with reading(uri):`
    """Context manager that adds the file's name to errors that Arrow raises while reading."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        """Enter the context."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Turn Arrow's errors into kernel errors."""
        if not isinstance(error, pa.ArrowException | OSError | ValueError):
            return
        text = f"{self._where}: {error}"
        if "encrypt" in str(error).lower() or "decrypt" in str(error).lower():
            raise Refused(ENCRYPTED_FILE, text) from error
        if isinstance(error, pa.ArrowNotImplementedError) or any(words in str(error) for words in _LACKING):
            raise Refused(UNREADABLE_LAYOUT, text) from error
        raise InputFault(text) from error
