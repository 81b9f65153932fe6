"""What a rewrite comes to when nothing goes wrong, and when there is nothing to do or nothing may be done."""

from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.limits import FleetLimits
from engine.domain.runs.run import GroupState, RunState
from tests.support.attempts import (
    advanced,
    append_files,
    content,
    die_at,
    events_of,
    groups_of,
    resumed_from,
    set_properties,
)
from tests.support.windows_ahead import change_policy
from tests.support.world import NAME, SCHEMA, SPEC, World


async def test_small_files_become_one_file_a_partition(world: World) -> None:
    """L5: the small files of each partition become one."""
    rows = content(world)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(world.lake.paths()) == 3
    assert content(world) == rows
    assert [group.state for group in await groups_of(world, run.id)] == [GroupState.COMMITTED] * 3
    states = [(event.from_state, event.to_state) for event in await events_of(world, run.id)]
    assert [to_state for from_state, to_state in states if to_state not in (None, from_state)] == [
        RunState.QUEUED,
        RunState.PLANNING,
        RunState.REWRITING,
        RunState.COMMITTING,
        RunState.SUCCEEDED,
    ], "every transition is an event"


async def test_l5_bin_packing_keeps_the_rows_of_a_partition_in_the_order_in_which_they_arrived(world: World) -> None:
    """L5: files are written one after the other, in the order of their commits; no row is moved among them."""
    for rows in (300, 20, 100):
        world.lake.append(day="2026-11-01", rows=rows)
    arrived = [ids_in(path) for path in sorted(world.lake.paths(), key=lambda path: min(ids_in(path)))]
    await world.rewrite()
    for path in world.lake.paths():
        ids = ids_in(path)
        assert ids == [each for file in arrived if file[0] in ids for each in file]


def ids_in(path: str) -> list[int]:
    found: list[int] = pq.read_table(path.removeprefix("file://"), columns=["id"])["id"].to_pylist()
    return found


async def test_the_snapshot_names_the_run_that_made_it(world: World) -> None:
    """L13: the attempt, which is the token that fences writes, is in the summary of the snapshot."""
    run = await world.rewrite()
    (summary,) = world.lake.replaces()
    assert summary["packhouse.run-id"] == run.id
    assert summary["packhouse.attempt"] == "1"
    assert run.result.document["snapshot_ids"] == [str(world.lake.table.metadata.current_snapshot_id)]


async def test_the_result_counts_what_the_table_shows(world: World) -> None:
    """L5: predicted and actual files are compared. The time that the work took is kept for predictions."""
    before = world.lake.paths()
    run = await world.rewrite()
    assert run.result.rewritten_files == len(before) == run.result.predicted["input_files"]
    assert run.result.added_files == len(world.lake.paths()) == run.result.predicted["output_files"]
    assert run.result.document["rewritten_rows"] == run.result.document["added_rows"] == len(world.lake.ids())
    assert [v["ok"] for v in run.result.verifications] == [True]
    async with world.container.database.read() as unit:
        (time,) = await unit.run_times.list(world.table_id)
    actual = run.result.actual
    assert (time.size.groups, time.size.files, time.size.bytes) == (3, actual["input_files"], actual["input_bytes"])
    assert time.seconds == pytest.approx(actual["seconds"], abs=0.002)


async def test_predictions_learn_from_what_the_last_runs_came_to(world: World) -> None:
    first = await world.rewrite()
    for day in ("2026-12-01", "2026-12-02"):
        append_files(world.lake, day)
    second = await world.rewrite()
    (before, after) = (abs(run.result.document["prediction_error"]["output_bytes"]) for run in (first, second))
    assert second.plan["calibration"]["runs"] == 1
    assert after <= max(before, 0.25)
    assert [run.plan["time_estimate"]["source"] for run in (first, second)] == ["prior", "table"]


async def test_a_run_that_was_slowed_by_a_limit_shows_nothing_but_the_limit(world: World) -> None:
    world.lake.append(day="2026-11-01", rows=4000)
    await world.set_policy({"limits": {"bandwidth": 65_536}})
    run = await world.rewrite()
    async with world.container.database.read() as unit:
        assert await unit.run_times.list(world.table_id) == []
    read, written = (run.plan["prediction"][name] for name in ("input_bytes", "output_bytes"))
    assert run.plan["prediction"]["seconds"] >= (read + written) / 65_536


async def test_the_limit_of_the_fleet_is_in_the_prediction(world: World) -> None:
    limits = FleetLimits(parallel_runs=1, bandwidth=200_000)
    service = world.container.limits
    await service.replace(SYSTEM, limits, version=(await service.get(SYSTEM)).version)
    run = await world.rewrite()
    assert run.plan["time_estimate"]["limit_bytes_per_second"] == 200_000


