"""L6, L7: a group that does not fit memory is one order all the same, by ranges on disk; no bound grows with it."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from functools import cmp_to_key
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rewriting.kernel.contract import RowOrder, SortColumn
from engine.rewriting.kernel.errors import OutputFault
from engine.rewriting.kernel.ordering import arranging
from engine.rewriting.kernel.ordering.arranging import Arrangement
from engine.rewriting.kernel.ordering.keys import keys_of
from engine.rewriting.kernel.ordering.ranges import Ranges
from engine.rewriting.kernel.reading.rows import Rows
from tests.support.kernel_tasks import changed
from tests.unit.kernel.building import field, left_behind, make_task, outputs_of, rewrite, write
from tests.unit.kernel.test_ordering import chunked, compare, tables

MIB = 2**20
WIDE = pa.schema([field(at, f"c{at}", pa.int64()) for at in range(1, 13)])
BYTES_PER_ROW = 8 * len(WIDE)


@given(tables(), st.data())
@settings(max_examples=3 * settings.default.max_examples)
def test_every_row_lies_in_one_range_and_ranges_follow_one_another(
    made: tuple[list[pa.DataType], list[tuple[object, ...]], RowOrder], data: st.DataObject
) -> None:
    """L6, L7: directions, nulls, NaN and ties, also of rows outside the sample, against an independent comparison."""
    types, rows, order = made
    sampled: set[int] = data.draw(st.sets(st.integers(0, len(rows) - 1))) if rows else set()
    if not sampled:
        return
    plain = [of.value_type if pa.types.is_dictionary(of) else of for of in types]
    columns = [chunked(rows, at, of, len(rows) // 3) for at, of in enumerate(plain)]
    sample = [column.take(pa.array(sorted(sampled))) for column in columns]
    ranges = Ranges(sample, keys_of=lambda some: keys_of(some, order).values, wanted=data.draw(st.integers(2, 9)))
    places = ranges.places(columns).tolist()
    assert set(places) <= set(range(ranges.count))

    def compared(one: int, other: int) -> int:
        return compare(rows[one], rows[other], order, types)

    along = sorted(range(len(rows)), key=cmp_to_key(compared))
    for before, after in pairwise(along):
        is_equal = compared(before, after) == 0
        assert places[before] == places[after] if is_equal else places[before] <= places[after]
        assert is_equal or places[before] != places[after] or places[before] not in ranges.of_one_key
    assert len({places[at] for at in sampled}) > 1 or places[min(sampled)] in ranges.of_one_key


def rows_of(*columns: np.ndarray) -> Rows:
    """Return rows of `WIDE` whose first columns are these."""
    count = len(columns[0])
    rest = [np.arange(count)] * (len(WIDE) - len(columns))
    arrays = [pa.chunked_array([pa.array(values)]) for values in (*columns, *rest)]
    return Rows(arrays, count, count, BYTES_PER_ROW * count, frozenset())


def generated(batches: int, rows: int, high: int = 2**62) -> Iterator[Rows]:
    """Yield rows that nobody else holds, as a reader does."""
    random = np.random.default_rng(1)
    for _ in range(batches):
        yield rows_of(*[random.integers(0, high, rows) for _ in WIDE])


def disk_bytes(folder: Path, process: str = "self") -> int:
    """Return what files of a process hold that have no name in a folder any more."""
    total = 0
    for each in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            if str(each.readlink()).startswith(str(folder)):
                total += each.stat().st_size
    return total


class Watched:
    """An arrangement whose memory and disk are looked at whenever it asks whether to go on."""

    def __init__(self, folder: Path, order: RowOrder, *, rows: int, schema: pa.Schema = WIDE) -> None:
        self._folder = folder
        self._before = pa.total_allocated_bytes()
        self.arrow = self.disk = 0
        self.arrangement = Arrangement(schema=schema, order=order, rows=rows, check=self.look)

    def look(self) -> None:
        self.arrow = max(self.arrow, pa.total_allocated_bytes() - self._before)
        self.disk = max(self.disk, disk_bytes(self._folder))
        assert not list(self._folder.iterdir())  # a task that is killed leaves nothing: its files have no name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(arranging, "SLICE_BYTES", MIB)
    monkeypatch.setattr(arranging, "SAMPLED", 64)  # of parts that are as much smaller
    return tmp_path


@pytest.mark.parametrize("strategy", ["sort", "zorder", "hilbert"])
@pytest.mark.parametrize("batches", [10, 20, pytest.param(40, marks=pytest.mark.deep)])
def test_memory_stays_bounded_however_large_the_group_is_and_nothing_is_left_on_disk(
    folder: Path, strategy: str, batches: int
) -> None:
    """L6: the bounds on Arrow's memory and numpy's are the same for all sizes; the disk holds the group about once."""
    rows, order = 8_000, RowOrder(strategy, (SortColumn(3), SortColumn(1)), memory_bytes=3 * MIB // 2)
    watched, found = Watched(folder, order, rows=rows * batches), 0
    tracemalloc.start()
    last = None
    for piece in watched.arrangement.arranged(generated(batches, rows)):
        watched.look()
        keys = keys_of([piece.columns[2], piece.columns[0]], order, sample=watched.arrangement.ranked_by).values
        assert (keys[1:] >= keys[:-1]).all()
        first = keys[0] if strategy != "sort" else piece.columns[2][0].as_py()
        assert last is None or first >= last
        last = keys[-1] if strategy != "sort" else piece.columns[2][-1].as_py()
        found += piece.count
    in_numpy = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    whole = BYTES_PER_ROW * rows * batches
    assert found == rows * batches
    assert watched.arrow < 3 * order.memory_bytes + 2 * MIB < whole
    assert in_numpy < 16 * MIB
    assert whole < watched.disk < 1.2 * whole + 2 * order.memory_bytes
    assert disk_bytes(folder) == 0


@pytest.mark.parametrize("strategy", ["sort", "hilbert"])
def test_the_sample_of_a_very_large_group_becomes_thinner_and_still_tells_the_ranges(
    folder: Path, strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data that arrived in order: a sample of the beginning alone would put nearly all rows into one range."""
    monkeypatch.setattr(arranging, "MOST_SAMPLED", 500)
    batches, rows = 40, 20_000
    order = RowOrder(strategy, (SortColumn(1),), memory_bytes=4 * MIB)
    watched = Watched(folder, order, rows=rows * batches)
    source = (rows_of(np.arange(at * rows, (at + 1) * rows)[::-1]) for at in range(batches))
    values = pa.chunked_array([c for piece in watched.arrangement.arranged(source) for c in piece.columns[0].chunks])
    if strategy == "sort":
        assert values.to_numpy().tolist() == list(range(rows * batches))
    else:
        assert 200 <= len(watched.arrangement.ranked_by[0]) <= 500
        keys = keys_of([values], order, sample=watched.arrangement.ranked_by).values
        assert (keys[1:] >= keys[:-1]).all()
    kept = 8 * rows * batches  # what this test holds of the rows
    assert watched.arrow < 3 * order.memory_bytes + 2 * MIB + kept


