"""What time alone makes due, which partitions a run by itself takes, and what rewrites leave is left alone."""

from typing import Any

import pytest

from engine.domain.values.partitions import TimeUnit
from engine.planning.due.evaluations import Evaluation
from engine.planning.measures.digest import PartitionTime, TableMeasures
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from tests.support import planning
from tests.support.digests import DigestFile

MIB = 2**20
HOUR = 3600.0
NOW_MS = 1_790_000_000_000
DONE_MS = NOW_MS - 600_000
ONE, TWO = '{"day":"2026-11-19"}', '{"day":"2026-11-20"}'


def files(count: int, size: int = MIB, *, hours: float = 10, partition: str = ONE) -> list[DigestFile]:
    return [DigestFile(size, partition, added_at_ms=NOW_MS - round(hours * HOUR * 1000)) for _ in range(count)]


def left(count: int, size: int, **more: Any) -> list[DigestFile]:
    """Files that a rewrite added."""
    return [DigestFile(size, ONE, added_at_ms=DONE_MS, **more) for _ in range(count)]


def rule(*conditions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"triggers": [{"name": "r", "all": list(conditions), **more}]}


def evaluated(policy: dict[str, Any], given: list[DigestFile], **more: Any) -> Evaluation:
    return planning.evaluated(given, policy, now_ms=NOW_MS, **more)


REWRITTEN = RewriteHistory([PartitionRewrite(0, ONE, DONE_MS, is_full=False)])
OLD = rule({"metric": "newest_file_age", "at_least": "12h"}, {"metric": "file_count", "at_least": 10})


def test_a_rule_about_age_is_due_when_the_age_is_reached_in_the_first_partition():
    assert evaluated(OLD, files(10, hours=10)).due_in_seconds == pytest.approx(2 * HOUR)
    assert evaluated(OLD, files(10, hours=12)).due_in_seconds == 0
    given = files(10, hours=10) + files(10, hours=11, partition=TWO)
    assert evaluated(OLD, given).due_in_seconds == pytest.approx(HOUR)


def test_a_rule_that_lacks_files_or_a_reason_to_plan_is_never_due_by_time_alone():
    assert evaluated(OLD, files(9, hours=10)).due_in_seconds is None
    assert evaluated({}, files(4)).due_in_seconds is None
    assert evaluated(rule({"metric": "newest_file_age", "below": "1h"}), files(10)).due_in_seconds is None
    assert evaluated(OLD, files(10, 128 * MIB, hours=10)).due_in_seconds is None


def test_a_rule_that_holds_and_a_full_rewrite_are_due_when_age_seal_and_interval_are_there():
    policy = rule({"metric": "file_count", "at_least": 10}) | {"seal": {"quiet_for": "12h"}}
    assert evaluated(policy, files(10, hours=11)).due_in_seconds == pytest.approx(HOUR)
    policy = OLD | {"seal": {"quiet_for": "20h"}}
    assert evaluated(policy, files(10, hours=10)).due_in_seconds == pytest.approx(10 * HOUR)
    policy = {"triggers": [], "rewrite": {"full": {"interval": "1d"}}}
    history = RewriteHistory([PartitionRewrite(0, ONE, NOW_MS - 20 * 3_600_000, is_full=True)])
    found = evaluated(policy, files(6), history=history)
    assert (found.wants_full, found.due_in_seconds) == (False, pytest.approx(4 * HOUR))


def test_the_due_partitions_are_those_of_the_rules_that_are_due_for_the_whole_table_the_sealed_ones():
    given = files(30, hours=0.1) + files(5, hours=0.1, partition=TWO)
    found = evaluated({}, given)
    assert found.due_partitions(full=False).tolist() == [True, False]
    assert found.due_partitions(full=True).tolist() == [False, False]
    figures = TableMeasures(snapshot_count=9, times={0: PartitionTime("day", TimeUnit.DAY)})
    given = files(10) + files(10, 128 * MIB, partition=TWO)
    found = evaluated(rule({"metric": "snapshot_count", "at_least": 5}), given, figures=figures)
    assert found.is_due
    assert found.due_partitions(full=False).tolist() == [True, False]


def test_f23_p12_what_a_rewrite_left_small_is_rewritten_with_enough_new_files_only():
    found = evaluated({}, left(25, 90 * MIB), history=REWRITTEN)
    many = found.rules[0]
    assert (found.is_due, dict(many.held_back), found.due_in_seconds) == (False, {"remainder": 1}, None)
    assert not evaluated({}, left(1, 40 * MIB) + files(39, hours=0.1), history=REWRITTEN).is_due
    assert evaluated({}, left(1, 40 * MIB) + files(40, hours=0.1), history=REWRITTEN).is_due


def test_what_a_rewrite_left_is_rewritten_for_a_larger_target_for_deletes_and_with_what_it_did_not_reach():
    larger = {"rewrite": {"target_file_bytes": "512MiB"}}
    assert evaluated(larger, left(25, 90 * MIB), history=REWRITTEN).is_due
    policy = rule({"metric": "file_count", "at_least": 2})
    assert evaluated(policy, left(2, 90 * MIB, delete_files=1, deleted_rows=5), history=REWRITTEN).is_due
    assert evaluated({}, left(10, MIB) + files(20), history=REWRITTEN).is_due
