"""Other compactors of a table, found in its history: two compactors on the same files lose races to one another."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from engine.formats.base import SnapshotInfo

HOURS: Final = 24
MOST_SNAPSHOTS: Final = 200
"""Most snapshots, newest first, that are examined."""


@dataclass(frozen=True, slots=True)
class OtherCompactor:
    """An engine that replaced data files `count` times in the last day; `application`: the last one, if recorded."""

    engine: str
    application: str | None
    count: int
    last_at: datetime


def other_compactors(snapshots: Sequence[SnapshotInfo], now: datetime) -> list[OtherCompactor]:
    """Return other engines that recently replaced data files, the busiest first; `snapshots` are newest first."""
    since_ms = (now - timedelta(hours=HOURS)).timestamp() * 1000
    found = [(each, each.compactor) for each in snapshots if each.compactor and each.committed_at_ms >= since_ms]
    counts = Counter(compactor[0] for _, compactor in found)
    newest = {compactor[0]: (each, compactor[1]) for each, compactor in reversed(found)}
    return [
        OtherCompactor(engine, newest[engine][1], count, _instant(newest[engine][0].committed_at_ms))
        for engine, count in counts.most_common()
    ]


def _instant(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
