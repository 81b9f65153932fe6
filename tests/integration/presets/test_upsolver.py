"""The preset `upsolver` on a real table: each of its three rules just below and just above what it asks for."""

from collections import Counter
from datetime import timedelta

import pytest

from engine.domain.tables.watches import Verdict
from tests.integration.presets.conftest import Kept
from tests.support.file_copies import live_files
from tests.support.watching import runs_of

MB = 10**6
SIXTY, FEWER, LARGER = "2026-11-01", "2026-11-02", "2026-11-03"


@pytest.fixture(autouse=True)
async def upsolver(kept: Kept) -> None:
    """The preset without its deletion of old copies: these tests are about its rules for rewrites."""
    await kept.by(preset="upsolver", maintenance={"delete_old_compactions": "off"})


async def test_u14_t1_sixty_small_files_begin_once_nothing_came_for_two_days(kept: Kept) -> None:
    await kept.has(SIXTY, 60)
    await kept.has(FEWER, 59)
    await kept.has(LARGER, 60)
    await kept.has(LARGER, 1, sized=61 * 32 * MB)  # now they are 32 MB on average
    written = await kept.time.clock.now()
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    await kept.time.clock.pass_until(written + timedelta(days=2, seconds=-60))
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    run = await kept.time.until(written + timedelta(days=2, seconds=60))
    assert run is not None
    assert run.request["cause"] == {"rule": "settled", "partition": f'{{"day":"{SIXTY}"}}', "due_partitions": 1}
    rows = kept.rows(SIXTY)
    await kept.rewritten()
    assert (len(kept.files(SIXTY)), kept.rows(SIXTY)) == (1, rows)  # u5: less than 500 MB gives one smaller file
    assert (len(kept.files(FEWER)), len(kept.files(LARGER))) == (59, 61)
    await kept.is_left_alone()


async def test_u15_t2_a_thousand_small_files_begin_at_once(kept: Kept) -> None:
    await kept.has(FEWER, 999)
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    await kept.has(SIXTY, 1000)
    await kept.has(LARGER, 1000, sized=33 * MB)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    (run,) = await runs_of(kept.world)
    assert (run.request["cause"]["rule"], run.request["cause"]["due_partitions"]) == ("very many files", 1)
    await kept.rewritten()
    assert (len(kept.files(SIXTY)), kept.rows(SIXTY)) == (1, 5000)
    await kept.is_left_alone()


async def test_u16_t3_two_files_begin_after_35_days_and_one_file_never_does(kept: Kept) -> None:
    await kept.has(SIXTY, 2)
    await kept.has(FEWER, 1)
    written = await kept.time.clock.now()
    seen = await kept.look()
    assert seen.reconsider_at is not None
    assert abs(seen.reconsider_at - written - timedelta(days=35)) < timedelta(seconds=10)
    await kept.time.clock.pass_until(seen.reconsider_at - timedelta(seconds=30))
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    run = await kept.time.until(seen.reconsider_at + timedelta(seconds=30))
    assert run is not None
    assert (run.request["cause"]["rule"], run.request["cause"]["due_partitions"]) == ("old", 1)
    await kept.rewritten()
    assert (len(kept.files(SIXTY)), len(kept.files(FEWER))) == (1, 1)
    await kept.is_left_alone()


async def test_u16_guard_what_a_rewrite_left_does_not_begin_again_when_it_is_old(kept: Kept) -> None:
    await kept.has(SIXTY, 2)
    await kept.time.clock.pass_by(days=36)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    for _ in range(2):
        await kept.time.clock.pass_by(days=36)
        assert (await kept.look()).verdict is Verdict.NOT_DUE
    await kept.has(SIXTY, 1)  # to the record it is as old as all others
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert len(kept.files(SIXTY)) == 1
    await kept.is_left_alone()


async def test_u4_files_of_500_mb_are_planned_and_u7_larger_ones_are_split(kept: Kept) -> None:
    await kept.has(SIXTY, 1)
    await kept.has(SIXTY, 64, sized=31 * MB)
    await kept.has(FEWER, 61)
    await kept.has(FEWER, 1, sized=950 * MB)  # above 1.8 times the target
    await kept.time.clock.pass_by(days=3)
    plan = await kept.due_plan()
    outputs = Counter[str]()
    for group in plan.groups:
        outputs[group.partition.split('"')[-2]] += group.predicted_outputs
    assert outputs == {SIXTY: 4, FEWER: 2}  # 1,984 MB and 950 MB
    assert sum(len(group.inputs) for group in plan.groups) == len(live_files(kept.lake.table))


async def test_u5_files_of_different_partitions_are_never_merged(kept: Kept) -> None:
    await kept.has(SIXTY, 60)
    await kept.has(FEWER, 60)
    await kept.time.clock.pass_by(days=3)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert [len(kept.files(day)) for day in (SIXTY, FEWER)] == [1, 1]
    await kept.is_left_alone()
