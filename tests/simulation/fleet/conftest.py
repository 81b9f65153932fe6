"""One machine for all scenarios: a Redis for scripts and a migrated record to copy."""

from collections.abc import Iterator

import pytest

from bench.fleet.artemis import UPKEEP
from engine.workers import coordinator
from tests.simulation.world import Machine, open_machine


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    with open_machine() as opened:
        yield opened


@pytest.fixture
def upkeep() -> Iterator[None]:
    """Give the coordinator its intervals back, which scenarios of many hours make longer."""
    before = {name: getattr(coordinator, name) for name in UPKEEP}
    yield
    for name, seconds in before.items():
        setattr(coordinator, name, seconds)
