"""The preset `artemis` on a real table with daily partitions of a timestamp."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import DayTransform
from pyiceberg.types import LongType, NestedField, TimestampType

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.policies import PolicyDocument
from engine.domain.runs.run import Operation, RunState, WaitingFor
from engine.domain.tables.signals import QueryLatency, SignalKind
from engine.domain.tables.table import TableRef
from engine.domain.tables.watches import Verdict
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.services.operations.tasks import waiting_groups
from engine.services.runs.attempts import Stop
from engine.spark.dispatch import Ticket
from tests.integration.presets.conftest import Kept
from tests.support.eventually import until
from tests.support.watching import Watching, runs_of
from tests.support.windows_ahead import Gate, attempt_of
from tests.support.world import Lake

MB = 10**6
AVAILABLE = {"available_bandwidth": "400MB"}
NAME = ("lake", "archive")
SCHEMA = Schema(NestedField(1, "id", LongType(), required=True), NestedField(2, "at", TimestampType(), required=True))
SPEC = PartitionSpec(PartitionField(2, 1000, DayTransform(), "day"))
ARROW = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("at", pa.timestamp("us"), nullable=False)])


@dataclass
class Archive(Lake):
    """A table with daily partitions of a timestamp."""

    @property
    def table(self) -> Table:
        return self.catalog.load_table(NAME)

    def append(self, *, day: str, rows: int = 50) -> None:
        at = datetime.fromisoformat(f"{day}T12:00:00")
        self.table.append(pa.table({"id": list(range(rows)), "at": [at] * rows}, schema=ARROW))


@pytest.fixture
async def kept(kept: Kept) -> AsyncIterator[Kept]:
    """The archive beside the table that all worlds have."""
    lake, container = kept.lake, kept.world.container
    await asyncio.to_thread(lambda: lake.catalog.create_table(NAME, SCHEMA, partition_spec=SPEC))
    ref = TableRef("lake", NAME[:1], NAME[1])
    table = await container.tables.register(SYSTEM, ref, owner_team=None, labels={})
    world = replace(kept.world, lake=Archive(lake.properties, lake.catalog), table_id=table.id)
    watching = Watching(world)
    yield Kept(world, replace(kept.time, watching=watching))
    await watching.service.close()


def days_ago(days: int) -> str:
    """Return a day by the clock of writers, which is the real one."""
    return f"{datetime.now(UTC) - timedelta(days=days):%Y-%m-%d}"


def tomorrow(hour: float) -> datetime:
    """Return an hour (UTC) of the day after the writers'."""
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1, hours=hour)


async def begins_at(kept: Kept, instant: datetime) -> None:
    """Let time pass: a run begins at this instant, and not before."""
    run = await kept.time.until(instant + timedelta(minutes=5))
    assert run is not None
    assert timedelta(0) <= run.created_at - instant < timedelta(seconds=10)


async def test_l14_sealed_a_day_begins_an_hour_after_its_midnight(kept: Kept) -> None:
    await kept.by(preset="artemis", limits=AVAILABLE)
    today, one_o_clock = days_ago(0), tomorrow(1)
    await kept.has(today, 2)
    seen = await kept.look()
    assert (seen.verdict, await runs_of(kept.world)) == (Verdict.NOT_DUE, [])
    await kept.time.clock.pass_until(one_o_clock - timedelta(minutes=1))
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    await begins_at(kept, one_o_clock)
    await kept.rewritten()
    assert len(kept.files(today)) == 1
    await kept.is_left_alone()


async def test_l14_late_files_open_a_sealed_day_for_an_hour(kept: Kept) -> None:
    await kept.by(preset="artemis", limits=AVAILABLE, quiet_hours=[])
    await kept.has(days_ago(2), 2)
    written = await kept.time.clock.now()
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    await begins_at(kept, written + timedelta(hours=1))