@pytest.mark.parametrize("strategy", ["sort", "zorder"])
def test_equal_keys_that_are_more_than_memory_keep_their_order_and_the_bound(folder: Path, strategy: str) -> None:
    """Nine rows of ten are of one value: they go from disk to disk, never into memory together."""
    batches, rows = 40, 20_000
    order = RowOrder(strategy, (SortColumn(1),), memory_bytes=4 * MIB)
    watched = Watched(folder, order, rows=batches * rows)

    def source() -> Iterator[Rows]:
        for batch in range(batches):
            numbers = np.arange(batch * rows, (batch + 1) * rows)
            yield rows_of(np.where(numbers % 10 == 0, numbers % 1000 - 500, 7), numbers)

    found = [(piece.columns[0], piece.columns[1]) for piece in watched.arrangement.arranged(source())]
    values, numbers = (pa.chunked_array([c for pair in found for c in pair[at].chunks]).to_numpy() for at in (0, 1))
    assert sorted(numbers.tolist()) == list(range(batches * rows))
    keys = keys_of([pa.chunked_array([values])], order, sample=watched.arrangement.ranked_by).values
    assert (keys[1:] >= keys[:-1]).all()
    for value in (7, -500, 100):
        assert (np.diff(numbers[values == value]) > 0).all()
    kept = 2 * 8 * batches * rows  # what this test holds of the rows
    assert watched.arrow < 3 * order.memory_bytes + 2 * MIB + kept


def test_a_range_that_holds_nearly_all_bytes_is_cut_into_ranges_once_more(folder: Path) -> None:
    """One row in fifty is a thousand times as wide, and all of these lie next to one another in the order."""
    schema = pa.schema([field(1, "kind", pa.string()), field(2, "id", pa.int64()), field(3, "body", pa.binary())])
    order = RowOrder("sort", (SortColumn(1), SortColumn(2, descending=True)), memory_bytes=4 * MIB)
    random, rows, batches = np.random.default_rng(2), 5000, 8
    watched = Watched(folder, order, rows=rows * batches, schema=schema)

    def source() -> Iterator[Rows]:
        for _ in range(batches):
            ids = random.integers(0, 10**9, rows)
            kinds = pa.array(np.where(ids % 50 == 0, "blob", "row"))
            bodies = pa.array([bytes(20_000 if number % 50 == 0 else 20) for number in ids.tolist()], pa.binary())
            columns = [pa.chunked_array([each]) for each in (kinds, pa.array(ids), bodies)]
            yield Rows(columns, rows, rows, sum(column.nbytes for column in columns), frozenset())

    found = []
    for piece in watched.arrangement.arranged(source()):
        watched.look()
        found += list(zip(piece.columns[0].to_pylist(), piece.columns[1].to_pylist(), strict=True))
        assert all(
            len(body) == (20_000 if number % 50 == 0 else 20)
            for number, body in zip(piece.columns[1].to_pylist(), piece.columns[2].to_pylist(), strict=True)
        )
    assert len(found) == rows * batches
    assert found == sorted(found, key=lambda row: (row[0], -row[1]))
    assert watched.arrow < 4 * order.memory_bytes + 2 * MIB


