"""How engines divide a plan into file groups."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class FullScope(StrEnum):
    """The files that a full rewrite selects, where their sizes decide; `every_file` of a request selects all."""

    EVERY_FILE = "every_file"
    """All files of a partition."""

    UNSIZED = "unsized"
    """Small files, and those with deletes: an append table of Paimon. Files of the right size stay as they are."""

    FROM_FIRST_UNSIZED = "from_first_unsized"
    """All files from the first one in the order of arrival that is small or has deletes: with deletion vectors."""


@dataclass(frozen=True, slots=True)
class GroupForm:
    """The form of an engine's file groups.

    `is_native`: it is the table format's own engine, with run times of its own. `is_whole`: a group has all candidates
    of its merge unit, regardless of `rewrite.max_group_bytes`. `is_in_turn`: the groups of a run are rewritten one
    after the other. `merges_runs`: the engine merges the sorted runs of a bucket, so that their number decides about a
    bucket, not the sizes of files. `lifts_new`: a file of level 0 is worth a compaction on its own, since readers or
    changelogs lack it until then. `keeps_arrival`: groups are windows of neighbours in the order of arrival, whatever
    the strategy, since readers rely on the order. `takes_partitions`: a group has all files of its partition,
    candidates or not, because its outputs take the place of the whole partition. `full_scope`: the files of a full
    rewrite. `last_level`: with `merges_runs`, the level of a bucket that a full compaction writes.
    """

    is_native: bool = False
    is_whole: bool = False
    is_in_turn: bool = False
    merges_runs: bool = False
    lifts_new: bool = False
    keeps_arrival: bool = False
    takes_partitions: bool = False
    full_scope: FullScope = FullScope.EVERY_FILE
    last_level: int | None = None


PACKED: Final = GroupForm()
"""Groups of the kernel: packed up to the policy's size, many at a time."""
