"""What the record knows of a table's last rewrites and of the groups they lost to other writers."""

from datetime import timedelta

from engine.domain.ids import TableId
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import RunState
from engine.domain.tables.table import Table
from engine.stores.runs.histories import CommittedPartitions, Conflict
from tests.integration.stores.samples import a_group, a_result, claimed, registered, submitted
from tests.integration.stores.stores import Stores


async def rewritten(database: Stores, table_id: TableId, *partitions: str, force_full: bool = False) -> str:
    """Store a run that rewrote partitions, one group each, and ended; return its id."""
    run = await submitted(database, table_id, request={"force_full": force_full})
    lease, groups = await claimed(database, run.id), [a_group(at, partition=name) for at, name in enumerate(partitions)]
    await database.groups.replace_planned(lease, groups)
    for at in range(len(groups)):
        await database.groups.mark_written(lease, a_result(at))
    await database.groups.mark_committed(lease, range(len(groups)), 2**62)
    for state in (RunState.REWRITING, RunState.COMMITTING):
        await database.runs.transition(lease, to=state)
    result = RunResult({"snapshot_ids": ["1"]})
    await database.runs.transition(lease, to=RunState.SUCCEEDED, reason="committed", result=result)
    return str(run.id)


async def dropped(database: Stores, table_id: TableId, *reasons: str) -> str:
    """Store a run that gave groups up, each for a reason, and ended; return its id."""
    lease = await claimed(database, (await submitted(database, table_id)).id)
    details = {"reasons": {str(at): reason for at, reason in enumerate(reasons)}}
    await database.runs.record(lease, kind="group_dropped", details=details)
    await database.runs.transition(lease, to=RunState.FAILED, reason="conflict")
    return str(lease.run_id)


async def partitions_of(database: Stores, table_id: TableId, **limits: int) -> CommittedPartitions:
    return await database.rewrite_histories.committed_partitions(table_id, **limits)


async def conflicts_of(database: Stores, table_id: TableId, *, days: float = 7) -> list[Conflict]:
    since = await database.now() - timedelta(days=days)
    return list(await database.rewrite_histories.conflicts(table_id, since))


async def test_a_table_without_runs_has_no_history_and_those_of_other_tables_do_not_count(database: Stores):
    table, other = await registered(database, "a"), await registered(database, "b")
    assert await partitions_of(database, table.id) == CommittedPartitions([], None)
    await rewritten(database, other.id, "a")
    await dropped(database, other.id, "gone")
    assert await partitions_of(database, table.id) == CommittedPartitions([], None)
    assert await conflicts_of(database, table.id) == []


async def test_partitions_come_with_their_snapshot_newest_run_first(database: Stores, table: Table):
    await rewritten(database, table.id, "a", "b")
    await rewritten(database, table.id, "a", force_full=True)
    found = await partitions_of(database, table.id)
    assert [(one.partition, one.is_full) for one in found.partitions[:1]] == [("a", True)]
    assert sorted((one.partition, one.is_full) for one in found.partitions[1:]) == [("a", False), ("b", False)]
    assert {(one.spec_id, one.snapshot_id) for one in found.partitions} == {(1, 2**62)}
    assert found.known_since is None


async def test_runs_and_rows_are_bounded_and_what_was_not_read_is_told(database: Stores, table: Table):
    for names in ("a", "b", "cd"):
        await rewritten(database, table.id, *names)
    for limits, read in (({"most_runs": 2}, "bcd"), ({"most_rows": 2}, "cd")):
        found = await partitions_of(database, table.id, **limits)
        assert sorted(one.partition for one in found.partitions) == list(read)
        assert found.known_since is not None


async def test_groups_lost_to_other_writers_since_are_conflicts_and_those_that_failed_are_not(
    database: Stores, table: Table
):
    await dropped(database, table.id, "failed: no space left", "refused: unknown codec")
    run_id = await dropped(database, table.id, "a source is gone", "failed: no space left")
    (conflict,) = await conflicts_of(database, table.id)
    assert (conflict.run_id, conflict.groups, conflict.reason) == (run_id, 1, "a source is gone")
    assert await conflicts_of(database, table.id, days=-1) == []
