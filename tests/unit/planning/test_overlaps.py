"""How far files overlap, against counting by hand; and rules that go by it (L7)."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.tables.orders import OrderField, RowOrdering
from engine.planning.due.evaluations import Evaluation, asks_overlap, evaluate_policy
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.ordered_files import are_in_order
from engine.planning.measures.overlaps import UNKNOWN, ColumnRanges, measure_overlap, overlap_document
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from engine.planning.measures.partitions import PartitionedFiles, partition_files
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import plan_of, policy_of

MIB = 2**20
RUN = f"run_{'0' * 25}"
SORT = RowOrdering("sort", (OrderField("id", 1),))
HILBERT = RowOrdering("hilbert", (OrderField("id", 1), OrderField("at", 2)))
POLICY = {
    "rewrite": {"strategy": "sort", "columns": ["id"]},
    "triggers": [{"name": "overlaps", "all": [{"metric": "overlap_depth", "above": 2}]}],
}


def files_of(places: list[int], paths: list[str] | None = None) -> tuple[pa.Table, PartitionedFiles]:
    named = paths or [f"s3://lake/{at}.parquet" for at in range(len(places))]
    digest = digest_of(
        [
            DigestFile(128 * MIB, partition=f'{{"p":{place}}}', path=path)
            for place, path in zip(places, named, strict=True)
        ]
    )
    return digest, partition_files(digest)


def ranges(*pairs: tuple[int, int]) -> ColumnRanges:
    return ColumnRanges(np.array([low for low, _ in pairs]), np.array([high for _, high in pairs]))


@given(st.lists(st.tuples(st.integers(0, 2), st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9))), min_size=1))
def test_depth_and_lookups_agree_with_counting_by_hand(made: list[tuple[int, tuple[int, int] | None]]) -> None:
    """L7: the overlap that is shown before and after a rewrite."""
    _, files = files_of([place for place, _ in made])
    pairs = [(UNKNOWN, UNKNOWN) if pair is None else (min(pair), max(pair)) for _, pair in made]
    found = measure_overlap(files, [ranges(*pairs)])
    for at in range(len(files.names)):
        mine = [pair for pair, place in zip(pairs, files.partition_of.tolist(), strict=True) if place == at]
        points = [bound for low, high in mine if low != UNKNOWN for bound in (low, high)]
        shared = [sum(low == UNKNOWN or low <= point <= high for low, high in mine) for point in points]
        unknown = sum(low == UNKNOWN for low, _ in mine)
        assert found.depth[at] == max(shared, default=unknown)
        assert found.lookup_files[at] == pytest.approx(sum(shared) / len(shared) if shared else unknown)


def test_of_several_columns_the_worst_counts() -> None:
    _, files = files_of([0, 0, 0])
    apart, together = ranges((0, 1), (2, 3), (4, 5)), ranges((0, 9), (0, 9), (0, 9))
    assert measure_overlap(files, [apart]).depth.tolist() == [1]
    found = measure_overlap(files, [apart, together])
    assert overlap_document(files, found, 0) == {
        "files": 3,
        "overlap_depth": 3,
        "files_for_a_lookup": 3.0,
        "pruned_share": 0.0,
    }


def evaluated(
    places: list[int], column: ColumnRanges, *, rewritten: bool = False, paths: list[str] | None = None
) -> Evaluation:
    digest, _ = files_of(places, paths)
    policy = policy_of(POLICY)
    assert asks_overlap(policy)
    history = RewriteHistory([PartitionRewrite(0, '{"p":0}', 10**12, is_full=True)] if rewritten else [])
    return evaluate_policy(digest, TableMeasures(), history, policy, now_ms=10**12 + 1, order=SORT, ranges=[column])


def test_overlap_makes_whole_partitions_due_although_every_file_is_of_the_right_size() -> None:
    found = evaluated([0, 0, 0, 1, 1], ranges((0, 9), (0, 9), (0, 9), (0, 1), (2, 3)))
    (rule,) = [rule for rule in found.full if rule.name == "overlaps"]
    assert found.wants_full
    assert [place.partition for place in rule.due] == ['{"p":0}']
    assert rule.conditions[0].measured == 3
    assert found.due_partitions(full=True).tolist() == [True, False]


def test_what_is_in_the_order_already_and_an_empty_table_are_not_due() -> None:
    """Equal keys overlap for ever."""
    paths = [f"s3://lake/{RUN}1-00000-1-{SORT.mark}-{at}.parquet" for at in range(3)]
    assert not evaluated([0, 0, 0], ranges((0, 0), (0, 0), (0, 0)), paths=paths).is_due
    assert are_in_order(files_of([])[1], SORT, group_bytes=MIB).tolist() == []
    assert measure_overlap(files_of([])[1], [ranges()]).depth.tolist() == []


@pytest.mark.parametrize(
    ("paths", "sort", "hilbert"),
    [
        (["run_1-00000-1-{}-0", "run_1-00000-1-{}-1"], True, True),
        (["run_1-00000-1-{}-0", "run_1-00001-1-{}-0"], False, True),
        (["run_1-00000-1-{}-0", "run_2-00000-1-{}-0"], False, False),
        (["run_1-00000-1-{}-0", "00000-1-x"], False, False),
        (["run_1-00000-1-sort12345678-0", "run_1-00000-1-sort12345678-1"], False, False),
        (["a/run_1-00000-1-{}-0", "b/run_1-00000-1-{}-1"], True, True),
    ],
)
def test_the_names_of_files_tell_what_is_in_order(paths: list[str], sort: bool, hilbert: bool) -> None:
    for order, expected in ((SORT, sort), (HILBERT, hilbert)):
        named = [f"s3://lake/{path.replace('run_', RUN).format(order.mark)}.parquet" for path in paths]
        files = files_of([0, 0], named)[1]
        assert are_in_order(files, order, group_bytes=255 * MIB).tolist() == [expected]
        assert are_in_order(files, order, group_bytes=256 * MIB).tolist() == [sort]


def test_a_curve_of_several_groups_is_drawn_anew_once_one_group_may_hold_it_all() -> None:
    """As when `max_ordered_bytes` was raised."""
    paths = [f"s3://lake/{RUN}1-{at:05}-1-{HILBERT.mark}-0.parquet" for at in range(2)]
    digest, _ = files_of([0, 0], paths)

    def groups(most: str) -> int:
        rewrite = {"strategy": "hilbert", "columns": ["id", "at"], "max_ordered_bytes": most}
        return len(plan_of(digest, {"rewrite": rewrite}, full=True, order=HILBERT).groups)

    assert (groups("255MiB"), groups("256MiB")) == (0, 1)


def planned(places: list[int], keys: list[int], *, group_bytes: str) -> list[set[int]]:
    """Return the keys of the files of each group in a full rewrite."""
    digest, _ = files_of(places)
    document = {
        "rewrite": {"strategy": "sort", "columns": ["id"], "max_group_bytes": "64MiB", "max_ordered_bytes": group_bytes}
    }
    by_path = dict(zip(digest["path"].to_pylist(), keys, strict=True))
    asked = []

    def keys_of(paths: pa.ChunkedArray) -> np.ndarray:
        asked.append(len(paths))
        return np.array([by_path[path] for path in paths.to_pylist()], dtype=np.int64)

    plan = plan_of(digest, document, full=True, order=SORT, keys_of=keys_of)
    assert len(asked) == (0 if len(plan.groups) == len(set(places)) else 1)
    return [{by_path[file.path] for file in group.inputs} for group in plan.groups]


def test_a_partition_of_several_groups_is_cut_along_the_order_and_one_of_a_single_group_is_not() -> None:
    """What earlier rewrites put into order is put apart by the next: a group has neighbours in the order."""
    assert planned([0] * 8, [0, 4, 1, 5, 2, 6, 3, 7], group_bytes="512MiB") == [{0, 1, 2, 3}, {4, 5, 6, 7}]
    assert planned([0, 0, 1, 1], [3, 0, 2, 1], group_bytes="1GiB") == [{0, 3}, {1, 2}]
