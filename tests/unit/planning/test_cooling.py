"""Plans and rules after lost races: cooling partitions are left alone, others go on, groups are smaller."""

from datetime import UTC, datetime, timedelta
from typing import Any

from engine.domain.ids import RunId
from engine.domain.runs.hot_partitions import HotPartition, HotPartitions, Place
from engine.domain.runs.plans import Plan
from engine.planning.due.evaluations import Evaluation
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import evaluated, plan_of

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MIB = 2**20
A, B = '{"day":"2026-11-01"}', '{"day":"2026-11-02"}'


def hot(place: Place, losses: int = 1, *, minutes: float = 5) -> HotPartition:
    until = NOW + timedelta(minutes=minutes)
    return HotPartition(place, losses, NOW - timedelta(days=1), until, 0, "source_gone", RunId("run_1"), 1)


def planned(files: list[DigestFile], *partitions: HotPartition, **rewrite: Any) -> Plan:
    return plan_of(digest_of(files), {"rewrite": rewrite}, hot=HotPartitions.at(NOW, partitions))


def judged(files: list[DigestFile], *partitions: HotPartition, **policy: Any) -> Evaluation:
    now_ms = round(NOW.timestamp() * 1000)
    return evaluated(files, policy, now_ms=now_ms, hot=HotPartitions.at(NOW, partitions))


def many(partition: str, count: int = 30, size: int = MIB) -> list[DigestFile]:
    return [DigestFile(size, partition) for _ in range(count)]


def test_a_cooling_partition_is_left_out_with_its_end_and_the_others_go_on() -> None:
    plan = planned(many(A) + many(B), hot((0, A)))
    assert {group.partition for group in plan.groups} == {B}
    (left,) = plan.skipped
    assert (left.partition, left.reason, left.until) == (A, "cooling_down", NOW + timedelta(minutes=5))
    plan = planned([DigestFile(128 * MIB, A)], hot((0, A)))
    assert [(each.reason, each.until) for each in plan.skipped] == [("well_sized", None)]
    files = many(A)
    assert planned(files, hot((1, A)), hot((0, "{}"))) == planned(files)


def test_a_partition_that_has_cooled_is_planned_in_smaller_groups() -> None:
    """L12: each lost race halves the groups."""
    files = many(A, 64, 16 * MIB) + many(B, 64, 16 * MIB)
    usual = {"target_file_bytes": "64MiB", "small_file_bytes": "32MiB", "max_group_bytes": "1GiB"}
    plan = planned(files, hot((0, A), losses=2, minutes=0), **usual)
    largest = {name: max(g.input_bytes for g in plan.groups if g.partition == name) for name in (A, B)}
    assert largest == {A: 256 * MIB, B: 1024 * MIB}
    assert plan.shrunk_partitions == 1
    assert plan.summary()["shrunk_partitions"] == 1
    assert sum(len(group.inputs) for group in plan.groups) == len(files)


def test_the_rules_pass_over_a_cooling_partition_and_say_when_it_is_due_after_its_seal() -> None:
    found = judged(many(A) + many(B, 2), hot((0, A)))
    (rule,) = [each for each in found.triggers if each.name == "many small files"]
    assert (found.is_due, dict(rule.held_back)) == (False, {"cooling_down": 1})
    assert found.due_in_seconds == found.cools_in_seconds == 300
    files = [DigestFile(MIB, A, added_at_ms=round((NOW - timedelta(minutes=1)).timestamp() * 1000))] * 30
    assert judged(files, hot((0, A)), seal={"quiet_for": "2m"}).due_in_seconds == 300
    assert judged(files, hot((0, A)), seal={"quiet_for": "1h"}).due_in_seconds == 59 * 60


def test_the_rules_are_due_by_the_other_partitions_and_full_rewrites_pass_over_cooling_ones_too() -> None:
    found = judged(many(A) + many(B), hot((0, A)))
    assert found.is_due
    assert [each.partition for each in found.triggers[0].due] == [B]
    assert found.due_partitions(full=False).tolist() == [False, True]
    policy = {"triggers": [], "rewrite": {"full": {"interval": "7d"}}}
    assert judged(many(A), **policy).is_due
    assert not judged(many(A), hot((0, A)), **policy).is_due
