"""Data files as a plan names them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class DeleteRef:
    """A position-delete file that applies to an input, or a deletion vector inside of a Puffin file.

    `offset`, `length`: where in the file the deletion vector begins, and its bytes; None for a position-delete file.
    `rows`: the number of rows that the table's metadata says it deletes; None where this is not exact.
    """

    path: str
    file_bytes: int
    offset: int | None = None
    length: int | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class InputFile:
    """A live data file to be rewritten; `path` is the original string of the manifest.

    `row_groups`: number of row groups of a Parquet file, 0 where the table does not record it. `first_row_id`: the row
    id of its first row; None where the table has no row ids.
    """

    path: str
    file_bytes: int
    record_count: int
    sequence_number: int
    deletes: tuple[DeleteRef, ...] = ()
    row_groups: int = 0
    first_row_id: int | None = None


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file that a task wrote.

    `footer` is its Parquet footer (thrift bytes with length and magic), base 64; empty once no commit needs it.
    `partition`: the values of its partition, as the task returned them, if its group moves to another partition spec.
    """

    path: str
    file_bytes: int
    record_count: int
    footer: str
    partition: tuple[Any, ...] | None = None