async def test_l18_nothing_begins_from_nine_to_five_and_what_is_due_begins_then(kept: Kept) -> None:
    await kept.by(preset="artemis", limits=AVAILABLE)
    await kept.has(days_ago(2), 4)
    await kept.time.clock.pass_until(tomorrow(9.01))
    seen = await kept.look()
    assert (seen.verdict, seen.code) == (Verdict.HELD, "quiet_hours")
    await kept.time.clock.pass_until(tomorrow(16.98))
    assert (await kept.look()).verdict is Verdict.HELD
    await begins_at(kept, tomorrow(17))
    await kept.rewritten()
    assert len(kept.files(days_ago(2))) == 1
    await kept.is_left_alone()


async def test_l18_a_rewrite_that_runs_at_nine_ends_what_it_began_and_goes_on_at_five(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    await kept.by(preset="artemis", limits=AVAILABLE | {"parallel_groups": 1})
    for days in (2, 3, 4):
        await kept.has(days_ago(days), 2)
    await kept.time.clock.pass_until(tomorrow(9) - timedelta(seconds=15))
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    (run,) = await kept.time.begun()
    gate = Gate(kept.world, 2)
    advancing = asyncio.create_task(kept.world.container.worker.advance(run.id))
    await asyncio.wait_for(gate.reached.wait(), 60)
    await kept.time.clock.pass_until(tomorrow(9) + timedelta(seconds=1))
    await until(lambda: attempt_of(kept.world).stop_reason is Stop.DRAINED)
    gate.open()
    await asyncio.wait_for(advancing, 60)
    parked = await kept.world.get(run.id)
    assert (parked.waiting_for, parked.not_before) == (WaitingFor.QUIET_HOURS, tomorrow(17))
    assert len(kept.lake.paths()) == 1 + 1 + 2
    assert not await kept.world.container.worker.advance(run.id)
    await kept.time.clock.pass_until(tomorrow(17))
    assert await kept.world.container.worker.advance(run.id)
    ended = await kept.world.get(run.id)
    assert (ended.state, ended.attempt, len(kept.lake.paths())) == (RunState.SUCCEEDED, 2, 3)
    await kept.is_left_alone()


async def test_l2_two_files_below_32_mb_are_enough_and_larger_ones_are_none(kept: Kept) -> None:
    await kept.by(preset="artemis", limits=AVAILABLE, quiet_hours=[])
    small, larger, single = days_ago(3), days_ago(4), days_ago(5)
    await kept.has(small, 1)
    await kept.has(small, 1, sized=32 * MB - 1)
    await kept.has(larger, 1)
    await kept.has(larger, 3, sized=32 * MB)
    await kept.has(single, 1)
    await kept.time.clock.pass_until(tomorrow(2))
    assert await kept.due_days() == {small}


async def test_l2_a_file_above_1_gb_is_split_when_its_partition_is_due(kept: Kept) -> None:
    await kept.by(preset="artemis", limits=AVAILABLE, quiet_hours=[])
    await kept.has(days_ago(3), 2)
    await kept.has(days_ago(3), 1, sized=1000 * MB)
    await kept.time.clock.pass_until(tomorrow(2))
    assert sum(len(group.inputs) for group in (await kept.due_plan()).groups) == 2
    await kept.has(days_ago(3), 1, sized=1000 * MB + 1)
    plan = await kept.due_plan()
    assert sum(len(group.inputs) for group in plan.groups) == 3
    assert plan.prediction.output_files == 8  # of 128 MB each


async def test_l16_the_preset_asks_for_the_bandwidth_that_it_is_a_share_of(kept: Kept) -> None:
    with pytest.raises(InvalidInput) as caught:
        await kept.by(preset="artemis")
    (problem,) = caught.value.problems
    assert problem.pointer == "/limits/available_bandwidth"


async def test_l16_and_l17_tasks_get_thirty_percent_together_and_are_four_at_once(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)  # else one task would take all of the tiny groups
    await kept.by(preset="artemis", limits=AVAILABLE, quiet_hours=[])
    for days in range(3, 9):
        await kept.has(days_ago(days), 2)
    await kept.time.clock.pass_until(tomorrow(2))
    crowd = Crowd(kept, full=4)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert crowd.most == 4
    assert [task.pace.bytes_per_second for task in crowd.tasks] == [0.3 * 400 * MB / 4] * 6
    await kept.is_left_alone()


class Crowd:
    """Counts tasks at once. Each waits until so many have begun, or all have."""

    def __init__(self, kept: Kept, *, full: int) -> None:
        self.most = 0
        self.tasks: list[SentKernelTask] = []
        self._now, self._lock, self._is_full = 0, threading.Lock(), threading.Event()
        self._full, self._send = full, kept.world.dispatcher.run
        kept.world.dispatcher.run = self._run  # type: ignore[method-assign]

    def _run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        with self._lock:
            self.tasks += map(SentKernelTask.from_json, payloads)
            self._now += 1
            self.most = max(self.most, self._now)
            if self._now == self._full:
                self._is_full.set()
        try:
            assert self._is_full.wait(30)
            return self._send(ticket, function, payloads)
        finally:
            with self._lock:
                self._now -= 1


async def test_l19_and_m7_slow_queries_hold_back_until_they_are_fast_again(kept: Kept) -> None:
    await kept.by(preset="artemis", limits=AVAILABLE, quiet_hours=[])
    await kept.has(days_ago(3), 2)
    await kept.time.clock.pass_until(tomorrow(2))
    await tell(kept, 5.1)
    seen = await kept.look()
    assert (seen.verdict, seen.code) == (Verdict.HELD, "latency_backoff")
    await tell(kept, 1.5)  # between the two limits nothing changes
    assert (await kept.look()).verdict is Verdict.HELD
    await tell(kept, 0.9)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()


async def test_l19_queries_that_are_a_little_slow_halve_the_share(kept: Kept) -> None:
    await kept.by(preset="artemis", limits=AVAILABLE, quiet_hours=[])
    await kept.has(days_ago(3), 2)
    await kept.time.clock.pass_until(tomorrow(2))
    await tell(kept, 2.1)
    crowd = Crowd(kept, full=1)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert [task.pace.bytes_per_second for task in crowd.tasks] == [0.5 * 0.3 * 400 * MB]


async def tell(kept: Kept, seconds: float) -> None:
    """Send a measurement of query latency as other systems do."""
    value = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=seconds)
    await kept.world.container.signals.send(SYSTEM, kept.world.table_id, value)


