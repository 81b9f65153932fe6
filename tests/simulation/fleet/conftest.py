"""One machine for all scenarios: a Redis for scripts and a migrated record to copy."""

from collections.abc import Iterator

import pytest

from tests.simulation.world import Machine, open_machine


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    with open_machine() as opened:
        yield opened
