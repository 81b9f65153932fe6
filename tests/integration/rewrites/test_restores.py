"""The record is restored from a backup while the table and Redis are ahead of it: nothing is run twice or lost.

The steps are those of docs/how-to/backup.md: stop every process, restore, `packhouse-server restored`, start, resume.
"""

from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.processes import ProcessKind
from engine.domain.ids import RunId
from engine.domain.runs.leases import RESTORE_STEP
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState, WaitingFor
from tests.support.acknowledging import acknowledged
from tests.support.attempts import append_files, events_of, succeeded, worked_off
from tests.support.databases import TWO_DATABASES, FreshDatabase
from tests.support.expired_files import needed, stored
from tests.support.killable_process import STEPS
from tests.support.moved_clock import MovedClock
from tests.support.postgres_server import PostgresServer
from tests.support.removal_runs import EXPIRY, nothing_needed_is_missing, rewrite_and_untag
from tests.support.restores import Drill, make_drill
from tests.support.world import Lake, make_lake

EVERY_FILE = RunRequest(force_full=True, every_file=True)
"""A rewrite that never has nothing to do: repeated, it would write every file again."""

MANIFESTS = RunRequest(Operation.REWRITE_MANIFESTS)
EXPIRE = RunRequest(Operation.EXPIRE_SNAPSHOTS)


