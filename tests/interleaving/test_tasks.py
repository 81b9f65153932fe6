"""Tasks that Spark ran twice, or that outlived their operation: they harm no row and take no file of the run.

What a copy wrote goes at the end of the run. A copy that lives on where nobody can stop it may write after that: its
file stays until the removal of orphans finds it.
"""

import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from engine.rewriting.kernel.contract import GroupResult
from engine.spark.dispatch import Ticket
from tests.interleaving.checks import check, check_outcome
from tests.support.eventually import eventually
from tests.support.local_dispatch import LocalDispatcher
from tests.support.world import World, open_world


@pytest.fixture
async def world(sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Three partitions of six small files each."""
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url) as opened:
        yield opened


def run_twice(monkeypatch: pytest.MonkeyPatch, twin: Callable[[Callable[[], object]], None]) -> None:
    """Let each task be executed once more beside itself, as a speculative copy or after a lost executor."""
    real = LocalDispatcher.run

    def doubled(
        self: LocalDispatcher, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]
    ) -> list[str]:
        answers = real(self, ticket, function, payloads)
        twin(lambda: [function(payload) for payload in payloads])
        return answers

    monkeypatch.setattr(LocalDispatcher, "run", doubled)


async def test_a_second_copy_of_every_task_changes_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """U9: the copies write under names of their own, which nobody commits."""
    copies: list[object] = []
    run_twice(monkeypatch, lambda work: copies.append(work()))
    rows = world.lake.rows()
    run = await world.rewrite()
    assert len(copies) > 0
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3)
    assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)
    check_outcome(world, run)


def lose(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let each task win against a try of it that was lost, and is killed then. Returns what such tries wrote."""
    answers = list[str]()

    def write(function: Callable[[str], str], payload: str) -> str:
        answers.append(function(payload))
        return answers[-1]

    race(monkeypatch, write)
    return answers


def race(monkeypatch: pytest.MonkeyPatch, late: Callable[[Callable[[str], str], str], str]) -> None:
    """Let each task win against a try of it that was lost, which executes `late` with the task and its payload."""
    real = LocalDispatcher.run

    def raced(
        self: LocalDispatcher, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]
    ) -> list[str]:
        self.run_beside(ticket, lambda payload: late(function, payload), payloads)
        return real(self, ticket, function, payloads)

    monkeypatch.setattr(LocalDispatcher, "run", raced)


async def test_what_a_lost_try_of_a_task_wrote_goes_at_the_end_of_the_run(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U9, I3: the run succeeds on its first attempt, with no other one to clean up after it."""
    lost = lose(monkeypatch)
    rows = world.lake.rows()
    world.at("before_commit", lambda: eventually(lambda: len(lost) == 3))
    run = await world.rewrite()
    assert (run.state, run.attempt, run.result.groups_committed) == (RunState.SUCCEEDED, 1, 3)
    written = {each.path.removeprefix("file://") for text in lost for each in GroupResult.from_json(text).outputs}
    assert len(written) == 3
    assert not [path for path in written if Path(path).exists()]
    check(world, run, rows)


async def test_a_lost_try_that_still_runs_is_stopped_before_its_files_are_looked_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[threading.Thread] = []

    def linger(_function: Callable[[str], str], _payload: str) -> str:
        alive.append(threading.current_thread())
        while True:
            time.sleep(0.01)  # a stop takes effect between two of them

    race(monkeypatch, linger)
    rows = world.lake.rows()
    world.at("before_commit", lambda: eventually(lambda: bool(alive)))
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1)
    assert not any(each.is_alive() for each in alive), "it was left to write on"
    check(world, run, rows)


async def test_files_stay_when_spark_can_not_say_that_lost_tries_are_dead(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = lose(monkeypatch)
    rows = world.lake.rows()
    world.at("before_commit", lambda: eventually(lambda: len(lost) == 3))
    monkeypatch.setattr(LocalDispatcher, "wait_gone", lambda *_arguments, **_named: False)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    assert (world.lake.rows(), len(world.lake.stored_files() - set(world.lake.paths()))) == (rows, 18 + 3 + 3)
    check_outcome(world, run)


async def test_a_copy_that_ends_after_the_run_takes_no_file_of_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task on an executor that Spark gave up may write when all is over: its file is nobody's, and no row's."""
    late: list[Callable[[], object]] = []
    run_twice(monkeypatch, late.append)
    rows = world.lake.rows()
    run = await world.rewrite()
    live = world.lake.paths()
    for work in late:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert world.lake.rows() == rows
    assert world.lake.paths() == live
    check_outcome(world, run)


@pytest.mark.parametrize("step", ["rewriting", "group_written", "before_commit"])
async def test_the_next_attempt_removes_what_copies_of_a_dead_attempt_left(
    world: World, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    run_twice(monkeypatch, lambda work: [work() for _ in range(2)])
    rows, run = world.lake.rows(), await world.submit()
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    check(world, run, rows)
