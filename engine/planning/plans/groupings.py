"""Ways in which engines divide a plan into file groups: a closed union, whose matches end in `assert_never`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias


class FullScope(StrEnum):
    """The files that a full rewrite selects, where their sizes decide; `every_file` of a request selects all."""

    EVERY_FILE = "every_file"
    """All files of a partition."""

    UNSIZED = "unsized"
    """Small files, and those with deletes: an append table of Paimon. Files of the right size stay as they are."""

    FROM_FIRST_UNSIZED = "from_first_unsized"
    """All files from the first one in the order of arrival that is small or has deletes: with deletion vectors."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Groups of candidates, packed up to `rewrite.max_group_bytes`."""

    full_scope: FullScope = FullScope.EVERY_FILE


@dataclass(frozen=True, slots=True)
class ArrivalWindows:
    """Windows of neighbours in the order of arrival, whatever the strategy, since readers rely on the order."""

    full_scope: FullScope = FullScope.EVERY_FILE


@dataclass(frozen=True, slots=True)
class WholePartitions:
    """All files of a partition, candidates or not, because the outputs take the place of the whole partition."""


@dataclass(frozen=True, slots=True)
class WholeUnits:
    """All candidates of a merge unit, regardless of `rewrite.max_group_bytes`: the engine makes its own groups."""


@dataclass(frozen=True, slots=True)
class MergedRuns:
    """All candidates of a bucket, whose sorted runs are merged: their number decides, not the sizes of files.

    `lifts_level0`: a file of level 0 is worth a compaction on its own, since readers or changelogs lack it until then.
    `last_level`: the level of a bucket that a full compaction writes; None: it is not known.
    """

    lifts_level0: bool = False
    last_level: int | None = None
    full_scope: FullScope = FullScope.EVERY_FILE


Grouping: TypeAlias = Packed | ArrivalWindows | WholePartitions | WholeUnits | MergedRuns

PACKED: Final = Packed()
"""Groups of the kernel unless a format needs others."""