@pytest.fixture
def drill(
    fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Drill:
    server: PostgresServer | None = None
    if fresh_database.dialect == "postgresql":
        server = request.getfixturevalue("postgres_server")
    return make_drill(make_lake(tmp_path / "lake"), tmp_path, fresh_database.url, redis_url, server=server)


def groups_committed(lake: Lake, run_id: RunId) -> list[str]:
    """Return the file groups in the snapshots of a run: one that is there twice was committed twice."""
    of_run = [each for each in lake.replaces() if each["packhouse.run-id"] == run_id]
    return [group for each in of_run for group in each["packhouse.groups"].split(",")]


def check_once(lake: Lake, run: Run, rows: list[Any]) -> None:
    """Hold that a run succeeded, each of three groups was committed once, and no row or file is lost or left."""
    assert run.state is RunState.SUCCEEDED, (run.reason, run.detail)
    assert sorted(groups_committed(lake, run.id)) == ["0", "1", "2"]
    assert {str(each) for each in lake.snapshots_of(run.id)} == set(run.result.snapshot_ids)
    assert lake.rows() == rows
    assert {path for path in stored(lake.table) - needed(lake.table) if path.endswith(".parquet")} == set()


@TWO_DATABASES
async def test_a_run_that_was_committed_after_the_backup_is_not_repeated(drill: Drill) -> None:
    """Redis has its queue entries and more; a coordinator and a worker are at work as in a deployment."""
    rows = drill.lake.rows()
    async with drill.open() as world:
        run = await world.submit(EVERY_FILE)
        drill.backup.take()
        later = await world.submit(allow_duplicate=True)
        await worked_off(world, later.id)
        check_once(drill.lake, await world.get(run.id), rows)
    async with drill.restored() as world:
        ended = await worked_off(world, run.id)
        check_once(drill.lake, ended, rows)
        assert (ended.reason, ended.attempt) == ("record_restored", RESTORE_STEP + 1)
        assert ended.result.snapshot_ids[0] in (ended.detail or "")
        async with world.container.database.read() as unit:
            assert await unit.runs.get(later.id) is None
    async with drill.open() as world:
        again = await succeeded(world, await world.submit(EVERY_FILE))
        assert len(drill.lake.snapshots_of(again.id)) == 1
        assert drill.lake.rows() == rows


@pytest.mark.parametrize("step", STEPS)
async def test_a_run_that_was_at_a_step_during_the_backup_is_settled_from_the_table(drill: Drill, step: str) -> None:
    async with drill.open() as world:
        rows = drill.lake.rows()
        run = await world.submit(EVERY_FILE)
        world.at(step, drill.backup.take)
        await succeeded(world, run)
    async with drill.restored() as world:
        check_once(drill.lake, await world.finish(run.id), rows)


@pytest.mark.parametrize("step", ["claimed", "rewriting", "group_written", "before_commit"])
async def test_a_run_that_was_not_committed_after_the_backup_is_continued(drill: Drill, step: str) -> None:
    """Database and worker are lost at once; files of the lost attempt do not stay, and no name is used twice."""
    async with drill.open() as world:
        rows = drill.lake.rows()
        run = await world.submit(EVERY_FILE)
        die = world.steal_lease(run.id)
        world.at(step, lambda: (drill.backup.take(), die()))
        await world.container.worker.advance(run.id)
        assert drill.lake.snapshots_of(run.id) == set()
    async with drill.restored() as world:
        ended = await world.finish(run.id)
        assert (ended.reason, drill.lake.rows()) == ("committed", rows)
        committed = groups_committed(drill.lake, run.id)
        assert len(committed) == len(set(committed)) == 3
        left = {path for path in stored(drill.lake.table) - needed(drill.lake.table) if path.endswith(".parquet")}
        assert left == set()


async def test_a_part_that_was_committed_before_the_backup_is_kept_when_the_rest_is_unknown(drill: Drill) -> None:
    """A batch of one written and one unknown group is not proven against half of it, which would roll it back."""
    async with drill.open() as world:
        rows = drill.lake.rows()
        run = await world.submit(EVERY_FILE)
        world.at("group_written", lambda: world.at("group_written", drill.backup.take))
        await succeeded(world, run)
        append_files(drill.lake, "2026-11-01", 2)
        rows = drill.lake.rows()
    async with drill.restored() as world:
        ended = await world.finish(run.id)
        check_once(drill.lake, ended, rows)
        assert ended.reason == "record_restored"
        async with world.container.database.read() as unit:
            table = await unit.tables.get(world.table_id)
            assert table is not None
            assert table.freeze is None


async def test_a_rewrite_of_manifests_after_the_backup_is_found_and_proven(drill: Drill) -> None:
    async with drill.open() as world:
        rows = drill.lake.rows()
        run = await world.submit(MANIFESTS)
        drill.backup.take()
        done = await succeeded(world, run)
    async with drill.restored() as world:
        ended = await succeeded(world, run)
        assert (ended.reason, ended.result.snapshot_ids) == ("committed", done.result.snapshot_ids)
        assert len(drill.lake.snapshots_of(run.id)) == 1
        assert drill.lake.rows() == rows


async def test_an_expiry_after_the_backup_deletes_nothing_that_is_needed_when_it_runs_again(drill: Drill) -> None:
    async with drill.open() as world:
        await rewrite_and_untag(world)
        clock = await MovedClock.of(world.container.database)
        await clock.pass_by(hours=1)
        await world.set_policy({"maintenance": {"expire_snapshots": EXPIRY}})
        run = await world.submit(EXPIRE)
        drill.backup.take()
        await succeeded(world, run)
        append_files(drill.lake, "2026-11-01")
        await succeeded(world, await world.submit())
        rows = drill.lake.rows()
    async with drill.restored() as world:
        ended = await world.finish(run.id)
        assert ended.is_terminal, ended
        assert nothing_needed_is_missing(world)
        assert drill.lake.rows() == rows


@TWO_DATABASES
async def test_a_deletion_that_was_undone_after_the_backup_waits_until_a_person_resumes_the_fleet(
    drill: Drill,
) -> None:
    async with drill.open() as world:
        await rewrite_and_untag(world)
        await world.set_policy({"maintenance": {"expire_snapshots": EXPIRY}})
        run, _ = await acknowledged(world.container.runs.submit, SYSTEM, world.table_id, EXPIRE)
        assert run.waiting_for is WaitingFor.GRACE
        drill.backup.take()
        await world.container.runs.cancel(SYSTEM, run.id)
        files = stored(drill.lake.table)
    async with drill.restored(is_resumed=False) as world:
        clock = await MovedClock.of(world.container.database)
        await clock.pass_by(hours=2)
        await world.container.worker.advance(run.id)
        waiting = await world.get(run.id)
        assert (waiting.state, stored(drill.lake.table)) == (RunState.QUEUED, files)
        await world.container.runs.cancel(SYSTEM, run.id)
        assert (await world.finish(run.id)).state is RunState.CANCELLED
        assert stored(drill.lake.table) == files


@TWO_DATABASES
async def test_what_clients_keep_of_the_lost_hour_is_refused_or_continues(drill: Drill) -> None:
    """A stream continues after its last event, and the audit log names a head that was cut off."""
    async with drill.open() as world:
        run = await world.submit(EVERY_FILE)
        await world.container.audit.seal()
        drill.backup.take()
        await succeeded(world, run)
        seen = (await events_of(world, run.id))[-1].sequence
        await world.set_policy({"enabled": False})
        await world.container.audit.seal()
        lost = await world.container.audit.head(SYSTEM)
        assert lost is not None
    async with drill.restored() as world:
        await world.finish(run.id)
        events = await events_of(world, run.id)
        fresh = [each for each in events if each.sequence > seen]
        assert [fresh[0].kind, fresh[-1].to_state] == ["restored", RunState.SUCCEEDED]
        assert fresh[0].sequence > RESTORE_STEP
        await world.container.audit.seal()
    held = await drill.command("audit", "verify")
    assert (held.returncode, "the chain holds" in held.stdout) == (0, True), held.stderr
    cut = await drill.command("audit", "verify", "--head", lost.hash)
    assert (cut.returncode, f"the hash {lost.hash} is not in the chain: its end was cut off" in cut.stderr) == (1, True)


@TWO_DATABASES
async def test_a_record_with_processes_at_work_is_not_prepared(drill: Drill) -> None:
    async with drill.open() as world, world.container.database.begin() as unit:
        await unit.processes.report(ProcessKind.WORKER, "a worker")
    refused = await drill.command("restored")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "1 worker reported to this database in the last 30 s: stop every process first" in refused.stderr