async def test_output_bytes_of_tiny_files_are_predicted_without_the_metadata_of_each(world: World) -> None:
    for day in ("2026-12-01", "2026-12-02"):
        append_files(world.lake, day, 30, rows=2)
    run = await world.rewrite()
    predicted, actual = run.result.predicted, run.result.actual
    assert predicted["input_bytes"] > 3 * actual["output_bytes"]
    assert actual["output_bytes"] / 2 < predicted["output_bytes"] < 2 * actual["output_bytes"]


async def test_the_time_of_a_run_has_every_attempt_and_every_wait(world: World) -> None:
    run = await world.submit()
    run = await resumed_from(world, run, "rewriting")
    time = run.result.document["time"]
    timeline = await world.container.runs.timeline(run)
    assert [each.reason for each in timeline.attempts] == ["lease_expired", "committed"]
    assert time["attempts"] == 2
    assert time["total_seconds"] == pytest.approx(time["working_seconds"] + time["waiting_seconds"], abs=0.05)
    assert timeline.working_seconds >= run.result.actual["seconds"]
    assert timeline.total_seconds == pytest.approx((run.finished_at - run.created_at).total_seconds(), abs=0.002)


async def test_a_compact_table_is_skipped_and_says_why(world: World) -> None:
    """U5: files that can't reach the target are a reason to skip, not to try again."""
    await world.rewrite()
    run = await world.rewrite()
    assert run.state is RunState.SKIPPED
    assert run.reason == "nothing_to_do"
    assert run.detail is not None
    assert "a rewrite would not make fewer files" in run.detail
    assert len(world.lake.replaces()) == 1


async def test_a_policy_that_is_off_or_asks_for_more_files_keeps_the_table_as_it_is(world: World) -> None:
    before = sorted(world.lake.paths())
    await change_policy(world, {"rewrite": {"min_input_files": 7}})
    assert (await world.rewrite()).state is RunState.SKIPPED
    await change_policy(world, {"enabled": False})
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.SKIPPED, "disabled")
    assert sorted(world.lake.paths()) == before


async def test_an_equal_run_that_is_live_is_answered_instead(world: World) -> None:
    first = await world.submit()
    second = await world.submit()
    assert second.id == first.id


async def test_a_table_made_anew_under_the_same_name_is_not_touched(world: World) -> None:
    world.lake.catalog.drop_table(NAME)
    world.lake.catalog.create_table(NAME, SCHEMA, partition_spec=SPEC)
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.FAILED, "table_replaced")
    assert run.detail is not None
    assert "until its registration is deleted and it is registered again" in run.detail


async def test_a_vanished_table_fails_the_run_by_name(world: World) -> None:
    world.lake.catalog.drop_table(NAME)
    run = await world.rewrite()
    assert run.state is RunState.FAILED
    assert run.detail is not None
    assert "lake.lake.events" in run.detail


async def test_a_table_the_kernel_must_not_take_is_refused_by_the_condition(world: World) -> None:
    set_properties(world, {"write.location-provider.impl": "com.example.Provider"})
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert run.detail is not None
    assert "default_location_provider" in run.detail


async def test_a_spent_daily_byte_budget_makes_the_run_wait_until_there_is_room(world: World) -> None:
    await world.set_policy({"limits": {"bytes_per_day": "1MiB"}})
    run = await world.submit()
    world.spend(run.id, 2**20)
    waiting = await advanced(world, run)
    assert (waiting.state, waiting.waiting_for, waiting.failures) == (RunState.QUEUED, "budget", 0)
    assert waiting.not_before == run.created_at + timedelta(hours=24)
    assert world.lake.replaces() == []


async def test_what_fits_the_daily_byte_budget_is_rewritten_and_the_rest_is_left(world: World) -> None:
    sizes = [task.file.file_size_in_bytes for task in world.lake.table.scan().plan_files()]
    await world.set_policy({"limits": {"bytes_per_day": "1MiB"}})
    run = await world.submit()
    world.spend(run.id, 2**20 - sum(sizes) // 2)  # room for one or two of three partitions
    run = await advanced(world, run)
    assert run.state is RunState.SUCCEEDED
    assert run.detail is not None
    assert "left for another day" in run.detail
    assert len(world.lake.replaces()) == 1
    assert 3 < len(world.lake.paths()) < len(sizes)


async def test_a_run_that_had_committed_is_not_called_skipped_when_its_policy_was_switched_off(world: World) -> None:
    run = await world.submit()
    await die_at(world, run, "before_end")
    await world.set_policy({"enabled": False})
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "disabled")
    assert run.result.groups_committed == 3
