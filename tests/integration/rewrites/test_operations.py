"""Operations of runs: each has an executor of its own, or its runs are refused and left alone."""

import pytest

from engine.domain.errors import InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.table import FormatName
from engine.services.catalogs.capabilities import CapabilityService
from tests.support.world import World

WITHOUT = [Operation.REMOVE_ORPHANS]


def test_an_operation_is_possible_exactly_if_it_has_an_executor(world: World) -> None:
    capabilities = world.container.capabilities
    possible = {each for each in Operation if capabilities.operation(FormatName.ICEBERG, each).possible}
    assert possible == set(world.container.worker.operations)
    assert possible.isdisjoint(WITHOUT)


@pytest.mark.parametrize("operation", WITHOUT)
async def test_a_run_without_an_executor_is_refused(world: World, operation: Operation) -> None:
    with pytest.raises(InvalidInput, match=operation.value):
        await world.submit(RunRequest(operation))


@pytest.mark.parametrize("operation", WITHOUT)
async def test_a_stored_run_without_an_executor_never_runs_as_another_operation(
    world: World, operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as allowed:
        allowed.setattr(CapabilityService, "check_operation", lambda *_given: None)
        run = await world.submit(RunRequest(operation))
    before = world.lake.table.metadata_location
    assert not await world.container.worker.advance(run.id)
    assert not await world.container.worker.advance_next()
    assert (await world.get(run.id)).state is RunState.QUEUED
    assert world.lake.table.metadata_location == before
    rewritten = await world.rewrite()  # and it is in nobody's way
    assert rewritten.state is RunState.SUCCEEDED
