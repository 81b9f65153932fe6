"""Files with too small row groups, regardless of the file size: readers have a cost for each row group.

A file has too small row groups when the table records their number, there are at least `LEAST_ROW_GROUPS`, and their
mean size is below the policy's bound. This bound is at most `MOST_SMALL_BYTES`, so that a rewrite, whose row groups
have `WHOLE_BYTES` or are the whole file, leaves an eighth of them. Data that needs hundreds of times more memory than
storage may result in smaller ones, so the kernel's own outputs, recognised by their names, are excluded: no file is
rewritten for its row groups twice.
"""

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.output_names import OUTPUT_NAME
from engine.planning.measures.partitions import Flags, PartitionedFiles

WHOLE_BYTES: Final = 64 * 2**20
"""Stored bytes of a row group of the kernel, unless it is the whole file (`rewriting.kernel.writing.layout`)."""

LEAST_ROW_GROUPS: Final = 8
MOST_SMALL_BYTES: Final = WHOLE_BYTES // LEAST_ROW_GROUPS


def have_small_row_groups(files: PartitionedFiles, small_bytes: int | None) -> Flags:
    """Return flags of files whose row groups are below `small_bytes` on average; None: no file is flagged."""
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
    """Return the number of row groups that a rewrite of a file removes; 0 if the file's number is unknown."""
    return max(0, row_groups - max(1, file_bytes // WHOLE_BYTES))
