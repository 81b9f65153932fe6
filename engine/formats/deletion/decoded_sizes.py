"""Limit the memory that a stored Parquet file takes once it is decoded. The file is untrusted.

The sizes in its footer are those of encoded values: a path that is stored once, for thousands of rows, is decoded to a
copy for each. So rows are decoded in small batches, which are counted and dropped.

Memory: 64 rows.
"""

from collections.abc import Sequence
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.formats.intake.limits import Malformed

_ROWS_AT_ONCE: Final = 64


def check_decoded(stored: pq.ParquetFile, row_groups: Sequence[int], limit: int) -> None:
    """Raise `Malformed` if row groups can't be decoded, or take more than `limit` bytes in memory once they are."""
    size = 0
    try:
        for batch in stored.iter_batches(_ROWS_AT_ONCE, row_groups=list(row_groups), use_threads=False):
            size += batch.nbytes
            if size > limit:
                break
    except (OSError, ValueError, pa.ArrowException) as error:
        raise Malformed("its rows can't be decoded") from error
    if size > limit:
        raise Malformed(f"its rows take more than {limit // 2**20} MiB when they are decoded")
