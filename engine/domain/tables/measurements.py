"""The stored health of a table at one moment: one measurement for each snapshot that was examined."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.domain.ids import TableId


@dataclass(frozen=True, slots=True)
class Measurement:
    """The measurement of one snapshot (None: the table has none yet).

    `benefit_per_cost`: see `planning.ranking`. `small_file_change`: small files now minus those of the previous
    measurement, so that sums over a time give the numbers added and removed. `document`: the measured health as JSON;
    the newest measurement contains the worst partitions, older ones do not. `history_bytes`: upper bound of the bytes
    of files that only old snapshots need; None: measured by an earlier version. `id` is 0 until it is stored.
    """

    table_id: TableId
    snapshot_id: str | None
    measured_at: datetime
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    total_bytes: int
    score: float
    benefit_per_cost: float
    document: Mapping[str, Any]
    history_bytes: int | None = None
    small_file_change: int = 0
    is_latest: bool = True
    id: int = 0

    def says_the_same(self, other: "Measurement") -> bool:
        """Return whether both have the same snapshot, figures and benefit."""
        own = (self.snapshot_id, self.benefit_per_cost, self.document)
        return own == (other.snapshot_id, other.benefit_per_cost, other.document)
