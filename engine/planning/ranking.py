"""Ranking of tables and file groups for rewrites by readers' savings per rewritten byte.

    benefit per cost = avoidable files x 4 MiB / bytes of the files to be rewritten x chance of commit

An unnecessary file costs a reader as much as reading 4 MiB more: that is `read.split.open-file-cost`, Iceberg's
default (4194304), and Spark's `spark.sql.files.openCostInBytes` (4 MB). AutoComp ranks by the same ratio of file
reduction to bytes moved (Gruenheid et al., "AutoComp", SIGMOD 2025). A value of 1 means that one scan of the whole
table saves as much as the rewrite reads. Groups that lose to another writer save nothing: the chance is that of the
file groups that the table's runs recently tried to commit.

For a single group its files and its deletes are known: a reader also opens every delete file of a data file. An
unnecessary row group costs a quarter of a file: one request of about four (look-up, two for the footer, rows).
"""

from collections.abc import Sequence
from typing import Final

from engine.domain.runs.plans import FileGroup
from engine.planning.measures.row_groups import avoidable_row_groups

OPEN_COST_BYTES: Final = 4 * 2**20
ROW_GROUP_COST_BYTES: Final = OPEN_COST_BYTES // 4


def benefit_per_cost(*, avoidable_files: int, rewritten_bytes: int) -> float:
    """Return the read cost (bytes) that one scan saves per byte rewritten; 0 without avoidable files.

    `rewritten_bytes`: bytes of the small files in partitions with avoidable ones. Empty files count as one byte.
    """
    return avoidable_files * OPEN_COST_BYTES / max(1, rewritten_bytes)


def chance_of_commit(*, committed: int, lost: int) -> float:
    """Return the chance that a file group of a table is committed, from the groups committed and lost by its last runs.

    One additional commit is assumed, so that the chance is 1 without a history and never 0.
    """
    return (committed + 1) / (committed + lost + 1)


def saved_by(group: FileGroup) -> int:
    """Return the read cost (bytes) that each scan saves after the rewrite of a group; additional files count as 0."""
    deletes = sum(len(file.deletes) for file in group.inputs)
    row_groups = sum(avoidable_row_groups(file.row_groups, file.file_bytes) for file in group.inputs)
    opened = max(0, len(group.inputs) - group.predicted_outputs + deletes)
    return OPEN_COST_BYTES * opened + ROW_GROUP_COST_BYTES * row_groups


def most_worth(groups: Sequence[FileGroup], room: int) -> list[FileGroup]:
    """Return the groups to rewrite with at most `room` bytes of inputs, in the given order.

    Groups that save most per byte are selected first, unless a single group saves more than all of these: so readers
    save at least half of the optimum (the bound of greedy filling for the knapsack problem). The remaining room is
    filled with any groups that fit. Equal groups are selected by their ordinals.
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
