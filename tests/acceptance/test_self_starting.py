"""Nobody submits anything: two real coordinators, one of which is killed, real Spark, real table, real Postgres."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import text

from engine.domain.access.callers import COORDINATOR, SYSTEM
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.watches import Verdict, Watch
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.settings.model import Settings
from tests.support.eventually import seen_when
from tests.support.processes import child, environment_of
from tests.support.world import Lake, make_lake, register_lake

PATIENCE_SECONDS = 120
MIN_INTERVAL = timedelta(seconds=10)
DAY = "2026-11-01"


def coordinator(settings: Settings, log: Path) -> AbstractContextManager["subprocess.Popen[bytes]"]:
    """Start a coordinator in a process of its own, as it is deployed."""
    return child(environment_of(settings, watch="on"), "api", "coordinator", log=log)


@asynccontextmanager
async def service(settings: Settings, lake: Lake) -> AsyncIterator[tuple[Container, TableId]]:
    """Api and worker without a coordinator; one registered table whose runs may follow one another soon."""
    async with open_container(settings) as container:
        table = await register_lake(container, lake)
        settings_of_runs = {
            "schedule": {"min_interval": f"{MIN_INTERVAL.seconds}s"},
            "maintenance": {"rewrite_manifests": "off"},  # an operation with an interval of its own
        }
        policy = PolicyDocument.model_validate(settings_of_runs)
        await container.policies.replace(SYSTEM, table.id, policy, if_none_match=True)
        worker = asyncio.create_task(container.worker.run())
        try:
            yield container, table.id
        finally:
            container.worker.stop()
            await worker


async def runs_of(container: Container, table_id: TableId) -> list[Run]:
    """Runs of the table, newest first."""
    async with container.database.read() as unit:
        return await unit.runs.list(table_id)


async def ended_runs(container: Container, table_id: TableId, count: int) -> list[Run]:
    """Wait until so many runs have ended."""

    async def look() -> list[Run]:
        return [run for run in await runs_of(container, table_id) if run.is_terminal]

    return await seen_when(look, lambda found: len(found) >= count, within_seconds=PATIENCE_SECONDS)


async def watch_that(container: Container, table_id: TableId, fits: Callable[[Watch], bool]) -> Watch:
    """Wait until the last look is as wanted."""

    async def look() -> Watch:
        async with container.database.read() as unit:
            watch = await unit.watches.get(table_id)
        assert watch is not None
        return watch

    return await seen_when(look, fits, within_seconds=PATIENCE_SECONDS)


async def leader(container: Container) -> tuple[int, int]:
    """Wait for a leader; return its process and its token."""

    async def look() -> tuple[int, int] | None:
        async with container.database.read() as unit:
            query = text("SELECT holder, token FROM leaders WHERE name = 'watch' AND expires_at > now()")
            row = (await unit.connection.execute(query)).one_or_none()
        return None if row is None else (int(row.holder.split("-")[-2]), row.token)

    found = await seen_when(look, within_seconds=PATIENCE_SECONDS)
    assert found is not None
    return found


async def explained(container: Container, table_id: TableId) -> dict[str, Any]:
    return dict(await container.explain.explain(SYSTEM, table_id))


@asynccontextmanager
async def timeouts_explained(container: Container, table_id: TableId, log: Path) -> AsyncIterator[None]:
    """Add what the record, explain and the coordinators' log say about the table to a timeout."""
    try:
        yield
    except TimeoutError as error:
        async with container.database.read() as unit:
            error.add_note(f"now: {await unit.now()}")
            for name in ("watches", "leaders", "runs", "outages", "breakers"):
                rows = await unit.connection.execute(text(f"SELECT * FROM {name}"))
                error.add_note(f"{name}: {[dict(row) for row in rows.mappings()]}")
        error.add_note(f"explain: {await explained(container, table_id)}")  # last, since it schedules a look
        error.add_note(log.read_text())
        raise


async def append(lake: Lake, files: int) -> None:
    for _ in range(files):
        await asyncio.to_thread(lake.append, day=DAY)


async def test_a_table_is_kept_in_shape_by_whichever_coordinator_is_left(tmp_path: Path, settings: Settings) -> None:
    """U1, L26: runs start without requests, also after a coordinator died."""
    lake = await asyncio.to_thread(lambda: make_lake(tmp_path / "lake", days=1, files=25))
    ids = lake.ids()
    log = tmp_path / "coordinators.log"
    async with service(settings, lake) as (container, table_id):
        before = await explained(container, table_id)
        assert (before["due"], before["would_start_by_itself"], before["starts_at"]) == (True, False, None)
        async with timeouts_explained(container, table_id, log), AsyncExitStack() as stack:
            processes = [stack.enter_context(coordinator(settings, log)) for _ in range(2)]

            # 1. small files: rewritten, without a request
            (first,) = await ended_runs(container, table_id, 1)
            assert (first.state, first.requested_by) == (RunState.SUCCEEDED, COORDINATOR.subject), log.read_text()
            assert first.request["cause"]["rule"] == "many small files"
            assert first.started_at is not None
            assert (len(lake.paths()), lake.ids()) == (1, ids)

            # 2. too few new files: seen, and nothing is done
            await append(lake, 3)
            seen = await watch_that(container, table_id, lambda watch: watch.verdict is Verdict.NOT_DUE)
            calm = await explained(container, table_id)
            assert (calm["due"], calm["would_start_by_itself"], calm["starts_at"]) == (False, True, None)
            assert seen.due_since is None
            assert len(await runs_of(container, table_id)) == 1

            # 3. the leader is killed; enough new files come; the other one starts a run when explain says so
            leading, token = await leader(container)
            os.kill(leading, signal.SIGKILL)
            (victim,) = [process for process in processes if process.pid == leading]
            assert await asyncio.to_thread(victim.wait, 30) == -signal.SIGKILL
            await append(lake, 18)
            said = await explained(container, table_id)
            assert said["due"]
            second, _ = await ended_runs(container, table_id, 2)
            other, next_token = await leader(container)
            assert (other, next_token) == (
                {process.pid for process in processes}.difference({leading}).pop(),
                token + 1,
            )
        assert second.state is RunState.SUCCEEDED, log.read_text()
        assert second.created_at >= first.started_at + MIN_INTERVAL
        if said["starts_at"] is not None:  # the dead leader's time was not over yet
            late = second.created_at - max(said["starts_at"], first.started_at + MIN_INTERVAL)
            assert late < timedelta(seconds=40)
        assert len(lake.paths()) == 1
        assert len(await runs_of(container, table_id)) == 2
