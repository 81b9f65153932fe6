"""`maxcompute-tiered`: three services, a policy each, on one table."""

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation
from engine.domain.tables.watches import Verdict
from tests.integration.presets.conftest import Kept
from tests.support.file_copies import live_files
from tests.support.iceberg_tables import delete_positions
from tests.support.watching import runs_of

MIB, GIB = 2**20, 2**30
ONE = "2026-11-01"
AT_ONCE = {"min_interval": "0s"}
LEVELS = ((0, 16_000), (16_000, 40_000), (40_000, GIB))
"""Sizes of the files of level 0, 1 and 2 in bytes, from and below."""


def history(kept: Kept, snapshots: list[int]) -> list[list[int]]:
    """Return sorted ids: of the rows at each of the snapshots, and of those that were appended since then up to now."""
    table = kept.lake.table.refresh()
    at = [table.scan(snapshot_id=each) for each in snapshots]
    since = [table.incremental_append_scan(from_snapshot_id_exclusive=each) for each in snapshots[:-1]]
    return [sorted(scan.to_arrow()["id"].to_pylist()) for scan in (*at, *since)]


async def test_m1_clustering_compaction_and_reclamation_follow_rules_of_their_own_on_one_table(kept: Kept) -> None:
    """Small files are merged by tier, deletes into the base, and history goes after seven days: each by itself."""
    await kept.by(preset="maxcompute-tiered", schedule=AT_ONCE)
    await kept.has(ONE, 7)
    await kept.is_left_alone()
    await kept.has(ONE, 1)
    seen = [each.snapshot_id for each in kept.lake.table.refresh().snapshots()]
    before = history(kept, seen)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    clustered = await kept.rewritten()
    assert (clustered.operation, clustered.request["cause"]["rule"]) == (Operation.REWRITE, "a tier is full")
    assert history(kept, seen) == before, "queries of the past find what they found before"

    delete_positions(kept.lake.table, 0, 1, 2)
    await kept.is_left_alone()
    delete_positions(kept.lake.table, 3)  # 4 of 40 rows
    rows = kept.rows(ONE)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    compacted = await kept.rewritten()
    assert (compacted.operation, compacted.request["cause"]["rule"]) == (Operation.REWRITE, "many deletes")
    assert history(kept, seen) == before
    assert (kept.rows(ONE), rows) == (36, 36)
    await kept.is_left_alone()

    await kept.time.clock.pass_by(days=6)
    await kept.is_left_alone()
    await kept.time.clock.pass_by(days=2)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    reclaimed = await kept.rewritten()
    assert reclaimed.operation is Operation.RECLAIM
    assert len(kept.lake.table.refresh().snapshots()) == 1
    assert kept.rows(ONE) == 36
    await kept.is_left_alone()


async def test_m3_maxcompute_tiered_merges_within_a_tier_when_it_has_its_eight_files(kept: Kept) -> None:
    await kept.by(preset="maxcompute-tiered", schedule=AT_ONCE)
    await kept.has(ONE, 7)
    await kept.has(ONE, 7, sized=20 * MIB)
    assert (await kept.look()).verdict is Verdict.NOT_DUE  # 14 small files, but no tier has eight
    await kept.has(ONE, 1)
    plan = await kept.due_plan()
    assert [len(group.inputs) for group in plan.groups] == [8]
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert sorted(file.file_size_in_bytes >= 16 * MIB for file in kept.files(ONE)) == [False] + [True] * 7
    await kept.is_left_alone()


async def test_m3_a_full_tier_makes_a_partition_due_whatever_the_triggers_say(kept: Kept) -> None:
    await kept.by(rewrite={"strategy": "tiered", "tiers": [{"below_bytes": "128MiB", "files": 3}]}, schedule=AT_ONCE)
    await kept.has(ONE, 2)
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    await kept.has(ONE, 1)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    run = await kept.rewritten()
    assert run.request["cause"]["rule"] == "rewrite.tiers"
    await kept.is_left_alone()


async def test_m3_files_rise_from_level_to_level_by_size_and_number_and_the_largest_are_left_alone(kept: Kept) -> None:
    """M3: level 0 to 1 to 2, in small: four files below 16 kB make one of level 1, four of those one of level 2."""
    tiers = [{"below_bytes": 16_000, "files": 4}, {"below_bytes": 40_000, "files": 4}]
    await kept.by(preset="maxcompute-tiered", rewrite={"tiers": tiers}, schedule=AT_ONCE)
    levels, finished = [], set[str]()
    for _ in range(20):
        await asyncio.to_thread(kept.lake.append, day=ONE, rows=2000)
        while (await kept.look()).verdict is Verdict.SUBMITTED:
            await kept.rewritten()
        sizes = [file.file_size_in_bytes for file in kept.files(ONE)]
        levels.append([sum(low <= size < high for size in sizes) for low, high in LEVELS])
        largest = {file.file_path for file in kept.files(ONE) if file.file_size_in_bytes >= 40_000}
        assert finished <= largest, "a file of the last level was rewritten"
        finished = largest
    one_round = [[number, merged, 0] for merged in range(4) for number in range(4)]
    assert levels == [*one_round[1:], [0, 0, 1], *([number, 0, 1] for number in range(1, 4)), [0, 1, 1]]
    assert kept.lake.ids() == list(range(40_000))


async def test_m6_files_of_different_days_are_not_merged(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """By when their data was committed: what a rewrite left of one day is not merged with the next day's files."""
    await kept.by(preset="maxcompute-tiered", schedule=AT_ONCE)
    today = datetime.now(UTC).replace(hour=12)
    for days in (1, 2, 3):  # ahead, as a table takes no snapshot that is older than its newest
        noon = (today + timedelta(days=days)).timestamp()
        monkeypatch.setattr("pyiceberg.table.snapshots.time", SimpleNamespace(time=lambda at=noon: at))
        await kept.has(ONE, 8)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    assert sorted(file.record_count for file in kept.files(ONE)) == [40, 40, 40]
    await kept.is_left_alone()
    forced = await kept.world.submit(RunRequest(force_full=True))
    assert (await kept.world.finish(forced.id)).reason == "nothing_to_do"


async def test_m5_files_above_1_gib_are_left_alone_and_m7_a_budget_holds_the_rest_back(kept: Kept) -> None:
    await kept.by(preset="maxcompute-tiered", limits={"bytes_per_day": "1MiB"}, schedule=AT_ONCE)
    await kept.has(ONE, 7)
    await kept.has(ONE, 1, sized=GIB + 1)
    assert (await kept.look()).verdict is Verdict.NOT_DUE
    await kept.has(ONE, 1)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    (run,) = await runs_of(kept.world)
    kept.world.spend(run.id, MIB)
    await kept.world.container.worker.advance(run.id)
    waits = await kept.world.get(run.id)
    assert (waits.waiting_for, waits.reason) == ("budget", "bytes_per_day")
    await kept.time.clock.pass_by(hours=24, seconds=1)
    await kept.rewritten()
    assert sorted(file.file_size_in_bytes > GIB for file in live_files(kept.lake.table)) == [False, True]
    await kept.is_left_alone()
