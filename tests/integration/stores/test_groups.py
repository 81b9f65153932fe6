"""File groups: from a plan to a snapshot, over several attempts."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from engine.domain.errors import IllegalTransition, LeaseLost, Transient
from engine.domain.runs.drops import DropReason, Loss
from engine.domain.runs.files import OutputFile
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import FileCounts, GroupState, RunState, WaitingFor
from engine.stores.runs.groups import GroupStore
from tests.integration.stores.samples import a_group, a_result, claimed
from tests.integration.stores.stores import Stores

LOST, REFUSED = DropReason.lost(Loss.SOURCE_GONE), DropReason.refused("encrypted_file: a.parquet")


async def _planned(database: Stores, count: int) -> Lease:
    lease = await claimed(database)
    await database.groups.replace_planned(lease, [a_group(n) for n in range(count)])
    return lease


async def _states(database: Stores, lease: Lease) -> dict[int, GroupState]:
    return {group.ordinal: group.state for group in await database.groups.list(lease.run_id)}


async def test_a_group_comes_back_as_it_was_planned_and_then_with_its_outputs_and_what_was_measured(database: Stores):
    lease, planned = await _planned(database, 1), a_group(0)
    (group,) = await database.groups.list(lease.run_id)
    assert (group.state, group.ordinal, group.attempt) == (GroupState.PLANNED, 0, lease.token)
    assert (group.partition, group.spec_id, group.inputs) == (planned.partition, planned.spec_id, planned.inputs)
    assert (group.outputs, group.measured, group.snapshot_id, group.reason) == ((), {}, None, None)
    await database.groups.mark_running(lease, [0])
    await database.groups.mark_written(lease, a_result(0) | {"base_snapshot_id": 2**62})
    (group,) = await database.groups.list(lease.run_id)
    assert (group.state, group.rows_deleted) == (GroupState.WRITTEN, 1)
    assert group.outputs == (OutputFile("out0.parquet", 150, 29, "UEFSMQ=="),)
    measured = {"rows_deleted": 1, "rows_written": 29, "throttled_seconds": 0.5, "base_snapshot_id": 2**62}
    assert group.measured == measured


async def test_a_commit_may_be_recorded_twice_but_not_as_another_snapshot_nor_dropped(database: Stores) -> None:
    lease = await _planned(database, 1)
    await database.groups.mark_written(lease, a_result(0))
    await database.groups.mark_committed(lease, [0], 7)
    await database.groups.mark_committed(lease, [0], 7)
    with pytest.raises(IllegalTransition):
        await database.groups.mark_committed(lease, [0], 8)
    with pytest.raises(IllegalTransition):
        await database.groups.mark_dropped(lease, {0: DropReason.ended("cancelled")})


async def test_groups_are_dropped_each_for_its_reason_and_do_not_come_back(database: Stores) -> None:
    lease = await _planned(database, 3)
    await database.groups.mark_dropped(lease, {0: LOST, 1: REFUSED, 2: LOST})
    groups = await database.groups.list(lease.run_id)
    assert [(group.reason, group.outputs) for group in groups] == [(LOST, ()), (REFUSED, ()), (LOST, ())]
    with pytest.raises(IllegalTransition):
        await database.groups.mark_written(lease, a_result(0))


async def test_a_batch_changes_all_or_nothing_and_commits_with_its_snapshot(database: Stores) -> None:
    lease = await _planned(database, 2)
    await database.groups.mark_written(lease, a_result(0))
    with pytest.raises(IllegalTransition) as caught:
        await database.groups.mark_committed(lease, [0, 1], 7)
    assert caught.value.details == {"groups": [1]}
    assert await _states(database, lease) == {0: GroupState.WRITTEN, 1: GroupState.PLANNED}
    await database.groups.mark_written(lease, a_result(1))
    await database.groups.mark_committed(lease, [0, 1], 2**62)
    groups = await database.groups.list(lease.run_id)
    assert [(group.state, group.snapshot_id) for group in groups] == [(GroupState.COMMITTED, 2**62)] * 2


async def test_a_new_plan_keeps_what_is_finished_and_counts_on(database: Stores) -> None:
    lease = await _planned(database, 5)
    async with database.begin() as work:
        await work.groups.mark_running(lease, [1])
        await work.groups.mark_written(lease, a_result(2))
        await work.groups.mark_written(lease, a_result(3))
        await work.groups.mark_committed(lease, [3], 7)
        await work.groups.mark_dropped(lease, {4: LOST})
        numbered = await work.groups.replace_planned(lease, [a_group(0), a_group(1)])
    assert [group.ordinal for group in numbered] == [5, 6]
    assert await _states(database, lease) == {
        2: GroupState.WRITTEN,
        3: GroupState.COMMITTED,
        5: GroupState.PLANNED,
        6: GroupState.PLANNED,
    }


async def test_a_later_attempt_runs_again_what_was_left_running(database: Stores) -> None:
    first = await _planned(database, 1)
    await database.groups.mark_running(first, [0])
    await database.runs.extend(first, -1)
    await database.runs.reap(10)
    claim = await database.runs.claim(first.run_id, "worker-2", 60)
    await database.groups.mark_running(claim[1], [0])
    (group,) = await database.groups.list(first.run_id)
    assert (group.state, group.attempt) == (GroupState.RUNNING, 2)


async def test_groups_are_listed_by_ordinal_in_pages_and_their_totals_count_every_state(database: Stores) -> None:
    lease = await _planned(database, 5)
    await database.groups.mark_running(lease, [1, 3])
    page = await database.groups.list(lease.run_id, after_ordinal=1, limit=2)
    running = await database.groups.list(lease.run_id, states=frozenset({GroupState.RUNNING}))
    assert [group.ordinal for group in page] == [2, 3]
    assert [group.ordinal for group in running] == [1, 3]
    lease = await _planned(database, 3)
    await database.groups.mark_written(lease, a_result(0))
    totals = await database.groups.totals(lease.run_id)
    none = dict.fromkeys(GroupState, 0)
    assert totals.counts == none | {GroupState.PLANNED: 2, GroupState.WRITTEN: 1}
    assert totals.input_bytes == none | {GroupState.PLANNED: 400, GroupState.WRITTEN: 200}
    assert totals.output_bytes == none | {GroupState.WRITTEN: 150}


async def test_large_plans_are_stored_whole_and_a_run_without_groups_has_counted_nothing(database: Stores) -> None:
    lease = await _planned(database, 1203)
    await database.groups.mark_running(lease, range(1203))
    totals = await database.groups.totals(lease.run_id)
    assert totals.counts[GroupState.RUNNING] == 1203
    lease = await claimed(database)
    assert await database.groups.count_committed_files(lease.run_id) == FileCounts()
    assert await database.groups.output_paths(lease.run_id, frozenset(GroupState)) == frozenset()


Write = Callable[[GroupStore, Lease], Awaitable[Any]]
_WRITES: list[Write] = [
    lambda groups, lease: groups.replace_planned(lease, []),
    lambda groups, lease: groups.mark_running(lease, [0]),
    lambda groups, lease: groups.mark_written(lease, a_result(0)),
    lambda groups, lease: groups.mark_committed(lease, [0], 7),
    lambda groups, lease: groups.mark_dropped(lease, {0: LOST}),
]


@pytest.mark.parametrize("lease_is", ["expired", "stale", "released"])
async def test_without_its_lease_a_worker_writes_no_group(database: Stores, lease_is: str) -> None:
    lease = await _planned(database, 1)
    if lease_is == "released":
        park = {"waiting_for": WaitingFor.BUDGET, "not_before": None, "reason": "r", "detail": None}
        assert (await database.runs.park(lease, **park, failed=False)).state is RunState.QUEUED
    else:
        await database.runs.extend(lease, -1)
    if lease_is == "stale":
        await database.runs.reap(10)
        await database.runs.claim(lease.run_id, "worker-1", 60)
    for write in _WRITES:
        with pytest.raises(LeaseLost):
            await write(database.groups, lease)


async def test_a_write_of_the_holder_keeps_others_off_the_run_until_its_commit(postgres_url: str) -> None:
    holder, other = Stores(postgres_url), Stores(postgres_url, busy_seconds=0.1)
    lease = await _planned(holder, 1)
    async with holder.begin() as work:
        await work.groups.mark_running(lease, [0])
        with pytest.raises(Transient, match="lock timeout"):
            async with other.begin() as rival:
                await rival.runs.request_cancel(lease.run_id, "key:admin")
    await holder.close()
    await other.close()


async def test_groups_without_their_files_say_what_the_whole_ones_say(database: Stores) -> None:
    """Of a run with more groups than a page has."""
    lease = await _planned(database, 120)
    async with database.begin() as work:
        await work.groups.mark_running(lease, range(110))
        for ordinal in range(110):
            await work.groups.mark_written(lease, a_result(ordinal))
        await work.groups.mark_committed(lease, range(105), 7)
        await work.groups.mark_dropped(lease, {105: DropReason.failed("disk full")})
    whole = await database.groups.list(lease.run_id, limit=1000)
    outlines = await database.groups.outlines(lease.run_id)
    some = await database.groups.outlines(lease.run_id, frozenset({GroupState.DROPPED, GroupState.PLANNED}))
    counts = await database.groups.count_committed_files(lease.run_id)
    paths = await database.groups.output_paths(lease.run_id, frozenset({GroupState.COMMITTED}), also={105, 119})
    names = ("ordinal", "state", "place", "attempt", "input_bytes", "output_bytes", "measured", "snapshot_id", "reason")
    assert [[getattr(each, name) for name in names] for each in outlines] == [
        [getattr(each, name) for name in names] for each in whole
    ]
    assert [each.ordinal for each in some] == [105, *range(110, 120)]
    committed = [each for each in whole if each.state is GroupState.COMMITTED]
    assert counts == FileCounts(
        input_files=sum(len(each.inputs) for each in committed),
        input_rows=sum(each.input_rows for each in committed),
        output_files=sum(len(each.outputs) for each in committed),
        output_rows=sum(file.record_count for each in committed for file in each.outputs),
    )
    assert paths == {file.path for each in whole[:106] for file in each.outputs}


@pytest.mark.parametrize("state", [GroupState.WRITTEN, GroupState.COMMITTED])
async def test_files_beside_the_outputs_are_needed_as_long_as_those(database: Stores, state: GroupState) -> None:
    """A changelog file of a group that waits for its commit must not be removed with the run's other files."""
    lease, side = await _planned(database, 2), ("changelog-1.parquet", "index-1")
    await database.groups.mark_written(lease, a_result(0) | {"side_files": side})
    await database.groups.mark_written(lease, a_result(1))
    if state is GroupState.COMMITTED:
        await database.groups.mark_committed(lease, [0, 1], 7)
    paths = await database.groups.output_paths(lease.run_id, frozenset({state}))
    outputs = {file.path for group in await database.groups.list(lease.run_id) for file in group.outputs}
    assert paths == outputs | set(side)


async def _committed(groups: GroupStore, lease: Lease) -> None:
    await groups.mark_committed(lease, [0], 7)
    await groups.mark_committed(lease, [0], 7)


@pytest.mark.parametrize("leave", [_committed, _WRITES[-1]], ids=["committed", "dropped"])
async def test_footers_are_kept_until_no_commit_needs_them(database: Stores, leave: Write) -> None:
    lease = await _planned(database, 2)
    files = [{"path": f"{n}.parquet", "file_bytes": n, "record_count": n, "footer": f"{n}" * 99} for n in range(12)]
    for ordinal in (0, 1):
        await database.groups.mark_written(lease, a_result(ordinal) | {"outputs": files})
    await leave(database.groups, lease)
    left, kept = await database.groups.list(lease.run_id)
    assert kept.outputs == tuple(OutputFile(**file) for file in files)
    assert left.outputs == tuple(OutputFile(**{**file, "footer": ""}) for file in files)
    assert await database.groups.output_paths(lease.run_id, frozenset({left.state})) == {f["path"] for f in files}
