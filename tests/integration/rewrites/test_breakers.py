"""The breaker of a catalog: opened by real failures, obeyed by claims and the watch, closed by a run or a human."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.access.audit import AuditFilter
from engine.domain.access.callers import COORDINATOR, SYSTEM
from engine.domain.ids import TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.domain.tables.watches import Verdict
from engine.formats.iceberg.rewrite.tasks import TableKernel
from engine.formats.iceberg.table import IcebergTable
from engine.rewriting.kernel.contract import GroupResult
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.services.runs import execution
from engine.spark.dispatch import Ticket
from tests.support.attempts import explained, raising
from tests.support.databases import TWO_DATABASES, FreshDatabase
from tests.support.outages import with_twins
from tests.support.watching import Watching, set_policy
from tests.support.world import World


@pytest.fixture(autouse=True)
def few_attempts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that fails again, or that a storage ends again, gives up."""
    world.container.worker._execution._max_failures = 2
    monkeypatch.setattr(execution, "MOST_FRUITLESS_OUTAGES", 0)


@pytest.fixture
async def tables(world: World) -> Sequence[TableId]:
    """The world's table and two more of its catalog that read the same files."""
    return await with_twins(world)


async def by_itself(world: World, table_id: TableId) -> Run:
    submission = world.container.watching._submission
    run, _ = await submission.submit(COORDINATOR, table_id, RunRequest(), priority=None)
    return run


async def run_of(world: World, table_id: TableId) -> Run:
    """Let a person start a run of a table, and advance it to its end."""
    run, _ = await world.container.runs.submit(SYSTEM, table_id, RunRequest())
    return await world.finish(run.id)


async def fail(world: World, tables: Sequence[TableId]) -> None:
    """Let the storage fail for the tasks of a run of each table, until the run gives up."""
    dispatcher, run_tasks = world.dispatcher, world.dispatcher.run

    def refused(_ticket: Ticket, _function: object, payloads: Sequence[str]) -> list[str]:
        reason = "StorageFault: the storage refuses"
        groups = [SentKernelTask.from_json(payload).task.identity.group for payload in payloads]
        return [GroupResult(group, "failed", reason, storage_fault="StorageFault").to_json() for group in groups]

    dispatcher.run = refused  # type: ignore[method-assign, assignment]
    for table_id in tables:
        ended = await run_of(world, table_id)
        assert (ended.state, ended.reason) == (RunState.FAILED, "gave_up"), ended.detail
        assert "StorageFault" in (ended.detail or "")
    dispatcher.run = run_tasks  # type: ignore[method-assign]


async def test_files_that_are_gone_or_refused_are_the_tables_own_fault(world: World, tables: Sequence[TableId]) -> None:
    files = [Path(path.removeprefix("file://")) for path in world.lake.paths()]
    for file in files:
        file.rename(file.with_suffix(".away"))
    for table_id in tables:
        ended = await run_of(world, table_id)
        assert (ended.state, ended.reason) == (RunState.FAILED, "groups_failed"), ended.detail
    for file in files:  # without field ids, as files that another engine wrote and that were imported
        rows = pq.read_table(file.with_suffix(".away"))
        unnumbered = pa.schema([pa.field(each.name, each.type) for each in rows.schema])
        pq.write_table(rows.cast(unnumbered), file)
    for table_id in tables:
        ended = await run_of(world, table_id)
        assert (ended.state, ended.reason) == (RunState.FAILED, "groups_failed"), ended.detail
    assert (await world.container.fleet.figures(SYSTEM)).breakers == ()
    automatic = await by_itself(world, tables[0])
    assert await world.container.worker.advance(automatic.id)


async def test_metadata_that_can_not_be_parsed_is_the_tables_own_fault(
    world: World, tables: Sequence[TableId], monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_to_parse = raising(ValueError("a field that nobody knows"))
    monkeypatch.setattr(IcebergTable, "figures", fail_to_parse)
    monkeypatch.setattr(TableKernel, "conditions", fail_to_parse)
    for table_id in tables:
        ended = await run_of(world, table_id)
        assert (ended.state, ended.reason) == (RunState.FAILED, "gave_up"), ended.detail
    assert (await world.container.fleet.figures(SYSTEM)).breakers == ()


@TWO_DATABASES
async def test_runs_by_themselves_wait_and_one_finds_out_whether_it_works_again(
    world: World, tables: Sequence[TableId], fresh_database: FreshDatabase
) -> None:
    await fail(world, tables)
    first, second = [await by_itself(world, table_id) for table_id in tables[:2]]
    assert not await world.container.worker.advance(first.id)
    waiting = await world.get(first.id)
    (breaker,) = (await world.container.fleet.figures(SYSTEM)).breakers
    assert (waiting.waiting_for, waiting.not_before) == (WaitingFor.CATALOG_FAILS, breaker.open_until)
    assert (breaker.catalog, breaker.times_open) == ("lake", 1)
    fresh_database.execute("UPDATE breakers SET open_until = failed_at")
    for run in (first, second):
        world.make_due(run.id)
    world.at("planned", lambda: told.append(fresh_database.execute("SELECT probe_until FROM breakers")))
    told: list[object] = []
    assert await world.container.worker.advance(first.id)
    assert told[0] != [(None,)]  # nobody else would have been let through meanwhile
    assert (await world.get(first.id)).state is RunState.SUCCEEDED
    assert (await world.container.fleet.figures(SYSTEM)).breakers == ()
    assert await world.container.worker.advance(second.id)


async def test_a_run_that_somebody_asks_for_is_not_held_and_its_success_closes_the_breaker(
    world: World, tables: Sequence[TableId]
) -> None:
    await fail(world, tables)
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1)
    assert (await world.container.fleet.figures(SYSTEM)).breakers == ()


async def test_the_watch_begins_nothing_and_says_when_and_a_human_closes_it(
    world: World, watching: Watching, tables: Sequence[TableId]
) -> None:
    await set_policy(world)
    await fail(world, [tables[1], tables[2], tables[0]])
    held = await by_itself(world, tables[1])
    assert not await world.container.worker.advance(held.id)
    seen = await watching.look()
    assert (seen.verdict, seen.code) == (Verdict.HELD, "catalog_fails")
    codes = [hold["code"] for hold in (await explained(world))["next_eligible"]["held_by"]]
    assert codes == ["catalog_fails", "runs_in_vain"]
    await world.container.pauses.resume_catalog(SYSTEM, "lake")
    await world.container.pauses.resume_table(SYSTEM, world.table_id)
    async with world.container.database.read() as unit:
        entries = await unit.audit.list(AuditFilter(action="catalog.resume"), before=None, limit=10)
    assert [(entry.before or {})["times_open"] for entry, _ in entries] == [1]
    assert held.id in await world.container.coordinator._claims.review(10)  # without waiting for the minute
    assert (await watching.look()).verdict is Verdict.SUBMITTED


async def test_a_resume_ends_the_rest_after_runs_in_vain(world: World, watching: Watching) -> None:
    await set_policy(world)
    await fail(world, [world.table_id])
    assert (await watching.look()).code == "runs_in_vain"
    await world.container.pauses.resume_table(SYSTEM, world.table_id)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
