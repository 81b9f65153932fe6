"""A commit that fails before anything of it was sent: the table can't have changed, so the run need not ask it.

The mark that groups were sent is in the record before the request may leave. Without it a failure is final, a cancel is
a cancel, and outputs go; with it only the table can tell.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import Run, RunState
from engine.formats.iceberg.catalog.stored.sql import GuardedSqlCatalog
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles
from engine.services.operations import attempt_tools
from engine.services.operations.rewrite.task_path import TaskPath
from tests.support.attempts import content, die_at, raising
from tests.support.databases import TWO_DATABASES
from tests.support.world import Lake, World

crash = raising(RuntimeError("nobody foresaw this"))


def metadata_files(lake: Lake) -> set[Path]:
    folder = Path("/" + lake.table.location().removeprefix("file:").lstrip("/"), "metadata")
    return set(folder.iterdir())


def state_of(lake: Lake) -> tuple[Any, ...]:
    """All that a commit which was not sent leaves as it was."""
    return lake.rows(), sorted(lake.paths()), lake.stored_files(), metadata_files(lake)


async def advanced(world: World, run: Run) -> Run:
    await world.container.worker.advance(run.id)
    return await world.get(run.id)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What left for the catalog."""
    requests: list[object] = []
    real: Callable[..., Any] = GuardedSqlCatalog.commit_table

    def seen(self: GuardedSqlCatalog, *args: Any, **kwargs: Any) -> Any:
        requests.append(args)
        return real(self, *args, **kwargs)

    monkeypatch.setattr(GuardedSqlCatalog, "commit_table", seen)
    return requests


async def test_a_crash_while_manifests_are_made_ends_the_run_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch, sent: list[object]
) -> None:
    real = SnapshotFiles.write_list

    def half_done(self: SnapshotFiles, *args: Any) -> Any:
        real(self, *args)
        crash()

    before = state_of(world.lake)
    with monkeypatch.context() as patched:
        patched.setattr(SnapshotFiles, "write_list", half_done)
        run = await advanced(world, await world.submit())
    assert (run.state, run.reason, run.attempt) == (RunState.FAILED, "internal_error", 1), run.detail
    assert run.detail == "internal error (RuntimeError); see the worker's log; nothing of it was sent to the catalog"
    assert (sent, run.unsettled) == ([], frozenset())
    assert state_of(world.lake) == before
    again = await world.rewrite()
    assert (again.state, again.attempt, world.lake.rows()) == (RunState.SUCCEEDED, 1, before[0])


async def test_a_crash_with_an_earlier_batch_committed_ends_the_run_and_keeps_that(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mark is of single groups: what landed is committed, what was not sent is dropped."""
    monkeypatch.setattr(TaskPath, "_commit_is_due", lambda *_, **__: True)
    world.at("commit_made", lambda: world.at("commit_made", crash))
    rows = content(world)
    run = await advanced(world, await world.submit())
    assert (run.state, run.reason) == (RunState.FAILED, "internal_error"), run.detail
    assert (run.result.groups_committed, run.result.document["groups_dropped"]) == (1, {"internal_error": 2})
    assert (content(world), len(world.lake.replaces())) == (rows, 1)
    ours = {path for path in world.lake.stored_files() if run.id in path}
    assert ours == {path.removeprefix("file://") for path in world.lake.paths() if run.id in path}


@TWO_DATABASES
async def test_a_crash_after_the_mark_leaves_the_outcome_to_the_table(world: World) -> None:
    """Nothing was sent here either, but nobody can know that: the batch is sent before the run ends."""
    world.at("commit_marked", crash)
    rows = content(world)
    waiting = await advanced(world, await world.submit())
    assert (waiting.state, waiting.waiting_for, waiting.unsettled) == (RunState.QUEUED, "retry", {0, 1, 2})
    await world.container.runs.cancel(SYSTEM, waiting.id)
    run = await world.finish(waiting.id)
    assert (run.state, run.result.groups_committed, run.unsettled) == (RunState.SUCCEEDED, 3, frozenset())
    assert (content(world), len(world.lake.replaces())) == (rows, 1)


async def test_a_cancel_after_a_worker_died_before_the_mark_sends_nothing(world: World, sent: list[object]) -> None:
    before = state_of(world.lake)
    run = await world.submit()
    await die_at(world, run, "commit_made")
    await world.container.runs.cancel(SYSTEM, run.id)
    run = await world.finish(run.id, attempts=1)
    assert (run.state, run.result.document["groups_dropped"]) == (RunState.CANCELLED, {"cancelled": 3}), run.detail
    assert (sent, state_of(world.lake)) == ([], before)


async def test_a_run_whose_workers_die_before_the_mark_is_given_up_with_a_known_outcome(
    world: World, sent: list[object]
) -> None:
    before, run = state_of(world.lake), await world.submit()
    for _ in range(5):
        await die_at(world, run, "commit_made")
    run = await world.finish(run.id, attempts=1)
    assert (run.state, run.reason) == (RunState.FAILED, "gave_up")
    assert run.detail == "5 attempts failed or died"
    assert (sent, state_of(world.lake)) == ([], before)


async def test_nothing_leaves_while_the_record_does_not_answer(
    world: World, monkeypatch: pytest.MonkeyPatch, sent: list[object]
) -> None:
    loop = asyncio.get_running_loop()
    with monkeypatch.context() as patched:
        patched.setattr(attempt_tools, "RECORD_SECONDS", 0.05)
        world.at("commit_made", lambda: loop.call_soon_threadsafe(time.sleep, 0.5))  # the record is asked on the loop
        waiting = await advanced(world, await world.submit())
    assert (waiting.state, sent) == (RunState.QUEUED, [])
    assert "nothing was sent" in (waiting.detail or "")
    run = await world.finish(waiting.id)
    assert (run.state, len(sent)) == (RunState.SUCCEEDED, 1)
