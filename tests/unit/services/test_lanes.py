"""What lanes send before a window: bundles that fit, else the part of one that does, else nothing."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from engine.domain.errors import SparkFailed
from engine.domain.ids import RunId, TableId
from engine.domain.runs.drops import Loss
from engine.domain.runs.files import InputFile
from engine.domain.runs.leases import Lease
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.runs.times import EstimateSource, RunCosts, TimeEstimate
from engine.rewriting.kernel.contract import GroupResult, SentTask
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.services.operations.tasks.credentials import TaskCredentials
from engine.services.operations.tasks.lane_times import LaneTimes
from engine.services.operations.tasks.lanes import Lanes
from engine.services.operations.tasks.task_slots import TaskSlots
from engine.services.runs.attempts import Attempt, Stop
from engine.services.runs.holds import WindowGap
from engine.spark.dispatch import Ticket
from tests.support.fake_clock import FakeClock
from tests.support.kernel_tasks import kernel_task
from tests.support.planning import EngineOf

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
MIB = 2**20
RATE = 1.0 * MIB


class Before(Attempt):
    """An attempt before a window, without a record: it has so many seconds left, fewer with all that is done."""

    def __init__(self, clock: FakeClock, seconds: float, longest: float, *, is_young: bool = False) -> None:
        run = Run(RunId("run_1"), TableId("tbl_1"), Operation.REWRITE, RunState.REWRITING, "x", NOON, NOON)
        lease = Lease(run.id, "w", 1, NOON + timedelta(hours=1))
        super().__init__(database=None, hints=None, clock=clock, run=run, lease=lease, lease_seconds=60)  # type: ignore[arg-type]
        self.events: list[tuple[str, list[int]]] = []
        self._ends_at = clock.monotonic() + seconds
        self._longest, self._is_young, self._time = longest, is_young, clock.monotonic

    def room(self) -> WindowGap:
        return WindowGap(max(0.0, self._ends_at - self._time()), self._longest, self._is_young)

    def stop_starting(self, room: WindowGap, *, because: str) -> None:
        self.because = because
        super().stop_starting(room, because=because)

    async def record(self, kind: str, details: dict[str, Any], **_documents: Any) -> Run:
        self.events.append((kind, details["groups"]))
        return self.run


class Spark:
    """Takes a second for each MiB. `sent`: the groups of each task. A task ends with its process if it has a group of
    `crashing` and uses the compiled pass."""

    def __init__(self, clock: FakeClock, crashing: Collection[int] = ()) -> None:
        self.sent: list[list[int]] = []
        self.without_pass: list[int] = []
        self._crashing = crashing
        self._clock = clock

    def ticket(self, run_id: str, attempt: int, part: int) -> Ticket:
        return Ticket("s", "u", run_id, f"{attempt}-{part}")

    def run(self, _ticket: Ticket, _function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        sent = [SentKernelTask.from_json(payload) for payload in payloads]
        tasks = [each.task for each in sent]
        self.without_pass += [each.task.identity.group for each in sent if not each.uses_pass]
        self.sent.append([task.identity.group for task in tasks])
        self._clock.advance(sum(int(task.write.folder) for task in tasks) / RATE)
        if any(each.uses_pass and each.task.identity.group in self._crashing for each in sent):
            raise SparkFailed("Python worker exited unexpectedly (crashed)")
        return [GroupResult(task.identity.group, "written").to_json() for task in tasks]

    def interrupt(self, tag: str, *, session_id: str) -> None:
        raise AssertionError

    def wait_gone(self, tag: str, *, session_id: str, timeout: float) -> bool:
        raise AssertionError


def a_group(ordinal: int, mib: float) -> FileGroup:
    return FileGroup(ordinal, 0, "{}", (InputFile(f"{ordinal}", round(mib * MIB), 1, 1),), 1)


class Host:
    """Loses no group, records nothing, and reaches no task."""

    async def find_lost(self, _groups: Sequence[FileGroup]) -> dict[int, Loss]:
        return {}

    async def mark_sent(self, _groups: Sequence[FileGroup]) -> None: ...

    async def make_task(self, group: FileGroup) -> SentTask:
        task = kernel_task([], pa.schema([]), str(group.input_bytes), group=group.ordinal)
        return SentTask(task.task.named(""))

    async def stop_tasks(self) -> bool:
        return False


def measured_times() -> LaneTimes:
    """Return times of a run that has measured a second for each MiB."""
    times = LaneTimes(TimeEstimate(costs=RunCosts(0, 0, 0, 1 / RATE, EstimateSource.TABLE, 5)))
    times.add([a_group(99, 1)], 1.0)
    return times


def lanes_of(spark: Spark, clock: FakeClock, groups: Sequence[FileGroup], count: int = 1, **given: Any) -> Lanes:
    """Return lanes that lose no group, of a table whose storage needs no credentials; `given`: attempt and times."""

    async def opened_again() -> Any:
        raise AssertionError

    attempt = given.get("attempt") or Before(clock, 1000.0, 1000.0)
    return Lanes(
        dispatcher=spark,
        function=str,
        attempt=attempt,
        clock=clock,
        groups=groups,
        count=count,
        times=given.get("times") or measured_times(),
        slots=TaskSlots(database=None, attempt=attempt, clock=clock, is_limited=lambda: False),  # type: ignore[arg-type]
        credentials=TaskCredentials(engine=EngineOf(None), open_table=opened_again, clock=clock),  # type: ignore[arg-type]
        host=Host(),
    )


async def sent(
    sizes: Sequence[float],
    seconds: float,
    *,
    longest: float = 1000.0,
    is_young: bool = False,
    times: LaneTimes | None = None,
) -> Any:
    """Send groups of so many MiB by one lane; return what each task held, the attempt, and the groups that ended."""
    clock = FakeClock()
    attempt, spark = Before(clock, seconds, longest, is_young=is_young), Spark(clock)
    groups = [a_group(ordinal, mib) for ordinal, mib in enumerate(sizes)]
    lanes = lanes_of(spark, clock, groups, attempt=attempt, times=times)
    ended = [outcome async for outcome in lanes.outcomes()]
    return spark.sent, attempt, len(ended)


async def test_bundles_go_whole_before_a_window_or_the_part_that_ends_in_time() -> None:
    tasks, attempt, ended = await sent([6, 2, 2, 1], 60)
    assert (tasks, ended, attempt.stop_reason) == ([[0], [1, 2], [3]], 4, None)
    tasks, attempt, _ = await sent([30, 3], 4)
    assert (tasks, attempt.stop_reason) == ([[1]], Stop.DRAINED)
    tasks, attempt, ended = await sent([2, 1.5, 0.4], 2.5)
    assert (tasks, ended, attempt.stop_reason) == ([[0, 2]], 2, Stop.DRAINED)
    tasks, attempt, ended = await sent([1.5, 1.5, 0.9], 3.1)
    assert (tasks, ended, attempt.stop_reason) == ([[0, 1]], 2, Stop.DRAINED)


async def test_groups_that_fit_nowhere_begin_right_after_a_window_each_alone_after_those_that_fit() -> None:
    tasks, attempt, ended = await sent([2.5, 2.2], 1.0, longest=1.5, is_young=True)
    assert (tasks, ended) == ([[0], [1]], 2)
    assert attempt.events == [("longer_than_any_gap", [0]), ("longer_than_any_gap", [1])]
    tasks, attempt, _ = await sent([9, 1, 0.2], 1.4, longest=1.5, is_young=True)
    assert tasks == [[1, 2], [0]]
    assert attempt.events == [("longer_than_any_gap", [0])]


ESTIMATED = RunCosts(0, 0, 0, 1848 / (28 * MIB))
"""28 MiB in 1,848 s: what a slow first run of a tiny table once predicted for the next table."""


@pytest.mark.parametrize(
    ("source", "runs"), [(EstimateSource.PRIOR, 0), (EstimateSource.FLEET, 40), (EstimateSource.KIND, 1)]
)
async def test_an_estimate_that_was_not_measured_on_the_table_does_not_park_a_run_with_minutes_left(
    source: EstimateSource, runs: int
) -> None:
    times = LaneTimes(TimeEstimate(costs=replace(ESTIMATED, source=source, runs=runs)))
    tasks, attempt, ended = await sent([28], 20 * 60, times=times)
    assert (tasks, ended, attempt.stop_reason) == ([[0]], 1, None)


async def test_an_estimate_by_several_runs_of_the_table_keeps_back_what_would_not_end_and_is_named() -> None:
    times = LaneTimes(TimeEstimate(costs=replace(ESTIMATED, source=EstimateSource.TABLE, runs=3)))
    tasks, attempt, _ = await sent([28], 15 * 60, times=times)
    assert (tasks, attempt.stop_reason) == ([], Stop.DRAINED)
    costs = replace(ESTIMATED, source=EstimateSource.TABLE, runs=3)
    _, attempt, _ = await sent([28, 56], 15 * 60, times=LaneTimes(TimeEstimate(costs=costs)))
    assert attempt.because == (
        "the shortest of 2 groups left needs about 1848 s (measured in 3 runs of this table), and 900 s remain"
    )


async def test_a_group_whose_task_ended_with_its_process_runs_again_without_the_compiled_pass() -> None:
    """And alone: the others of its bundle go without it too, since which of them ended the process is not known."""
    clock = FakeClock()
    spark = Spark(clock, crashing={1})
    outcomes = lanes_of(spark, clock, [a_group(ordinal, 1) for ordinal in range(3)]).outcomes()
    written = sorted([one.group.ordinal async for one in outcomes if isinstance(one.result, GroupResult)])
    assert written == [0, 1, 2]
    assert spark.sent == [[0, 1, 2], [0], [1], [2]]
    assert sorted(spark.without_pass) == [0, 1, 2]