def test_a_curve_on_disk_keeps_as_near_together_what_is_near_as_one_in_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that a query meets which asks for a box of 5 % by 5 %, cut from the same skewed rows in both orders.

    The sample has 200 rows of a file, as it has of a large group.
    """
    monkeypatch.setattr(arranging, "SAMPLED", 256)
    random, rows = np.random.default_rng(4), 60_000
    values = [random.lognormal(0, 2.5, rows), random.integers(0, 2**32, rows).astype(np.float64)]
    schema = pa.schema([field(at, f"c{at}", pa.float64()) for at in (1, 2)])

    def files_met(memory: int) -> float:
        order = RowOrder("hilbert", (SortColumn(1), SortColumn(2)), memory_bytes=memory)
        arrangement = Arrangement(schema=schema, order=order, rows=rows, check=lambda: None)
        source = [Rows([pa.chunked_array([pa.array(v)]) for v in values], rows, rows, 16 * rows, frozenset())]
        pieces = list(arrangement.arranged(source))
        ordered = [np.concatenate([piece.columns[at].to_numpy() for piece in pieces]) for at in (0, 1)]
        files = [np.array_split(column, 50) for column in ordered]
        met = []
        for start in np.random.default_rng(5).uniform(0, 0.95, (200, 2)):
            hits = np.ones(50, dtype=np.bool_)
            for column, parts, at in zip(values, files, start, strict=True):
                low, high = np.quantile(column, [at, at + 0.05])
                hits &= np.array([part.min() <= high and part.max() >= low for part in parts])
            met.append(hits.sum())
        return float(np.mean(met))

    assert files_met(100_000) <= 1.05 * files_met(2**29)


def test_a_temporary_folder_that_is_too_small_is_told_before_it_is_full(folder: Path) -> None:
    order = RowOrder("sort", (SortColumn(1),), memory_bytes=MIB)
    watched = Watched(folder, order, rows=10**15)
    with pytest.raises(OutputFault, match=r"bytes more are needed, \d+ are free; .*rewrite.max_ordered_bytes"):
        list(watched.arrangement.arranged(generated(1000, 20_000)))
    assert watched.disk < 4 * MIB
    assert disk_bytes(folder) == 0


class Told(Exception):
    """The task was told to stop."""


def test_a_task_that_is_told_to_stop_stops_while_it_orders(folder: Path) -> None:
    order = RowOrder("sort", (SortColumn(1), SortColumn(2)), memory_bytes=MIB // 2)

    def checks_until(most: int) -> int:
        """Return how often a task asked whether to go on; it is told to stop at `most`."""
        count = 0

        def check() -> None:
            nonlocal count
            count += 1
            if count == most:
                raise Told

        with suppress(Told):
            list(Arrangement(schema=WIDE, order=order, rows=20_000, check=check).arranged(generated(10, 2000)))
        assert disk_bytes(folder) == 0
        return count

    asked = checks_until(10**9)
    assert asked > 30
    assert [checks_until(most) for most in range(1, asked + 1)] == list(range(1, asked + 1))


def test_a_task_that_is_killed_while_its_rows_are_on_disk_leaves_no_temporary_file_and_is_done_again(
    tmp_path: Path,
) -> None:
    """SIGKILL: what it wrote to the table carries the attempt's name, by which the worker removes it."""
    schema = pa.schema([field(1, "id", pa.int64()), field(2, "value", pa.float64())])
    random, spills = np.random.default_rng(6), tmp_path / "spills"
    spills.mkdir()
    tables = [
        pa.Table.from_arrays([pa.array(random.permutation(200_000)), pa.array(random.random(200_000))], schema=schema)
        for _ in range(3)
    ]
    inputs = [write(tmp_path / f"{at}.parquet", each, row_group_size=20_000) for at, each in enumerate(tables)]
    order = RowOrder("sort", (SortColumn(1),), memory_bytes=MIB)
    task = make_task(tmp_path, inputs, schema, order=order)
    call = "import sys; from engine.rewriting.kernel.task import rewrite_group; rewrite_group(sys.stdin.read())"
    with subprocess.Popen(
        [sys.executable, "-c", call], stdin=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(spills)}
    ) as process:
        assert process.stdin is not None
        process.stdin.write(task.to_json())
        process.stdin.close()
        deadline = time.monotonic() + 60
        while disk_bytes(spills, str(process.pid)) < 2**16:  # `tempfile` first tries the folder with some bytes
            assert process.poll() is None
            assert time.monotonic() < deadline
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not list(spills.iterdir())
    assert all(path.name.startswith(task.name_prefix) for path in left_behind(tmp_path))
    again = rewrite(changed(task, attempt=2, name_prefix="run-3-2-"))
    assert again.rows_written == 600_000
    found = outputs_of(again)
    assert found["id"].to_pylist() == sorted(value for each in tables for value in each["id"].to_pylist())
    assert sorted(found["value"].to_pylist()) == sorted(v for each in tables for v in each["value"].to_pylist())
