"""The race in small: the model judges as the product does, replays, and the product's choice is the better one."""

from functools import cache

import numpy as np
import pytest

from bench.fleet.choosers import LIMITS, RULED, due_cells
from bench.fleet.population import Files, make_population
from bench.fleet.race import PACKHOUSE, Outcome, Setting, alone, race
from engine.planning.due.evaluations import evaluate_policy
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.partition_metrics import RewriteHistory
from tests.support.digests import DigestFile, digest_of

SMALL = Setting(tables=600, days=2, history_days=3, capacity=3.0, slots=8)


@cache
def outcomes() -> dict[str, Outcome]:
    return {each.name: each for each in race(SMALL)}


def test_cells_are_judged_as_evaluation_judges_their_files() -> None:
    population = make_population(tables=300, days=1, history_days=2, seed=3)
    files = Files.after_history(population, small_bytes=LIMITS.small_bytes, target_bytes=LIMITS.target_bytes, seed=3)
    few = np.flatnonzero(files.small + files.others < 200)
    files.merge(*_halves(files, few[::3]))
    found = evaluate_policy(
        digest_of([file for cell in few.tolist() for file in _files_of(files, cell)]),
        TableMeasures(),
        RewriteHistory(),
        RULED,
        now_ms=0,
    )
    some = few[(files.small + files.others)[few] > 0]  # a partition without files is in no digest
    flags = due_cells(files, some)
    assert flags.any()
    assert not flags.all()
    assert found.due_partitions(full=False).tolist() == flags.tolist()


@pytest.mark.deep
def test_a_seed_replays() -> None:
    assert alone(SMALL, PACKHOUSE).opened == outcomes()["Packhouse"].opened


@pytest.mark.parametrize("peer", ["top 100 by hand", "greedy 0.7/0.3, each hour", "greedy 0.7/0.3, each day"])
def test_no_due_table_waits_as_long_as_with_others(peer: str) -> None:
    ours, theirs = outcomes()["Packhouse"], outcomes()[peer]
    assert ours.worst_waits[-1] < theirs.worst_waits[-1]
    assert ours.never_served <= theirs.never_served


def test_scans_open_fewer_files_than_after_a_list_made_by_hand() -> None:
    assert outcomes()["Packhouse"].opened < outcomes()["top 100 by hand"].opened < outcomes()["no compaction"].opened


def test_files_stay_bounded_once_the_backlog_is_gone() -> None:
    ours, nothing = outcomes()["Packhouse"], outcomes()["no compaction"]
    assert ours.files_by_day[-1] < 0.4 * nothing.files_by_day[-1]


def _halves(files: Files, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take half of the small files of some cells, so that there are cells which were rewritten in part."""
    count = files.small[cells] // 2
    chosen = count > 1
    size = files.bytes_of_small[cells] // np.maximum(1, files.small[cells])
    return cells[chosen], count[chosen], (count * size)[chosen]


def _files_of(files: Files, cell: int) -> list[DigestFile]:
    """Return files that come to a cell's sums; their partitions sort as the cells do."""
    small, total = int(files.small[cell]), int(files.bytes_of_small[cell])
    sizes = [total // small + (at < total % small) for at in range(small)]
    sizes += [LIMITS.target_bytes] * int(files.others[cell])
    return [DigestFile(size, partition=f"{cell:06d}", added_at_ms=0) for size in sizes]
