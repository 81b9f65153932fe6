"""The decision on each partition of a table: the plan that an automatic run would begin with, and reasons otherwise."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.domain.ids import RunId
from engine.domain.runs.hot_partitions import HotPartition, HotPartitions
from engine.domain.runs.plans import Plan
from engine.planning.due.evaluations import Evaluation
from engine.planning.due.partition_decisions import PartitionDecision, PartitionDecisions, PlannedWork
from engine.planning.measures.partitions import partition_files
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import evaluated, plan_of

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MIB = 2**20
A, B, C = (f'{{"day":"2026-11-0{day}"}}' for day in (1, 2, 3))
FEW = {"name": "few", "all": [{"metric": "file_count", "at_least": 5}]}
MANY = {"name": "many", "all": [{"metric": "file_count", "at_least": 20}]}


def files_of(partition: str, count: int, size: int = MIB) -> list[DigestFile]:
    return [DigestFile(size, partition) for _ in range(count)]


def decided(
    files: list[DigestFile], *hot: HotPartition, planned: list[DigestFile] | None = None, **policy: Any
) -> dict[str, PartitionDecision]:
    """Return the decisions by partition; `planned`: the files of due partitions, None if none is due."""
    digest, cooling = digest_of(files), HotPartitions.at(NOW, hot)
    evaluation = judged(files, cooling, **policy)
    plan = None if planned is None else plan_of(digest_of(planned), {}, hot=cooling)
    names = partition_files(digest).names
    decisions = PartitionDecisions.of([(0, name) for name in names], evaluation, plan, cooling)
    return {name: decisions.at(index, (0, name)) for index, name in enumerate(names)}


def judged(files: list[DigestFile], hot: HotPartitions, **policy: Any) -> Evaluation:
    return evaluated(files, policy, now_ms=round(NOW.timestamp() * 1000), hot=hot)


def test_a_due_partition_has_its_rules_and_its_part_of_the_plan() -> None:
    files = files_of(A, 30) + files_of(B, 6) + files_of(C, 2)
    found = decided(files, planned=files[:36], triggers=[FEW, MANY])
    assert (found[A].rules, found[A].reason) == (["few", "many"], None)
    assert found[A].work == PlannedWork(30, 30 * MIB, 1)
    assert (found[B].rules, found[B].work) == (["few"], PlannedWork(6, 6 * MIB, 1))
    assert (found[C].is_due, found[C].reason, found[C].work) == (False, "not_due", None)


def test_a_partition_for_which_a_rule_holds_has_the_guard_that_holds_it_back() -> None:
    files = files_of(A, 30) + files_of(B, 30, size=128 * MIB)
    lost_at, until = NOW - timedelta(minutes=1), NOW + timedelta(minutes=4)
    found = decided(files, HotPartition((0, A), 1, lost_at, until, 0, "new_deletes", RunId("run_1"), 1), triggers=[FEW])
    assert (found[A].is_due, found[A].reason, found[A].cools_until) == (False, "cooling_down", until)
    assert (found[B].is_due, found[B].reason, found[B].cools_until) == (False, "well_sized", None)


def test_a_due_partition_that_the_plan_leaves_out_has_its_reason_or_waits_for_a_full_rewrite_of_others() -> None:
    files = files_of(A, 30) + files_of(B, 30)
    assert decided(files, planned=files[:30], triggers=[FEW])[B].reason == "later"
    skipped = plan_of(digest_of(files), {"rewrite": {"exclude_above_bytes": "1KiB"}})
    assert reasons_with(files, skipped) == {A: "excluded_above", B: "excluded_above"}
    files = files_of(A, 30)
    plan = plan_of(digest_of(files), {"rewrite": {"exclude_above_bytes": "1KiB"}})
    assert reasons_with(files, plan, full=True) == {A: "full_first"}
    assert reasons_with(files, replace(plan, skipped=()), full=True) == {A: "full_first"}, "however many are skipped"


def reasons_with(files: list[DigestFile], plan: Plan, *, full: bool = False) -> dict[str, str | None]:
    hot = HotPartitions.at(NOW, ())
    names = partition_files(digest_of(files)).names
    evaluation = judged(files, hot, triggers=[FEW])
    decisions = PartitionDecisions.of([(0, name) for name in names], evaluation, plan, hot, full=full)
    return {name: decisions.at(index, (0, name)).reason for index, name in enumerate(names)}
