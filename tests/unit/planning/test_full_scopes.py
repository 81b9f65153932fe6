"""Full rewrites of Paimon tables: files that stay, buckets that are compacted in full, and what makes them due."""

from dataclasses import replace
from typing import Any, Final

import pytest

from engine.domain.runs.plans import Plan
from engine.planning.due.evaluations import Evaluation, evaluate_policy
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.health import health
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from engine.planning.plans.groupings import ArrivalWindows, FullScope, Grouping, MergedRuns, Packed
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import plan_of, policy_of

KIB: Final = 2**10
POLICY: Final = {"rewrite": {"target_file_bytes": "1MiB", "min_input_files": 100}}
KERNEL: Final = Packed(FullScope.UNSIZED)
BUCKETS: Final = ArrivalWindows(FullScope.UNSIZED)
VECTORS: Final = Packed(FullScope.FROM_FIRST_UNSIZED)
RUNS: Final = MergedRuns(last_level=5)
DAY_MS: Final = 86_400_000


def arrived(kinds: str, *, partition: str = "a", bucket: int | None = 0) -> list[DigestFile]:
    """Return files in the order of arrival: small, large, and large ones with a Vector."""
    sizes = {"s": KIB, "L": 1200 * KIB, "V": 1200 * KIB}
    return [
        DigestFile(
            sizes[kind],
            partition,
            bucket=bucket,
            level=None if bucket is None else 0,
            sequence_number=1 + at,
            delete_files=int(kind == "V"),
            path=f"{partition}{bucket}{kind}{at}",
        )
        for at, kind in enumerate(kinds)
    ]


def grouped(plan: Plan) -> list[str]:
    """Return the groups as the kinds and places of their files: `s0s1`."""
    return sorted("".join(each.path[2:] for each in group.inputs) for group in plan.groups)


@pytest.mark.parametrize(
    ("form", "files", "groups"),
    [
        (KERNEL, "LsLssL", ["s1s3s4"]),
        (KERNEL, "LLL", []),
        (KERNEL, "Ls", []),
        (KERNEL, "LVL", ["V1"]),  # deletes are a reason in any table
        (BUCKETS, "LssLsssLs", ["s1s2", "s4s5s6"]),  # no rows move across a file that stays
        (VECTORS, "LLsLVL", ["V4", "s2L3L5"]),
        (VECTORS, "VVVVV", ["V0V1V2V3V4"]),  # whatever their size: their vectors can be in one index file
        (VECTORS, "LL", []),
        (Packed(), "LsLV", ["L0s1L2V3"]),  # other formats
    ],
)
def test_p8_p9_a_full_rewrite_leaves_files_of_the_right_size_without_deletes(
    form: Grouping, files: str, groups: list[str]
) -> None:
    digest = digest_of(arrived(files))
    large = POLICY | {"limits": {"parallel_groups": 4 if "VV" in files else 1}}
    assert grouped(plan_of(digest, large, grouping=form, full=True)) == groups
    every = plan_of(digest, large, grouping=form, full=True, every_file=True)
    assert sum(len(group.inputs) for group in every.groups) == len(files)  # P10


def test_a_full_rewrite_moves_no_rows_across_a_file_that_is_left() -> None:
    files = digest_of(arrived("ssLss"))
    document = {"rewrite": {**POLICY["rewrite"], "exclude_above_bytes": "1MiB"}}
    form = replace(BUCKETS, full_scope=FullScope.EVERY_FILE)
    assert grouped(plan_of(files, document, grouping=form, full=True)) == ["s0s1", "s3s4"]
    assert grouped(plan_of(files, document, full=True)) == ["s0s1s3s4"]


def evaluated(files: list[DigestFile], form: Grouping, full: dict[str, Any], **given: Any) -> Evaluation:
    settings = {"rewrite": POLICY["rewrite"] | {"full": {"size_amplification_percent": "off"} | full}, "triggers": []}
    levels = TableMeasures(has_levels=True, last_level=5) if isinstance(form, MergedRuns) else TableMeasures()
    history = RewriteHistory(given.pop("rewrites", ()))
    policy = policy_of(settings | given)
    return evaluate_policy(digest_of(files), levels, history, policy, now_ms=10 * DAY_MS, grouping=form)


