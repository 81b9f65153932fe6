"""`balanced`, and the presets of key tables as far as Iceberg tables have a use for them."""

from datetime import timedelta

import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.domain.tables.watches import Verdict
from tests.integration.presets.conftest import Kept
from tests.support.file_copies import add_copies, remove

MIB, GIB = 2**20, 2**30
ONE, OTHER = "2026-11-01", "2026-11-02"
AT_ONCE = {"min_interval": "0s"}


async def test_p25_balanced_begins_at_twenty_small_files_that_are_a_fifth_and_doubled(kept: Kept) -> None:
    await kept.by(preset="balanced")
    await kept.has(ONE, 19)
    await kept.has(OTHER, 1)
    await kept.has(OTHER, 81, sized=100 * MIB)
    await kept.has(OTHER, 19)
    assert (await kept.look()).verdict is Verdict.NOT_DUE  # 19 small files; 20 of 101
    await kept.has(ONE, 1)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    run = await kept.rewritten()
    assert (run.request["cause"]["due_partitions"], len(kept.files(ONE)), len(kept.files(OTHER))) == (1, 1, 101)
    await kept.is_left_alone()
    remove(kept.lake.table, [file for file in kept.files(OTHER) if file.file_size_in_bytes >= 100 * MIB][:1])
    assert run.started_at is not None
    again = await kept.time.until(run.started_at + timedelta(minutes=11))  # 20 of 100, and the rest of 10 minutes
    assert again is not None
    assert again.created_at - run.started_at >= timedelta(minutes=10)
    await kept.rewritten()
    assert len(kept.files(OTHER)) == 81
    await kept.is_left_alone()


async def test_balanced_begins_by_time_alone_an_hour_after_the_last_of_five_small_files(kept: Kept) -> None:
    await kept.by(preset="balanced")
    await kept.has(ONE, 5)
    await kept.has(OTHER, 4)
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    facts = await kept.time.facts()
    evaluation = facts.sight.evaluation
    assert evaluation is not None
    assert evaluation.due_in_seconds is not None
    assert 3500 < evaluation.due_in_seconds <= 3600
    due_at = facts.record.now + timedelta(seconds=evaluation.due_in_seconds)
    run = await kept.time.until(due_at + timedelta(minutes=1))
    assert run is not None
    assert run.created_at >= due_at
    assert (await kept.rewritten()).request["cause"]["rule"] == "settled"
    assert (len(kept.files(ONE)), len(kept.files(OTHER))) == (1, 4)
    await kept.is_left_alone()


async def test_p7_paimon_universal_merges_windows_of_neighbours_and_keeps_the_order_of_arrival(kept: Kept) -> None:
    await kept.by(preset="paimon-universal", schedule=AT_ONCE)
    await kept.has(ONE, 5)
    await kept.has(ONE, 1, sized=120 * MIB)  # of the right size: windows end before it and begin after it
    await kept.has(ONE, 4)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    first, middle, *rest = kept.arrived(ONE)
    assert (first.record_count, middle.file_size_in_bytes, len(rest)) == (25, 120 * MIB, 4)
    await kept.has(ONE, 1)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert [file.record_count for file in kept.arrived(ONE)] == [25, middle.record_count, 25]
    await kept.is_left_alone()


async def test_p24_a_trigger_of_sorted_runs_never_holds_and_says_why(kept: Kept) -> None:
    await kept.by(preset="paimon-universal")
    await kept.has(ONE, 4)
    evaluation = (await kept.time.facts()).sight.evaluation
    assert evaluation is not None
    runs, files = evaluation.triggers
    assert not runs.is_due
    assert runs.conditions[0].detail == "this table format keeps no sorted runs"
    assert (files.is_due, files.conditions[0].measured) == (False, 4)


async def test_p13_five_small_files_begin_and_p12_the_file_they_leave_waits_for_four_more(kept: Kept) -> None:
    await kept.by(preset="paimon-universal", schedule=AT_ONCE)
    await kept.has(ONE, 4)
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    await kept.has(ONE, 1)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert len(kept.files(ONE)) == 1
    await kept.is_left_alone()
    await kept.has(ONE, 3)
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    await kept.has(ONE, 1)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert len(kept.files(ONE)) == 1
    await kept.is_left_alone()


@pytest.mark.parametrize(
    ("setting", "rule"),
    [
        pytest.param({"interval": "1d"}, "rewrite.full.interval", id="p17"),
        pytest.param({"always_below_bytes": "1GiB"}, "rewrite.full.always_below_bytes", id="p18"),
        pytest.param({"when_increment_above_bytes": "1kB"}, "rewrite.full.when_increment_above_bytes", id="p19"),
    ],
)
async def test_p17_p18_p19_a_full_rewrite_begins_by_its_setting_and_not_again_without_a_change(
    kept: Kept, setting: dict[str, str], rule: str
) -> None:
    full = {"min_input_files": 100, "full": setting}
    await kept.by(preset="paimon-universal", rewrite=full, schedule=AT_ONCE)
    await kept.has(ONE, 3)
    await kept.has(OTHER, 2)  # p11: fewer than three files
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    run = await kept.rewritten()
    assert (run.request["cause"]["rule"], run.request["force_full"]) == (rule, True)
    assert (len(kept.files(ONE)), len(kept.files(OTHER))) == (1, 2)
    await kept.time.clock.pass_by(days=2)
    await kept.is_left_alone()


async def test_p16_more_than_twice_the_base_begins_a_full_rewrite(kept: Kept) -> None:
    await kept.by(preset="paimon-universal", rewrite={"min_input_files": 100}, schedule=AT_ONCE)
    await kept.has(ONE, 4)
    first = await kept.world.submit(RunRequest(force_full=True))
    assert (await kept.world.finish(first.id)).state is RunState.SUCCEEDED
    await kept.is_left_alone()
    (base,) = kept.files(ONE)
    add_copies(kept.lake.table, base, 2)  # 200 % of it, and not more
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    add_copies(kept.lake.table, base, 1)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    run = await kept.rewritten()
    assert run.request["cause"]["rule"] == "rewrite.full.size_amplification_percent"
    assert len(kept.files(ONE)) == 1
    await kept.is_left_alone()


@pytest.mark.parametrize(("at_least", "rewritten_at"), [(2, [2, 3, 4, 5]), (4, [4])], ids=["eager", "lazy"])
async def test_p21_an_eager_rule_rewrites_at_each_commit_and_a_lazy_one_at_its_threshold(
    kept: Kept, at_least: int, rewritten_at: list[int]
) -> None:
    rule = {"name": "small files", "all": [{"metric": "small_file_count", "at_least": at_least}]}
    await kept.by(triggers=[rule], schedule=AT_ONCE)
    rewrites = []
    for commit in range(1, 6):
        await kept.has(ONE, 1)
        if (await kept.look()).verdict is Verdict.SUBMITTED:
            await kept.rewritten()
            rewrites.append(commit)
    assert rewrites == rewritten_at
