"""Sentences of explain's summary that depend on one fact that no situation of `explanations` has."""

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest

from engine.domain.fleet.budgets import Budget
from engine.domain.fleet.limits import AtWork, FleetLimits, FleetRow
from engine.domain.runs.hot_partitions import HotPartition, HotPartitions
from engine.domain.runs.run import Operation, RunState, WaitingFor
from engine.domain.tables.table import Freeze, Pause
from engine.formats.base import Condition
from engine.planning.measures.sorted_runs import FullestBucket
from engine.services.explain.facts import Facts, too_small_budget
from engine.services.explain.other_compactors import OtherCompactor
from engine.services.planning.engines import BY_NATIVE
from engine.services.planning.upkeep.states import UpkeepState
from engine.services.runs.budgets import DayBudget
from tests.unit.services.expected_sentences import Expected, check
from tests.unit.services.explanations import (
    DUE,
    HOLDS,
    MIB,
    NOW,
    RUN,
    TABLE,
    a_run,
    ago,
    day,
    sentences,
    situation,
)

_STOPPED: Final = FleetRow(1, NOW, "x", FleetLimits(), Pause(ago(hours=1), "key:chief", "incident 12", stops=False))


def test_a_last_run_without_work_or_that_was_cancelled_has_its_reason():
    skipped = a_run(RunState.SKIPPED, reason="nothing_to_do", detail="all files are large", finished_at=ago(hours=1))
    said = "Its last run, run_7, found nothing to do at 2026-11-21 11:00 UTC: all files are large."
    check(sentences(situation(DUE, ended=(skipped,))), Expected((said,)))
    cancelled = a_run(RunState.CANCELLED, reason="cancelled", detail="by key:ops", finished_at=ago(hours=1))
    said = "Its last run, run_7, was cancelled at 2026-11-21 11:00 UTC: cancelled on request (by key:ops)."
    check(sentences(situation(DUE, ended=(cancelled,))), Expected((said,)))


@pytest.mark.parametrize("until", [None, NOW + timedelta(hours=1)])
def test_a_waiting_run_has_what_it_waits_for(until: Any):
    waiting = a_run(RunState.QUEUED, waiting_for=WaitingFor.QUIET_HOURS, not_before=until)
    said = f"Run run_7 waits{' until 2026-11-21 13:00 UTC' if until else ''}: quiet hours."
    check(sentences(situation(DUE, live=(waiting,))), Expected((said,), unsaid=("is queued",)))


def test_a_full_fleet_and_a_frozen_table_have_the_cause_and_the_remedy():
    fleet = FleetRow(1, NOW, "x", FleetLimits(parallel_runs=2))
    said = (
        "Held back: the fleet's limit of parallel_runs or parallel_groups is reached (2 of 2; the next run starts when "
        "one ends, or after parallel_runs is raised in the limits)."
    )
    found = sentences(situation(DUE, fleet=fleet, fleet_at_work=AtWork({"archive": 2})))
    check(found, Expected((said,), unsaid=("No run starts automatically", "its catalog's limit")))
    fleet = replace(fleet, limits=FleetLimits(parallel_groups=4))
    said = (
        "Held back: the fleet's limit of parallel_runs or parallel_groups is reached (4 rewrites at work, "
        "parallel_groups is 4; the next run starts when one ends, or after parallel_groups is raised in the limits)."
    )
    check(sentences(situation(DUE, fleet=fleet, fleet_at_work=AtWork({"archive": 5}, {}, 4))), Expected((said,)))
    frozen = replace(TABLE, freeze=Freeze(ago(hours=1), RUN, 1, None, "rows were lost"))
    said = (
        "Held back: the table is frozen because a proof failed (since 2026-11-21 11:00 UTC: rows were lost; unfreezing "
        "the table ends it)."
    )
    check(sentences(situation(DUE, table=frozen)), Expected((said,)))


