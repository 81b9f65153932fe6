"""A worker or a coordinator in a process of its own that ends itself with SIGKILL at a point of its work.

A point is a labelled step (of a rewrite or of a look) or a key of `CALLS`. Tasks have one file group each; they run in
threads of the process and die with it, or on the Spark of the settings and outlive it. With a number, the so many-th
task that is sent waits until its attempt is told to stop, so that a test knows where the process is. Processes are
forked off one that has imported everything: importing takes longer than most tests. Settings come from the environment,
as for the real processes.
"""

import asyncio
import functools
import inspect
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.factory.container import open_container
from engine.factory.dependencies import ServedFormats
from engine.factory.traces import exported_traces
from engine.services.operations.metadata.attempts import MetadataAttempt
from engine.services.operations.tasks import waiting_groups
from engine.services.runs import hold_watch
from engine.services.runs.attempts import Attempt, AttemptStop
from engine.services.runs.claims import ClaimService
from engine.settings.model import Settings
from engine.spark.dispatch import Ticket
from engine.stores.runs.store import RunStore
from engine.workers.coordinator import Coordinator
from tests.support.local_dispatch import LocalDispatcher

STEPS: Final = (
    "claimed",
    "planned",
    "rewriting",
    "group_written",
    "before_commit",
    "commit_made",
    "commit_marked",
    "after_commit",
    "verified",
    "before_end",
)
"""The labelled steps of a rewrite, in order."""
FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])


@contextmanager
def killable(
    environment: Mapping[str, str],
    part: str,
    point: str,
    waiting_task: int = 0,
    *,
    log: Path,
    formats: ServedFormats | None = None,
    on_spark: bool = False,
) -> Iterator[BaseProcess]:
    """Start a process, its output appended to the log; kill it at the end if it still lives.

    `formats` replace the table formats: a function of a module, as it is sent to the process by name.
    """
    work = functools.partial(_run, part, point, waiting_task, formats, on_spark=on_spark)
    process = FORKS.Process(target=run_forked, args=(dict(environment), log, work))
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join(30)


async def killed(process: BaseProcess, *, within_seconds: float, log: Path) -> None:
    """Wait until a process has ended by SIGKILL."""
    await asyncio.to_thread(process.join, within_seconds)
    assert process.exitcode == -signal.SIGKILL, log.read_text()


class Call(NamedTuple):
    """A method at whose call the process ends: before it, or after it when it returned something."""

    owner: type
    name: str
    is_after: bool


CALLS: Final = {
    "all_but_sent": Call(MetadataAttempt, "_prove_lease", False),
    "before_park": Call(Attempt, "park", False),
    "after_park": Call(Attempt, "park", True),
    "told_to_stop": Call(Attempt, "request_stop", False),
    "let_go": Call(ClaimService, "review", True),
    "seen_ready": Call(RunStore, "list_ready", True),
}


def die() -> None:
    """End as by a power cut."""
    os.kill(os.getpid(), signal.SIGKILL)


class GatedDispatcher(LocalDispatcher):
    """Lets the so many-th task wait until `stopped` is set; it can be interrupted meanwhile."""

    def __init__(self, number: int, stopped: threading.Event) -> None:
        super().__init__()
        self._waiting, self._told, self._count = number, stopped, 0

    def run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        self._count += 1
        if self._count != self._waiting:
            return super().run(ticket, function, payloads)

        def afterwards(payload: str) -> str:
            while not self._told.wait(0.01):
                pass
            return function(payload)

        return super().run(ticket, afterwards, payloads)


def run_forked(environment: Mapping[str, str], log: Path, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run `work` in a forked process with this environment, its output appended to the log."""
    os.environ.clear()
    os.environ.update(environment)
    with log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    asyncio.run(work())


async def _run(part: str, point: str, waiting_task: int, formats: ServedFormats | None, *, on_spark: bool) -> None:
    hold_watch.POLICY_SECONDS = 0.0  # type: ignore[misc]
    waiting_groups.LEAST_BUNDLE_BYTES = 1
    stopped = threading.Event()
    _tell_of_stops(stopped)
    if point in CALLS:
        _end_at(CALLS[point])
    if point == "seen_ready":
        Coordinator.review = _review_nothing  # type: ignore[method-assign]  # it finds such a run too, and may be first

    def on_step(name: str) -> None:
        if name == point:
            die()

    dispatcher = None if on_spark else GatedDispatcher(waiting_task, stopped)
    made = open_container(Settings(), step=on_step, dispatcher=dispatcher, formats=formats)
    with exported_traces(part):  # if a test names a collector
        async with made as container:
            await (container.worker if part == "worker" else container.coordinator).run()


async def _review_nothing(_self: Coordinator) -> int:
    return 0


def _tell_of_stops(stopped: threading.Event) -> None:
    original = Attempt.request_stop

    def request_stop(attempt: Attempt, stop: AttemptStop) -> None:
        original(attempt, stop)
        stopped.set()

    Attempt.request_stop = request_stop  # type: ignore[method-assign]


def _end_at(call: Call) -> None:
    original = getattr(call.owner, call.name)

    @functools.wraps(original)
    async def ending(*given: Any, **named: Any) -> Any:
        if not call.is_after:
            die()
        if answer := await original(*given, **named):
            die()
        return answer

    @functools.wraps(original)
    def ending_at_once(*_given: Any, **_named: Any) -> None:
        die()

    setattr(call.owner, call.name, ending if inspect.iscoroutinefunction(original) else ending_at_once)
