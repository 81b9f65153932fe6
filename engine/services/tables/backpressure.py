"""Whether writers of a table should slow down: by the newest valid signal, and by the sorted runs of a key table.

Sorted runs are those of the newest measurement, which the coordinator stores for each snapshot: no table is read.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.domain.policies import SORTED_RUN_TRIGGER, STOP_TRIGGER, EffectivePolicy
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.signals import Backpressure, Signal, SignalKind
from engine.domain.tables.table import Table
from engine.domain.values.partitions import partition_text
from engine.planning.measures.sorted_runs import FullestBucket
from engine.services.catalogs.registered import read_registered
from engine.services.policies.effective import PolicyReader
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_NO_SIGNAL: Final = "no signal of kind backpressure is valid, and "
_NOTHING: Final = f"{_NO_SIGNAL}nothing else asks writers of this table to slow down"


@dataclass(frozen=True, slots=True)
class BucketLoad:
    """The bucket with the most sorted runs as last measured, and at how many writers should slow down.

    `limit`: how the latter follows from the settings, for messages.
    """

    fullest: FullestBucket
    slow_down_at: int
    limit: str
    measured_at: datetime

    @property
    def is_too_high(self) -> bool:
        """Whether writers should slow down."""
        return self.fullest.sorted_run_count >= self.slow_down_at

    @property
    def text(self) -> str:
        """The figure and the bucket."""
        found = self.fullest
        where = f"bucket {found.bucket} of partition {partition_text(found.partition)}"
        return f"{where} has {found.sorted_run_count} sorted runs"


@dataclass(frozen=True, slots=True)
class Advised:
    """The advice, since when and until when (None: until a change), and the signal it is based on, if any.

    `load`: of a table whose buckets have sorted runs, if it was measured; None for others.
    """

    slow_down: bool
    reason: str
    since: datetime | None = None
    until: datetime | None = None
    signal: Signal | None = None
    load: BucketLoad | None = None


class BackpressureService:
    """Returns the back-pressure advice for writers."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def advise(self, caller: Caller, table_id: TableId) -> Advised:
        """Return whether writers of a table should slow down.

        They should if the valid signal says so, or if a bucket has too many sorted runs: a signal that ends an earlier
        one does not hide these. A signal about the table overrides one about the fleet.

        Raises:
            NotFound: no such table.
        """
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, table_id, caller)
            signalled = await _signalled(unit, table_id)
            measured = await unit.measurements.latest(table_id)
            load = None if measured is None else await _load(unit, table, measured)
        if load is not None and load.is_too_high and not (signalled and signalled.slow_down):
            return Advised(slow_down=True, reason=_too_high(load), since=load.measured_at, load=load)
        return replace(signalled or Advised(slow_down=False, reason=_no_reason(load)), load=load)


async def _signalled(unit: UnitOfWork, table_id: TableId) -> Advised | None:
    """Return the advice of the newest valid signal about the table, otherwise about the fleet; None without one."""
    now = await unit.now()
    for about in (table_id, None):
        newest = await unit.signals.list(about, SignalKind.BACKPRESSURE, limit=1)
        if newest and (advised := _by_signal(newest[0], now)) is not None:
            return advised
    return None


async def _load(unit: UnitOfWork, table: Table, measured: Measurement) -> BucketLoad | None:
    """Return the measured sorted runs; None for tables without, and for measurements of earlier versions."""
    fullest = measured.document.get("fullest_bucket")
    if fullest is None:
        return None
    bucket = FullestBucket(**fullest)
    own = {} if bucket.stop_trigger is None else {STOP_TRIGGER: bucket.stop_trigger}
    policy = await PolicyReader.effective(unit, table, own)
    return BucketLoad(bucket, policy.stop_trigger, _limit(policy), measured.measured_at)


def _limit(policy: EffectivePolicy) -> str:
    trigger, origin = policy.sorted_run_trigger, policy.origins[STOP_TRIGGER]
    if origin == "derived":
        return f"{policy.stop_trigger - trigger} above {SORTED_RUN_TRIGGER}"
    return f"{STOP_TRIGGER}, {origin}"


def _too_high(load: BucketLoad) -> str:
    return (
        f"{load.text}: writers should slow down at {load.slow_down_at} ({load.limit}), until a compaction merges them"
    )


def _no_reason(load: BucketLoad | None) -> str:
    if load is None:
        return _NOTHING
    return f"{_NO_SIGNAL}no bucket has {load.slow_down_at} sorted runs ({load.limit}): {load.text}"


def _by_signal(signal: Signal, now: datetime) -> Advised | None:
    """Return the advice of a signal, None when it is no longer valid."""
    if not isinstance(signal.value, Backpressure):
        return None
    until = signal.at + timedelta(seconds=signal.value.valid_seconds)
    if until <= now:
        return None
    return Advised(signal.value.slow_down, signal.value.reason, signal.at, until, signal)
