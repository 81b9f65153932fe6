"""Coordinator and worker at work on one run that is paced so low that a test can act before it ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import RunId
from engine.domain.policies import PolicyDocument
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.settings.model import Settings
from tests.support.eventually import seen_when
from tests.support.world import Lake, register_lake

PATIENCE_SECONDS: Final = 90
PACED: Final = {"limits": {"bandwidth": "300kB", "parallel_groups": 1}}


def large_lake(lake: Lake) -> Lake:
    """Give the first two partitions of a lake files that take seconds at the paced rate."""
    for day in (1, 2) * 3:
        lake.append(day=f"2026-11-{day:02}", rows=30_000)
    return lake


@asynccontextmanager
async def at_work(settings: Settings, lake: Lake) -> AsyncIterator[tuple[Container, Run]]:
    """Coordinator and worker on one submitted run."""
    async with open_container(settings) as container:
        table = await register_lake(container, lake)
        policy = PolicyDocument.model_validate(PACED)
        await container.policies.replace(SYSTEM, table.id, policy, if_none_match=True)
        run, _ = await container.runs.submit(SYSTEM, table.id, RunRequest())
        parts = [asyncio.create_task(container.coordinator.run()), asyncio.create_task(container.worker.run())]
        try:
            yield container, run
        finally:
            container.worker.stop()
            container.coordinator.stop()
            await asyncio.gather(*parts)


async def waited(container: Container, run_id: RunId, *, event: str) -> Run:
    """Return the run as soon as its log has an event."""

    async def look() -> set[str]:
        async with container.database.read() as unit:
            return {entry.kind for entry in await unit.events.list(run_id, limit=1000)}

    await seen_when(look, lambda kinds: event in kinds, within_seconds=PATIENCE_SECONDS)
    return await container.runs.get(SYSTEM, run_id)