@pytest.mark.parametrize(
    ("form", "files", "reason"),
    [
        (BUCKETS, "LLLLsss", None),  # large files before the first small one don't count
        (BUCKETS, "LLLLss", "not_eligible_for_full"),
        (BUCKETS, "ssLL", "not_eligible_for_full"),
        (BUCKETS, "ssLLs", None),
        (KERNEL, "LLLLsss", None),
        (VECTORS, "ss", None),
        (VECTORS, "sLL", None),
    ],
)
def test_p11_the_guard_counts_files_of_append_tables_from_the_first_small_one_on(
    form: Grouping, files: str, reason: str | None
) -> None:
    (rule,) = evaluated(arrived(files), form, {"interval": "1d"}).full
    assert (rule.is_due, rule.guards) == (reason is None, [reason])


def test_p11_the_guard_counts_the_files_of_each_bucket() -> None:
    files = [*arrived("sLLL"), *arrived("sLLLL", bucket=1)]
    assert not evaluated(files, BUCKETS, {"interval": "1d"}).is_due
    assert evaluated([*files, *arrived("sss", bucket=2)], BUCKETS, {"interval": "1d"}).is_due
    assert not evaluated([*arrived("s"), *arrived("s", bucket=1), *arrived("s", bucket=2)], BUCKETS, {}).is_due


def levels(*numbers: int, partition: str = "a", size: int = KIB, **given: Any) -> list[DigestFile]:
    return [DigestFile(size, partition, bucket=0, level=level, **given) for level in numbers]


@pytest.mark.parametrize(
    ("files", "is_due"),
    [
        (levels(5, 5, 5, size=1200 * KIB), False),
        (levels(5, 5, size=1200 * KIB) + levels(0), True),  # P11: no guard
        (levels(4, size=1200 * KIB) + levels(5), True),
        (levels(0), True),  # read-optimized views lack it
        (levels(3, 3), True),
        (levels(5, delete_files=1), True),  # P9
        (levels(7, 7), False),  # a bucket keeps the levels that it has
    ],
)
@pytest.mark.parametrize(
    ("full", "rule"),
    [
        ({"interval": "1d"}, "rewrite.full.interval"),
        ({"always_below_bytes": "1GiB"}, "rewrite.full.always_below_bytes"),
    ],
)
def test_p17_p18_a_bucket_that_is_not_compacted_in_full_is_due_without_new_files(
    files: list[DigestFile], is_due: bool, full: dict[str, str], rule: str
) -> None:
    minor = [PartitionRewrite(0, "a", at_ms=9 * DAY_MS, is_full=False)]
    (state,) = evaluated(files, RUNS, full, rewrites=minor).full
    assert (state.name, state.is_due) == (rule, is_due)
    plan = plan_of(digest_of(files), POLICY, grouping=RUNS, full=True)
    assert [len(group.inputs) for group in plan.groups] == ([len(files)] if is_due else [])


def test_p16_p19_the_increment_of_a_key_table_is_all_that_is_not_at_the_last_level() -> None:
    files = [*levels(5, size=100 * KIB), *levels(0, 0, 4, size=70 * KIB)]
    assert evaluated(files, RUNS, {"when_increment_above_bytes": "209KiB"}).is_due
    assert not evaluated(files, RUNS, {"when_increment_above_bytes": "210KiB"}).is_due
    percent = {"size_amplification_percent": 200}
    assert not evaluated(files, RUNS, percent).is_due  # four sorted runs
    assert evaluated([*files, *levels(0)], RUNS, percent).is_due
    assert not evaluated([*files, *levels(5, size=100 * KIB), *levels(0)], RUNS, percent).is_due


def test_p17_the_time_of_read_optimized_views_is_that_of_the_oldest_rows_they_lack() -> None:
    """Rows of a file between can be as old as the first commit after the last full compaction."""
    files = [
        *levels(5, partition="a", data_at_ms=1000),
        *levels(0, 0, partition="b", data_at_ms=7000),
        *levels(5, partition="b", data_at_ms=2000),
        *levels(5, partition="c", data_at_ms=3000),
        *levels(4, partition="c", data_at_ms=6000),
    ]
    commits = dict(enumerate(range(1000, 9000, 1000)))
    figures = TableMeasures(has_levels=True, last_level=5, committed_at_ms=commits)
    found = health(digest_of(files), small_bytes=KIB, large_bytes=None, current_spec_id=0, figures=figures)
    until = {each.partition: each.read_optimized_until for each in found.worst_partitions}
    seconds = {name: at and at.timestamp() for name, at in until.items()}
    assert seconds == {"b": 7, "c": 4}
    assert found.read_optimized_until == until["c"]
    whole = health(digest_of(levels(5)), small_bytes=KIB, large_bytes=None, current_spec_id=0, figures=figures)
    assert whole.read_optimized_until is None
