"""Operations of runs: each has an executor of its own, or its runs are refused and left alone."""

import pytest

from engine.domain.errors import InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.capabilities import Capability
from engine.domain.tables.table import FormatName
from engine.services.catalogs.capabilities import CapabilityService
from tests.support.world import World

OPERATION = Operation.REMOVE_ORPHANS


def test_an_operation_is_possible_exactly_if_it_has_an_executor(world: World) -> None:
    capabilities = world.container.capabilities
    possible = {each for each in Operation if capabilities.operation(FormatName.ICEBERG, each).possible}
    assert possible == set(world.container.worker.operations)
    assert possible == set(Operation)


async def test_an_operation_that_the_format_does_not_have_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CapabilityService, "operation", lambda *_given: Capability(possible=False, reason="no"))
    with pytest.raises(InvalidInput, match=OPERATION.value):
        await world.submit(RunRequest(OPERATION))


async def test_a_stored_run_without_an_executor_never_runs_as_another_operation(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker of an earlier version has no executor for the operations of a later one."""
    await world.set_policy({"maintenance": {"remove_orphans": {}}})
    run = await world.submit(RunRequest(OPERATION))
    before = world.lake.table.metadata_location
    claims = world.container.worker._claims
    monkeypatch.setattr(claims, "_operations", claims._operations - {OPERATION})
    assert not await world.container.worker.advance(run.id)
    assert not await world.container.worker.advance_next()
    assert (await world.get(run.id)).state is RunState.QUEUED
    assert world.lake.table.metadata_location == before
    rewritten = await world.rewrite()  # and it is in nobody's way
    assert rewritten.state is RunState.SUCCEEDED
