"""What time alone makes due, which partitions a run by itself takes, and what rewrites leave is left alone."""

from typing import Any

import pytest

from engine.planning.due.evaluations import Evaluation, evaluate_policy
from engine.planning.measures.digest import PartitionTime, TableMeasures, TimeUnit
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import policy_of

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
    effective = policy_of(policy)
    figures, history = more.get("figures", TableMeasures()), more.get("history", RewriteHistory())
    return evaluate_policy(digest_of(given), figures, history, effective, now_ms=NOW_MS)


REWRITTEN = RewriteHistory([PartitionRewrite(0, ONE, DONE_MS, is_full=False)])
OLD = rule({"metric": "newest_file_age", "at_least": "12h"}, {"metric": "file_count", "at_least": 10})


def test_a_rule_about_age_is_due_when_the_age_is_reached():
    assert evaluated(OLD, files(10, hours=10)).due_in_seconds == pytest.approx(2 * HOUR)
    assert evaluated(OLD, files(10, hours=12)).due_in_seconds == 0


def test_of_several_partitions_the_first_to_be_due_counts():
    given = files(10, hours=10) + files(10, hours=11, partition=TWO)
    assert evaluated(OLD, given).due_in_seconds == pytest.approx(HOUR)


def test_a_rule_that_lacks_files_is_never_due_by_time_alone():
    assert evaluated(OLD, files(9, hours=10)).due_in_seconds is None
    assert evaluated({}, files(4)).due_in_seconds is None
    assert evaluated(rule({"metric": "newest_file_age", "below": "1h"}), files(10)).due_in_seconds is None


def test_what_planning_would_leave_alone_is_never_due_by_time_alone():
    assert evaluated(OLD, files(10, 128 * MIB, hours=10)).due_in_seconds is None


def test_a_rule_that_holds_is_due_when_the_seal_is_there():
    policy = rule({"metric": "file_count", "at_least": 10}) | {"seal": {"quiet_for": "12h"}}
    assert evaluated(policy, files(10, hours=11)).due_in_seconds == pytest.approx(HOUR)


def test_age_and_seal_both_have_to_be_there():
    policy = OLD | {"seal": {"quiet_for": "20h"}}
    assert evaluated(policy, files(10, hours=10)).due_in_seconds == pytest.approx(10 * HOUR)


def test_a_full_rewrite_is_due_when_its_interval_is_over():
    policy = {"triggers": [], "rewrite": {"full": {"interval": "1d"}}}
    history = RewriteHistory([PartitionRewrite(0, ONE, NOW_MS - 20 * 3_600_000, is_full=True)])
    found = evaluated(policy, files(6), history=history)
    assert (found.wants_full, found.due_in_seconds) == (False, pytest.approx(4 * HOUR))


def test_the_due_partitions_are_those_of_the_rules_that_are_due():
    given = files(30, hours=0.1) + files(5, hours=0.1, partition=TWO)
    found = evaluated({}, given)
    assert found.due_partitions(full=False).tolist() == [True, False]
    assert found.due_partitions(full=True).tolist() == [False, False]


def test_a_rule_for_the_whole_table_makes_every_sealed_partition_due_that_is_worth_it():
    figures = TableMeasures(snapshot_count=9, times={0: PartitionTime("day", TimeUnit.DAY)})
    given = files(10) + files(10, 128 * MIB, partition=TWO)
    found = evaluated(rule({"metric": "snapshot_count", "at_least": 5}), given, figures=figures)
    assert found.is_due
    assert found.due_partitions(full=False).tolist() == [True, False]


def test_f23_what_a_rewrite_left_small_is_not_rewritten_again_by_itself():
    found = evaluated({}, left(25, 90 * MIB), history=REWRITTEN)
    many = found.rules[0]
    assert (found.is_due, dict(many.held_back), found.due_in_seconds) == (False, {"remainder": 1}, None)


def test_p12_what_a_rewrite_left_goes_along_with_enough_new_files():
    assert not evaluated({}, left(1, 40 * MIB) + files(39, hours=0.1), history=REWRITTEN).is_due
    assert evaluated({}, left(1, 40 * MIB) + files(40, hours=0.1), history=REWRITTEN).is_due


def test_what_a_rewrite_left_is_rewritten_for_a_much_larger_target():
    larger = {"rewrite": {"target_file_bytes": "512MiB"}}
    assert evaluated(larger, left(25, 90 * MIB), history=REWRITTEN).is_due


def test_deletes_in_what_a_rewrite_left_are_a_reason_of_their_own():
    policy = rule({"metric": "file_count", "at_least": 2})
    assert evaluated(policy, left(2, 90 * MIB, delete_files=1, deleted_rows=5), history=REWRITTEN).is_due


def test_files_that_a_failed_rewrite_did_not_reach_are_still_due():
    assert evaluated({}, left(10, MIB) + files(20), history=REWRITTEN).is_due