def test_a_daily_budget_leaves_groups_for_later_or_makes_a_run_fail_where_it_is_below_one():
    facts = situation(DUE, {"limits": {"bytes_per_day": "100MiB"}}, day=DayBudget(100 * MIB, 30 * MIB, NOW))
    said = (
        "A run now would rewrite 25 files (25 MiB) in 1 group into about 1",
        "1 group would be left for later: more than is left of limits.bytes_per_day.",
        "30 MiB of limits.bytes_per_day (100 MiB) are left.",
    )
    check(sentences(facts), Expected(said, unsaid=("Held back",)))
    facts = situation(DUE, {"limits": {"bytes_per_day": "10MiB"}}, day=DayBudget(10 * MIB, 10 * MIB, None))
    said = (
        "lake.sales.orders can't be rewritten in its current state.",
        (
            "It can't be rewritten: limits.bytes_per_day is set (origin: table), and one file group (40 MiB) is more: "
            "raise it, or lower rewrite.max_group_bytes (rewrite.max_ordered_bytes where rows are put into order)."
        ),
        "A run now would fail for this reason.",
    )
    refused = replace(facts, refusals=tuple(too_small_budget(facts)))
    check(sentences(refused), Expected(said, unsaid=("It can be rewritten", "A run now would rewrite")))


def test_a_limit_of_the_rate_and_a_blackout_without_end_are_named():
    facts = situation(DUE)
    plan = facts.sight.trial.plan
    limited = replace(plan, time=replace(plan.time, limit=Budget(bytes_per_second=30 * MIB)))
    facts = replace(facts, sight=replace(facts.sight, trial=replace(facts.sight.trial, plan=limited)))
    check(
        sentences(facts), Expected(("That time is assumed: no run has been measured yet, under a limit of 30 MiB/s.",))
    )
    facts = situation(
        DUE, {"blackouts": [{"from": "2026-11-20", "to": "2026-11-24", "time_zone": "UTC", "reason": "close"}]}
    )
    endless = replace(facts, windows=facts.windows._replace(ends_at=None))
    check(sentences(endless), Expected(("Held back: a blackout", "The end of the blackout is not known.")))


def test_of_many_due_rules_five_are_named_and_a_least_number_of_files_has_its_setting_to_lower():
    rules = [{"name": f"r{at}", "all": [{"metric": "small_file_count", "at_least": at}]} for at in range(1, 10)]
    said = (
        (
            "Rule 'r1' makes 2 partitions due, most of all day=2026-11-19 with 40 files (40 MiB): "
            "small_file_count 40 (wanted: at least 1)."
        ),
        (
            "Also due by 'r2' (2 partitions), 'r3' (2 partitions), 'r4' (2 partitions), 'r5' (2 partitions), 'r6' "
            "(2 partitions) and 3 others."
        ),
    )
    check(sentences(situation(DUE, {"triggers": rules})), Expected(said))
    rule = {"name": "four", "all": [{"metric": "small_file_count", "at_least": 4}]}
    facts = situation(day(18, 4) + day(19, 30), {"triggers": [rule], "rewrite": {"min_input_files": 50}})
    said = (
        "A run now would find nothing to do: 2 partitions: fewer candidates than rewrite.min_input_files.",
        "Rule 'four' holds, but makes nothing due: 2 partitions: fewer candidates than rewrite.min_input_files.",
        "32 of them are in partitions with fewer candidates than rewrite.min_input_files (50, table): lower it.",
        "To take smaller partitions, lower rewrite.min_input_files (50, table).",
    )
    check(sentences(facts), Expected(said, unsaid=("Add a rule to triggers",)))


