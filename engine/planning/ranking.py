"""Which tables are worth a rewrite first: what readers would save for each byte that is rewritten.

    benefit per cost = avoidable files x 4 MiB / bytes of the files to be rewritten

A reader pays for a file that it need not open as if it read 4 MiB more: that is `read.split.open-file-cost`, Iceberg's
default (4194304), and Spark's `spark.sql.files.openCostInBytes` (4 MB). Weighing the reduction of files against the
bytes moved is how AutoComp ranks (Gruenheid et al., "AutoComp", SIGMOD 2025). A value of 1 means that
one scan of the whole table wins back what the rewrite reads.
"""

from typing import Final

OPEN_COST_BYTES: Final = 4 * 2**20


def benefit_per_cost(*, avoidable_files: int, rewritten_bytes: int) -> float:
    """Return read cost saved (bytes) by one scan for each byte rewritten; 0 when there is nothing to win.

    `rewritten_bytes`: the small files of those partitions that have avoidable ones. Empty files cost one byte.
    """
    return avoidable_files * OPEN_COST_BYTES / max(1, rewritten_bytes)