async def test_l20_small_files_stay_bounded_when_each_day_brings_new_ones(kept: Kept) -> None:
    await kept.by(preset="artemis", limits=AVAILABLE)
    for night in range(1, 4):
        await kept.has(days_ago(night), 12)
        await kept.time.clock.pass_until(tomorrow(20 + 24 * night))
        assert (await kept.look()).verdict is Verdict.SUBMITTED
        await kept.rewritten()
        assert len(kept.lake.paths()) == night
        await kept.is_left_alone()
    assert len(await runs_of(kept.world)) == 3


async def test_l21_the_preset_merges_manifests(kept: Kept) -> None:
    document = PolicyDocument.model_validate({"preset": "artemis", "limits": AVAILABLE})
    written = await kept.world.container.policies.replace(SYSTEM, kept.world.table_id, document, if_none_match=True)
    assert written.notes == ()
    plan = await kept.world.container.upkeep.plan(SYSTEM, kept.world.table_id, Operation.REWRITE_MANIFESTS)
    assert plan["enabled"] is True


async def test_l21_manifests_are_merged_each_week_and_not_before(kept: Kept) -> None:
    """L21: by the coordinator, in weeks of the record's time; commits come all the while."""
    await kept.by(preset="artemis", limits=AVAILABLE, triggers=[], quiet_hours=[])
    begun = list[datetime]()
    for day in range(16):
        for _ in range(4):
            await asyncio.to_thread(kept.lake.append, day=days_ago(1), rows=1)
        await kept.time.clock.pass_by(days=1)
        if (await kept.look()).verdict is Verdict.SUBMITTED:
            run = await kept.rewritten()
            assert run.operation is Operation.REWRITE_MANIFESTS
            assert run.result.document["rewritten_manifests"] >= 12
            begun.append(run.created_at)
            assert day >= 2, "the first are enough on the third day"
        rows = kept.lake.table.scan().to_arrow().num_rows
        assert rows == 4 * (day + 1)
    weeks = [later - earlier for earlier, later in itertools.pairwise(begun)]
    assert len(begun) == 2
    assert all(timedelta(days=7) <= each < timedelta(days=8) for each in weeks)