def test_the_native_engine_the_two_busiest_other_compactors_and_cool_downs_of_whole_tables_are_named():
    hot = HotPartition((0, "{}"), 2, ago(minutes=2), NOW + timedelta(minutes=9), 3 * MIB, "gone", RUN, 1)
    said = (
        "1 partition cools down after lost races, the whole table until 2026-11-21 12:09 UTC (2 lost races in a row); "
        "a run with include_cooling takes them anyway."
    )
    check(sentences(situation(DUE, hot=HotPartitions.at(NOW, [hot]))), Expected((said,)))
    native = Condition(BY_NATIVE, True, "Iceberg's rewrite_data_files")
    said = ("It can be rewritten: all 3 conditions hold.", "It is rewritten by Iceberg's rewrite_data_files.")
    check(sentences(situation(DUE, conditions=(*HOLDS, native))), Expected(said))
    engines = (("spark", "etl"), ("trino", None), ("x", None))
    others = [OtherCompactor(engine, application, 3, ago(hours=1)) for engine, application in engines]
    cause = "replaced files 3 times in the last day: compactors on the same partitions make each other's commits fail."
    said = (f"Another compactor (spark, application etl) {cause}", f"Another compactor (trino) {cause}")
    check(sentences(seen(others=others)), Expected(said, unsaid=("Another compactor (x)",)))


def seen(**changes: Any) -> Facts:
    """Return the facts of a due table with another state of the table itself."""
    facts = situation(DUE)
    return replace(facts, sight=replace(facts.sight, **changes))


def test_files_outside_of_the_location_of_old_specs_and_with_small_row_groups_are_counted():
    health = situation(DUE).sight.health
    assert health is not None
    changed = replace(
        health,
        outside_file_count=3,
        old_spec_file_count=5,
        old_spec_bytes=7 * MIB,
        small_row_group_file_count=2,
        small_row_group_bytes=4 * MIB,
    )
    said = (
        (
            "3 files or their deletes are outside of the table's location: their partitions are left alone, unless its "
            "catalog has outside_files: allowed_locations."
        ),
        (
            "5 files (7 MiB) are under older partition specs: a rewrite merges them only with files of the same spec "
            "and partition; rewrite.output_spec: current would move their rows."
        ),
        "2 files of many row groups below 4 MiB: a rewrite merges them, regardless of the file size.",
    )
    check(sentences(seen(health=changed)), Expected(said))


@pytest.mark.parametrize(
    ("hides", "said"),
    [
        (
            False,
            "A bucket has 5 files of level 0: the table's runs precede others that waited as long by up to 15 min.",
        ),
        (
            True,
            (
                "A bucket has 5 files of level 0, which readers skip until they are compacted: the table's runs "
                "precede others of their priority, by 45 min of waiting."
            ),
        ),
    ],
)
def test_p15_the_place_in_the_queue_by_files_of_level_0_is_named(hides: bool, said: str) -> None:
    facts = seen()
    assert facts.sight.health is not None
    fullest = FullestBucket(0, "{}", 0, sorted_run_count=6, level0_file_count=0, hides_level0=hides)
    health = replace(facts.sight.health, fullest_bucket=fullest, level0_file_count=5)
    check(sentences(seen(health=health)), Expected((said,)))


@pytest.mark.parametrize(
    ("state", "fleet", "said"),
    [
        ({"is_due": True}, FleetRow(1, NOW, "x", FleetLimits()), "It is due to expire snapshots: 7 are old."),
        (
            {"is_due": True},
            _STOPPED,
            "It is due to expire snapshots, and held back (all tables are paused): 7 are old.",
        ),
        (
            {"is_due": False, "due_at": NOW + timedelta(hours=3)},
            _STOPPED,
            "It is not due to expire snapshots before 2026-11-21 15:00 UTC: 7 are old.",
        ),
        ({"is_due": False}, _STOPPED, "It is not due to expire snapshots: 7 are old."),
        ({"is_due": True, "blocked": "x"}, _STOPPED, "Its expire_snapshots can't be applied: 7 are old."),
    ],
)
def test_the_state_of_another_operation_is_named(state: dict[str, Any], fleet: FleetRow, said: str):
    upkeep = UpkeepState(
        Operation.EXPIRE_SNAPSHOTS, "expire_snapshots", words="7 are old", **({"due_at": None} | state)
    )
    facts = situation(DUE, fleet=fleet)
    facts = replace(facts, sight=replace(facts.sight, upkeep=(upkeep,)))
    check(
        sentences(facts),
        Expected(("No run starts automatically" if fleet.pause else "A rewrite starts automatically", said)),
    )
