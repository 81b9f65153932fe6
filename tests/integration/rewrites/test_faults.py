"""What a rewrite comes to when something goes wrong between two of its steps."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import StateConflict, Transient
from engine.domain.fleet.budgets import Budget, TaskReport
from engine.domain.ids import RunId
from engine.domain.runs.run import GroupState, RunState
from engine.formats.base import Verification
from engine.formats.iceberg.catalog.stored.sql import GuardedSqlCatalog
from engine.formats.iceberg.commits.commit import TableCommits
from tests.support.attempts import advanced, append_files, content, die_at, groups_of, raising, succeeded
from tests.support.databases import TWO_DATABASES
from tests.support.eventually import seen_when
from tests.support.local_dispatch import LocalDispatcher
from tests.support.world import World


async def test_rows_appended_meanwhile_are_kept(world: World) -> None:
    world.at("before_commit", lambda: world.lake.append(day="2026-11-01"))
    world.at("rewriting", lambda: world.lake.append(day="2026-11-02"))
    before = len(world.lake.ids())
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    assert len(world.lake.ids()) == before + 100
    assert len(set(world.lake.ids())) == before + 100
    assert len(world.lake.paths()) == 3 + 2


async def test_a_group_whose_source_was_deleted_is_dropped_whole_and_its_output_is_removed(world: World) -> None:
    """L10: the group is obsolete: it is not committed. L11: its output does not stay as an orphan."""
    world.at("before_commit", lambda: world.lake.table.delete("day = '2026-11-02'"))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    assert run.result.document["groups_dropped"] == {"source_gone": 1}
    assert "2026-11-02" not in set(world.lake.table.scan().to_arrow()["day"].to_pylist())
    assert len(world.lake.paths()) == 2
    assert len([path for path in world.lake.stored_files() if run.id in path]) == 2
    assert run.result.wasted_bytes > 0


async def test_a_race_lost_on_every_group_is_planned_again(world: World) -> None:
    def delete_and_refill() -> None:
        world.lake.table.delete("id >= 0")
        append_files(world.lake, "2026-11-01")

    world.at("before_commit", delete_and_refill)
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 2)
    assert len(world.lake.ids()) == 300
    assert len(world.lake.paths()) == 1


async def test_a_second_compactor_does_not_double_rows(world: World) -> None:
    rows = content(world)
    world.at("before_commit", lambda: world.lake.table.overwrite(world.lake.table.scan().to_arrow()))
    run = await world.rewrite()
    assert not world.actions["before_commit"]
    assert run.is_terminal
    assert content(world) == rows


@pytest.mark.parametrize("has_arrived", [True, False], ids=["answer lost", "question lost"])
async def test_a_lost_answer_is_found_in_the_table_and_a_lost_question_is_asked_again(
    world: World, monkeypatch: pytest.MonkeyPatch, has_arrived: bool
) -> None:
    lose_answers(monkeypatch, count=1, after_success=has_arrived)
    rows = content(world)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(world.lake.replaces()) == 1
    assert content(world) == rows


@TWO_DATABASES
async def test_a_run_delivered_twice_is_executed_once(world: World) -> None:
    """L26: the queue delivers at least once."""
    run = await world.submit()
    assert await world.container.worker.advance(run.id)
    assert not await world.container.worker.advance(run.id)
    assert len(world.lake.replaces()) == 1


@TWO_DATABASES
async def test_two_workers_never_hold_one_run(world: World) -> None:
    run = await world.submit()
    async with world.container.database.begin() as unit:
        assert await unit.runs.claim(run.id, "one worker", 30) is not None
    async with world.container.database.begin() as unit:
        assert await unit.runs.claim(run.id, "another worker", 30) is None


async def test_a_cancel_before_the_start_ends_the_run_at_once(world: World) -> None:
    run = await world.submit()
    run = await world.container.runs.cancel(SYSTEM, run.id)
    assert run.state is RunState.CANCELLED
    assert not await world.container.worker.advance(run.id)
    assert world.lake.replaces() == []


@pytest.mark.parametrize("step", ["claimed", "planned", "rewriting", "group_written"])
async def test_a_cancel_before_the_commit_leaves_the_table_as_it_was(world: World, step: str) -> None:
    before = (content(world), sorted(world.lake.paths()), world.lake.stored_files())
    run = await world.submit()
    world.at(step, world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.CANCELLED, "cancelled"), run.detail
    assert (content(world), sorted(world.lake.paths()), world.lake.stored_files()) == before


async def test_a_cancel_after_the_commit_does_not_undo_it_and_an_ended_run_cannot_be_cancelled(world: World) -> None:
    run = await world.submit()
    world.at("after_commit", world.cancel_soon(run.id))
    await succeeded(world, run)
    assert len(world.lake.paths()) == 3
    with pytest.raises(StateConflict):
        await world.container.runs.cancel(SYSTEM, run.id)


def take_a_row(path: Path) -> None:
    """Let a file have fewer rows than its manifest has."""
    table = pq.read_table(path)
    pq.write_table(table.slice(0, table.num_rows - 1), path)


def damage(path: Path) -> None:
    """Overwrite the middle of a file, its length unchanged."""
    data = bytearray(path.read_bytes())
    for at in range(4, len(data) // 2):
        data[at] ^= 0xA5
    path.write_bytes(bytes(data))
    with pytest.raises((OSError, pa.ArrowInvalid)):
        pq.read_table(path)


@pytest.mark.parametrize("spoil", [damage, take_a_row])
async def test_f47_a_spoiled_input_is_left_out_and_spares_the_others(
    world: World, spoil: Callable[[Path], None]
) -> None:
    """F47: the run did all that could be done, and names the partition that it left out with the file."""
    victim = next(path for path in world.lake.paths() if "2026-11-02" in path)
    spoil(Path(victim.removeprefix("file://")))
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert Path(victim).name in (run.detail or "")
    assert run.result.groups_committed == 2
    left_out = run.result.document["left_out"]
    assert (left_out["reasons"], left_out["errors"]) == ({"unreadable": 1}, 1)
    assert left_out["items"][0]["name"] == '{"day":"2026-11-02"}'
    assert victim in world.lake.paths()


@TWO_DATABASES
async def test_a_stale_holder_cannot_commit(world: World) -> None:
    """F25, L13: the lease ran out and another took over; the first one's commit must not be sent."""
    run = await world.submit()
    world.at("before_commit", world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    assert world.lake.replaces() == []
    assert {group.state for group in await groups_of(world, run.id)} == {GroupState.WRITTEN}


@TWO_DATABASES
async def test_the_next_attempt_commits_what_a_lost_attempt_had_written(world: World) -> None:
    """U9: written groups are committed and not written again."""
    run = await world.submit()
    rows = content(world)
    await die_at(world, run, "before_commit")
    written = {path for path in world.lake.stored_files() if run.id in path}
    await succeeded(world, run)
    assert {path for path in world.lake.stored_files() if run.id in path} == written
    assert content(world) == rows
    assert len(world.lake.replaces()) == 1


async def test_spark_away_puts_the_run_back_and_it_ends_later(world: World) -> None:
    world.dispatcher.fail_next("server unreachable")
    waiting = await advanced(world, await world.submit())
    assert (waiting.state, waiting.waiting_for, waiting.failures) == (RunState.QUEUED, "retry", 1)
    await succeeded(world, waiting)


async def test_the_catalog_away_puts_the_run_back_and_it_ends_later(world: World) -> None:
    database = Path(world.lake.properties["uri"].removeprefix("sqlite:///"))
    away = database.with_suffix(".away")
    database.rename(away)
    waiting = await advanced(world, await world.submit())
    database.unlink(missing_ok=True)
    away.rename(database)
    assert waiting.state is RunState.QUEUED, waiting.detail
    await succeeded(world, waiting)


async def test_a_commit_that_lands_after_its_answer_was_given_up_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I5: the second send finds every source gone; it was the first send that replaced them."""
    land_late(monkeypatch)
    rows = content(world)
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3)
    assert [v["ok"] for v in run.result.verifications] == [True]
    assert len(world.lake.replaces()) == 1
    assert content(world) == rows


async def test_output_of_a_commit_that_may_still_land_is_never_removed(world: World) -> None:
    """F14: the answer was lost, then the catalog was away, then somebody cancelled; then the commit landed."""
    rows, run = content(world), await world.submit()
    with cancelled_while_answers_are_lost(world, run.id) as sent:
        await world.container.worker.advance(run.id)
    assert (await world.get(run.id)).state is RunState.QUEUED  # not cancelled: nobody knows what happened
    sent[0]()
    assert content(world) == rows
    run = await world.finish(run.id)
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3)


async def test_a_cancelled_run_ends_only_when_no_commit_of_it_can_land_any_more(world: World) -> None:
    """I5: every answer was lost, somebody cancelled, the run ended; then the first send arrives at the catalog."""
    rows, run = content(world), await world.submit()
    with cancelled_while_answers_are_lost(world, run.id) as sent:
        await world.container.worker.advance(run.id)
    assert (await world.get(run.id)).state is RunState.QUEUED
    ended = await world.finish(run.id)
    before = [summary["packhouse.run-id"] for summary in world.lake.replaces()]
    with pytest.raises(CommitFailedException):
        sent[0]()
    assert [summary["packhouse.run-id"] for summary in world.lake.replaces()] == before == [run.id]
    assert (ended.state, ended.result.groups_committed) == (RunState.SUCCEEDED, 3)
    assert not ended.unsettled
    assert content(world) == rows


async def test_a_cancel_does_not_end_a_run_while_nobody_can_tell_what_its_commit_came_to(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers were lost, somebody cancelled, the catalog is away: the run waits, and says so when it is given up."""
    run = await world.submit()
    with cancelled_while_answers_are_lost(world, run.id):
        await world.container.worker.advance(run.id)

    monkeypatch.setattr(SqlCatalog, "load_table", raising(reset()))
    world.make_due(run.id)
    await world.container.worker.advance(run.id)
    assert (await world.get(run.id)).state is RunState.QUEUED
    ended = await world.finish(run.id)
    assert (ended.state, ended.reason) == (RunState.FAILED, "gave_up")
    assert "the outcome of 3 groups that were sent to the catalog is not known" in (ended.detail or "")


async def test_a_snapshot_that_does_not_hold_what_it_should_fails_the_run_for_good(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F5: the proof is stored with the commit, so that a crash in between does not turn it into a success."""
    real: Callable[..., Verification] = TableCommits.prove

    def false_proof(self: TableCommits, *args: Any) -> Verification:
        return replace(real(self, *args), ok=False)

    monkeypatch.setattr(TableCommits, "prove", false_proof)
    run = await world.submit()
    await die_at(world, run, "verified")
    monkeypatch.setattr(TableCommits, "prove", real)
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken")


async def test_a_daily_budget_does_not_hide_a_failing_group(world: World) -> None:
    for path in world.lake.paths():
        damage(Path(path.removeprefix("file://")))
    sizes = [task.file.file_size_in_bytes for task in world.lake.table.scan().plan_files()]
    await world.set_policy({"limits": {"bytes_per_day": "1MiB"}})
    run = await world.submit()
    world.spend(run.id, 2**20 - sum(sizes) // 2)
    run = await world.finish(run.id, attempts=1)
    assert (run.state, run.reason) == (RunState.FAILED, "groups_failed")


async def test_a_run_ends_even_when_its_table_can_not_be_opened_any_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await world.submit()
    await die_at(world, run, "before_commit")

    monkeypatch.setattr(SqlCatalog, "load_table", raising(ValueError("metadata is not JSON")))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.REFUSED, "table_unreadable")


async def test_a_cancel_while_spark_is_away_ends_the_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    run = await world.submit()
    await die_at(world, run, "rewriting")

    for name in ("interrupt", "wait_gone"):
        monkeypatch.setattr(LocalDispatcher, name, raising(Transient("no Spark server answers")))
    await world.container.runs.cancel(SYSTEM, run.id)
    run = await world.finish(run.id, attempts=1)
    assert (run.state, run.detail) == (RunState.CANCELLED, "cancelled by system")


async def test_a_lost_race_makes_the_run_wait_before_it_tries_again(world: World) -> None:
    """F18: other writers were faster; the table is left alone for a while."""
    run = await world.submit()
    world.at("before_commit", lambda: world.lake.table.delete("id >= 0"))
    waiting = await advanced(world, run)
    assert waiting.waiting_for == "conflict_backoff"
    assert waiting.not_before is not None
    assert waiting.not_before > waiting.updated_at + timedelta(seconds=20)


def reset() -> ConnectionResetError:
    return ConnectionResetError("connection reset by peer")


def land_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lose the first commit's answer, and let that commit take effect while the second is under way."""
    real: Callable[..., Any] = GuardedSqlCatalog.commit_table
    sent: list[Callable[[], Any]] = []

    def late(self: GuardedSqlCatalog, *args: Any, **kwargs: Any) -> Any:
        sent.append(lambda: real(self, *args, **kwargs))
        if len(sent) == 1:
            raise reset()
        if len(sent) == 2:
            sent[0]()
        return sent[-1]()

    monkeypatch.setattr(GuardedSqlCatalog, "commit_table", late)


@contextmanager
def cancelled_while_answers_are_lost(world: World, run_id: RunId) -> Iterator[list[Callable[[], Any]]]:
    """Let the run be cancelled at each commit, which never arrives; yield what was sent, to arrive later."""
    sent: list[Callable[[], Any]] = []
    real: Callable[..., Any] = GuardedSqlCatalog.commit_table

    def lost(self: GuardedSqlCatalog, *args: Any, **kwargs: Any) -> Any:
        sent.append(lambda: real(self, *args, **kwargs))
        world.cancel_soon(run_id)()
        raise reset()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(GuardedSqlCatalog, "commit_table", lost)
        yield sent


def lose_answers(monkeypatch: pytest.MonkeyPatch, *, count: int, after_success: bool) -> None:
    """Let the catalog's next commits end in a broken connection, before or after they took effect."""
    real: Callable[..., Any] = GuardedSqlCatalog.commit_table
    left = [count]

    def broken(self: GuardedSqlCatalog, *args: Any, **kwargs: Any) -> Any:
        if left[0] == 0:
            return real(self, *args, **kwargs)
        left[0] -= 1
        if after_success:
            real(self, *args, **kwargs)
        raise reset()

    monkeypatch.setattr(GuardedSqlCatalog, "commit_table", broken)


@TWO_DATABASES
async def test_a_run_whose_workers_keep_dying_is_given_up(world: World) -> None:
    run = await world.submit()
    for number in range(5):
        async with world.container.database.begin() as unit:
            assert await unit.runs.claim(run.id, f"doomed worker {number}", 30) is not None
        await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "gave_up")
    assert world.lake.replaces() == []


async def test_an_entry_without_a_run_ends_in_the_dead_letters(world: World) -> None:
    await world.container.queue.enqueue(RunId("run_that_never_was"))
    worker = asyncio.create_task(world.container.worker.run())
    await seen_when(world.container.queue.depth, lambda depth: depth.dead)
    world.container.worker.stop()
    await worker


async def test_a_cancel_of_a_waiting_run_with_a_past_is_settled_by_the_next_attempt(world: World) -> None:
    """I5: the earlier attempt may have committed, so nobody may call it cancelled without reading the table."""
    run = await world.submit()
    await die_at(world, run, "after_commit")
    asked = await world.container.runs.cancel(SYSTEM, run.id)
    assert asked.state is RunState.QUEUED
    run = await succeeded(world, run)
    assert run.result.groups_committed == 3
    assert len(world.lake.replaces()) == 1


@TWO_DATABASES
async def test_tasks_of_a_lost_attempt_are_stopped_before_anybody_takes_over(world: World) -> None:
    """The run may wait long for its turn; what its dead worker sent must not go on all the while."""
    run = await world.submit()
    claimed = await world.container.worker._claims.claim(run.id)
    assert claimed is not None
    ledger, report = world.container.pace, TaskReport(0, 1, 0, 1, 0.0)
    await ledger.open(run.id, 1, Budget(), 1)
    assert not (await ledger.report(run.id, 1, report)).stop
    await world.expire_lease(run.id)
    assert (await world.get(run.id)).state is RunState.QUEUED
    assert (await ledger.report(run.id, 1, report)).stop
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
