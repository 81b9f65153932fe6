"""The token bucket, in virtual time."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rewriting.kernel.contract import GroupResult, Pace
from engine.rewriting.kernel.errors import Stopped
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.transfer import Transfer
from engine.rewriting.kernel.task import GroupRewrite
from tests.unit.kernel.building import field, make_task, write
from tests.unit.kernel.virtual_time import Ledger, VirtualClock

MB = 1_000_000
SCHEMA = pa.schema([field(1, "id", pa.int64())])


def bucket(clock: VirtualClock, rate: float | None = None, requests: float | None = None) -> Bucket:
    return Bucket(bytes_per_second=rate, requests_per_second=requests, clock=clock, pause=clock.pause)


def move(pace: Bucket, clock: VirtualClock, ledger: Ledger, amount: int) -> None:
    """Move bytes in slices, as a transfer does."""
    while amount:
        part = min(amount, pace.slice_bytes or amount)
        pace.take(part, 1)
        ledger.moved.append((clock(), part))
        amount -= part


@given(
    st.floats(0.2 * MB, 500 * MB),
    st.lists(st.tuples(st.integers(1, 200 * MB), st.floats(0, 3)), min_size=1, max_size=30),
)
def test_no_ten_seconds_see_more_than_105_percent(rate: float, steps: list[tuple[int, float]]) -> None:
    clock, ledger = VirtualClock(), Ledger()
    pace = bucket(clock, rate)
    for amount, pause in steps:
        move(pace, clock, ledger, min(amount, int(rate * 8)))
        clock.work(pause)
    assert ledger.most_in_any(10.0) <= 1.05 * rate * 10


def test_steady_work_gets_all_of_its_share() -> None:
    clock, ledger = VirtualClock(), Ledger()
    move(bucket(clock, 20 * MB), clock, ledger, 400 * MB)
    assert clock() == pytest.approx(20, rel=0.02)


def test_a_share_is_not_lost_to_work_of_a_quarter_second_between_transfers() -> None:
    clock, ledger = VirtualClock(), Ledger()
    pace = bucket(clock, 20 * MB)
    for _ in range(50):
        move(pace, clock, ledger, 8 * MB)
        clock.work(0.2)
    assert ledger.total() / clock() >= 0.97 * 20 * MB


def test_idle_time_is_not_saved_up() -> None:
    clock, ledger = VirtualClock(), Ledger()
    pace = bucket(clock, 10 * MB)
    clock.work(3600)
    move(pace, clock, ledger, 100 * MB)
    assert ledger.most_in_any(1.0) <= 1.4 * 10 * MB


def test_requests_are_paced_on_their_own() -> None:
    clock = VirtualClock()
    pace = bucket(clock, requests=50)
    for _ in range(1000):
        pace.take(10 * MB, 1)
    assert clock() == pytest.approx(20, rel=0.02)


def test_without_a_limit_nothing_waits() -> None:
    clock = VirtualClock()
    pace = bucket(clock)
    pace.take(10**12, 10**6)
    assert (clock(), pace.throttled_seconds, pace.slice_bytes) == (0, 0, None)


def test_a_new_share_counts_at_once_for_one_who_sleeps() -> None:
    clock = VirtualClock()
    pace = bucket(clock, 1000)
    pace.take(10_000)
    clock.at(1, lambda: pace.set_share(9000, None))
    pace.take(1)
    assert clock() == pytest.approx(2)


def test_lifting_the_limit_wakes_one_who_sleeps() -> None:
    clock = VirtualClock()
    pace = bucket(clock, 10)
    pace.take(10_000)
    clock.at(1, lambda: pace.set_share(None, None))
    pace.take(1)
    assert clock() == 1


def test_a_stop_wakes_one_who_sleeps() -> None:
    clock = VirtualClock()
    pace = bucket(clock, 10)
    pace.take(10_000)
    clock.at(0.5, pace.stop)
    with pytest.raises(Stopped):
        pace.take(1)
    assert clock() == 0.5


def test_sleep_is_counted_as_throttled() -> None:
    clock = VirtualClock()
    pace = bucket(clock, 1000)
    pace.take(4000)
    pace.take(1)
    assert pace.throttled_seconds == pytest.approx(4)


@pytest.mark.parametrize("share_at", [None, 0, 3])
def test_buffers_keep_their_order_when_a_share_begins_among_them(tmp_path: Path, share_at: int | None) -> None:
    clock = VirtualClock()
    pace = bucket(clock)
    transfer = Transfer(storage=Storage(properties={}, places=[f"file:{tmp_path}"]), bucket=pace)
    sink = transfer.create(f"file:{tmp_path}/x")
    buffers = [bytes([number]) * 300_000 for number in range(9)]

    def given() -> Iterator[bytes]:
        for number, one in enumerate(buffers):
            if number == share_at:
                pace.set_share(1_000_000, None)
            yield one

    sink.write_all(given())
    sink.close()
    assert (tmp_path / "x").read_bytes() == b"".join(buffers)
    assert (sink.position, transfer.moved.bytes_written) == (2_700_000, 2_700_000)
    assert (clock() > 0) == (share_at is not None)


def paced_task(folder: Path, pace: Pace, files: int = 4) -> SentKernelTask:
    random = np.random.default_rng(1)
    tables = [pa.table([pa.array(random.integers(0, 2**62, 125_000))], schema=SCHEMA) for _ in range(files)]
    inputs = [write(folder / f"{i}.parquet", table, use_dictionary=False) for i, table in enumerate(tables)]
    return make_task(folder, inputs, SCHEMA, pace=pace)


def run(task: SentKernelTask, clock: VirtualClock) -> GroupResult:
    return GroupRewrite(sent=task, clock=clock, pause=clock.pause).run()


def test_a_task_takes_as_long_as_its_bytes_at_its_share(tmp_path: Path) -> None:
    clock = VirtualClock()
    result = run(paced_task(tmp_path, Pace(bytes_per_second=100_000)), clock)
    moved = result.bytes_read + result.bytes_written
    assert moved == pytest.approx(8 * MB, rel=0.02)
    assert clock() == pytest.approx(moved / 100_000, rel=0.02)
    assert result.throttled_seconds >= clock() * 0.99


def test_a_task_obeys_a_limit_on_requests(tmp_path: Path) -> None:
    clock = VirtualClock()
    result = run(paced_task(tmp_path, Pace(requests_per_second=0.5), files=8), clock)
    assert (result.requests, clock()) == (8, pytest.approx(14, abs=0.1))
