"""Which tables, and which file groups, are worth a rewrite first: what readers save for each byte that is rewritten.

    benefit per cost = avoidable files x 4 MiB / bytes of the files to be rewritten x chance of commit

A reader pays for a file that it need not open as if it read 4 MiB more: that is `read.split.open-file-cost`, Iceberg's
default (4194304), and Spark's `spark.sql.files.openCostInBytes` (4 MB). Weighing the reduction of files against the
bytes moved is how AutoComp ranks (Gruenheid et al., "AutoComp", SIGMOD 2025). A value of 1 means that
one scan of the whole table wins back what the rewrite reads. What is lost to another writer saves nothing: the chance
is that of the file groups that the table's runs tried to commit lately.

Of a single group its files and its deletes are known: a reader opens every delete file of a data file beside it. A row
group more than there need be costs a quarter of a file: one request of about four (look-up, two for the footer, rows).
"""

from collections.abc import Sequence
from typing import Final

from engine.domain.runs.plans import FileGroup
from engine.planning.measures.row_groups import avoidable_row_groups

OPEN_COST_BYTES: Final = 4 * 2**20
ROW_GROUP_COST_BYTES: Final = OPEN_COST_BYTES // 4


def benefit_per_cost(*, avoidable_files: int, rewritten_bytes: int) -> float:
    """Return read cost saved (bytes) by one scan for each byte rewritten; 0 when there is nothing to win.

    `rewritten_bytes`: the small files of those partitions that have avoidable ones. Empty files cost one byte.
    """
    return avoidable_files * OPEN_COST_BYTES / max(1, rewritten_bytes)


def chance_of_commit(*, committed: int, lost: int) -> float:
    """Return the chance that a file group of a table is committed, by what its last runs committed and lost.

    One commit more is taken for granted, so that it is 1 without a history and never 0.
    """
    return (committed + 1) / (committed + lost + 1)


def saved_by(group: FileGroup) -> int:
    """Return read cost (bytes) that each scan saves once a group is rewritten; 0 where it is split into more files."""
    deletes = sum(len(file.deletes) for file in group.inputs)
    row_groups = sum(avoidable_row_groups(file.row_groups, file.file_bytes) for file in group.inputs)
    opened = max(0, len(group.inputs) - group.predicted_outputs + deletes)
    return OPEN_COST_BYTES * opened + ROW_GROUP_COST_BYTES * row_groups


def most_worth(groups: Sequence[FileGroup], room: int) -> list[FileGroup]:
    """Return the groups to rewrite with so many bytes of inputs, in the order in which they were given.

    Those that save most for each byte are taken first, unless one alone saves more than all of these: so readers are
    saved at least half of what the best choice would save them (the bound of greedy filling for the knapsack problem).
    What is left is filled up with whatever fits. Equal groups are taken by their ordinals.
    """
    fitting = sorted((group for group in groups if group.input_bytes <= room), key=_dearest_last)
    taken = _filled(fitting, room)
    best = max(fitting, key=lambda group: (saved_by(group), -group.ordinal), default=None)
    if best is not None and saved_by(best) > sum(map(saved_by, taken)):
        taken = [best, *_filled([group for group in fitting if group is not best], room - best.input_bytes)]
    ordinals = {group.ordinal for group in taken}
    return [group for group in groups if group.ordinal in ordinals]


def _filled(groups: Sequence[FileGroup], room: int) -> list[FileGroup]:
    taken = []
    for group in groups:
        if group.input_bytes <= room:
            room -= group.input_bytes
            taken.append(group)
    return taken


def _dearest_last(group: FileGroup) -> tuple[float, int]:
    return -saved_by(group) / max(1, group.input_bytes), group.ordinal
