"""Files whose row groups are too small, whatever the size of the file: readers pay for each row group.

A file is one of them when the table says how many row groups it has, these are at least `LEAST_ROW_GROUPS`, and their
mean size is below what the policy asks for. That is at most `MOST_SMALL_BYTES`, so that a rewrite, whose row groups
have `WHOLE_BYTES` or are the whole file, leaves an eighth of them. Data that takes hundreds of times more memory than
storage may come out in smaller ones, so the kernel's own outputs, known by their names, are never among them: no file
is rewritten for its row groups twice.
"""

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.output_names import OUTPUT_NAME
from engine.planning.measures.partitions import Flags, PartitionedFiles

WHOLE_BYTES: Final = 64 * 2**20
"""Stored bytes that a row group of the kernel has, unless it is the whole file (`rewriting.kernel.writing.layout`)."""

LEAST_ROW_GROUPS: Final = 8
MOST_SMALL_BYTES: Final = WHOLE_BYTES // LEAST_ROW_GROUPS


def have_small_row_groups(files: PartitionedFiles, small_bytes: int | None) -> Flags:
    """Return, over files, which have row groups below `small_bytes` on average; None: none has."""
    if small_bytes is None:
        return np.zeros(len(files.file_bytes), dtype=np.bool_)
    many = files.is_parquet & (files.row_groups >= LEAST_ROW_GROUPS)
    flags: Flags = many & (files.row_groups * small_bytes > files.file_bytes)
    found = np.flatnonzero(flags)
    if len(found):
        own = pc.match_substring_regex(files.paths.take(pa.array(found)), OUTPUT_NAME)
        flags[found] = ~own.to_numpy()
    return flags


def avoidable_row_groups(row_groups: int, file_bytes: int) -> int:
    """Return how many row groups of a file a rewrite does away with; 0 where it is not known how many it has."""
    return max(0, row_groups - max(1, file_bytes // WHOLE_BYTES))
